#pragma once
// Maslin, through its public headers as any program.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "maslin/maslin.hpp"

namespace peer {

inline std::string name() { return "maslin"; }
inline std::string version() { return "this build"; }

struct started {
  maslin::Runtime runtime;
};

template <class F>
void run(F&& f) {
  f();
}

inline constexpr bool nests = true;

struct tasks {
  maslin::group group;

  template <class F>
  void run(F&& f) {
    group.task(std::forward<F>(f));
  }
  void wait() { group.wait(); }
};

inline constexpr bool has_forks = true;
template <class F, class G>
void fork(F& f, G& g) {
  maslin::fork(f, g);
}

template <class T>
using array = bench::plain_array<T>;

template <class Access>
concept waits_for = requires(void (*body)(maslin::view<int>), Access a) {
  maslin::task(body, a);
};
inline constexpr bool has_graphs = waits_for<decltype(maslin::inout(std::declval<int&>()))>;

struct graph {
  template <class Access>
  static auto declared(Access a) {
    if constexpr (Access::mode == bench::access_mode::reads)
      return maslin::in(a.data, a.extent);
    else if constexpr (Access::mode == bench::access_mode::updates)
      return maslin::inout(a.data, a.extent);
    else
      return maslin::out(a.data, a.extent);
  }
  template <class Body, class... Accesses>
  void task(bench::before, Body body, Accesses... accesses) {
    if constexpr (has_graphs)
      maslin::task([body](maslin::view<typename Accesses::element>... views) { body(views.data()...); },
                   declared(accesses)...);
  }
};

inline constexpr bool has_wide_graphs = has_graphs;
template <class Value, std::size_t... I>
void wide_task(const std::uint64_t* const* from, std::uint64_t* to, Value value, std::index_sequence<I...>) {
  maslin::task(
      [value](auto... views) {
        const std::array<const std::uint64_t*, sizeof...(I) + 1> data{views.data()...};
        std::uint64_t* const made = std::get<sizeof...(I)>(std::tuple(views...)).data();
        *made = value(data.data(), static_cast<int>(sizeof...(I)));
      },
      maslin::in(from[I], std::size_t{1})..., maslin::out(to, std::size_t{1}));
}
template <std::size_t Count = 1, class Value>
void wide_task(graph& g, const std::uint64_t* const* from, int count, std::uint64_t* to, Value value) {
  if (count == static_cast<int>(Count)) return wide_task(from, to, value, std::make_index_sequence<Count>());
  if constexpr (Count < 8) wide_task<Count + 1>(g, from, count, to, value);
}

template <class Emit>
void run_graph(Emit&& emit) {
  graph g;
  emit(g);
  maslin::wait();
}

#if __has_include("maslin/replay.hpp")
inline constexpr bool replays = true;
struct recorded {
  graph g;
  decltype(maslin::record([] {})) made;

  template <class Emit>
  explicit recorded(Emit&& emit) : made(maslin::record([&] { emit(g); })) {
    maslin::wait();
  }
  void run() {
    maslin::replay(made);
    maslin::wait();
  }
};
#else
inline constexpr bool replays = false;
struct recorded {
  template <class Emit>
  explicit recorded(Emit&&) {}
  void run() {}
};
#endif

inline constexpr std::array<const char*, 1> schedules{"default"};  // no setting
inline constexpr std::size_t even = 1;  // names static, so that a loop is shared however small it is

template <class Body>
void loop(std::size_t schedule, long n, const Body& body) {
  const auto part = [&](maslin::range r) {
    for (const auto i : r) body(static_cast<long>(i));
  };
  maslin::parallel_for(0, n, part, schedule == even ? maslin::schedule::static_ : maslin::schedule::of_the_run);
}

}  // namespace peer
