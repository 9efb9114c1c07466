#pragma once
// OpenMP: libgomp where g++ compiles it, libomp where clang does.

#include <omp.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace peer {

#ifdef __clang__
inline std::string name() { return "libomp"; }
inline std::string version() { return std::string("clang ") + __clang_version__; }
#else
inline std::string name() { return "libgomp"; }
inline std::string version() { return "g++ " __VERSION__; }
#endif

struct started {};  // the runtime starts its threads at the first region and keeps them

template <class F>
void run(F&& f) {
#pragma omp parallel num_threads(2)
#pragma omp master
  f();
}

inline constexpr bool nests = true;

struct tasks {
  template <class F>
  void run(F f) {
#pragma omp task firstprivate(f)
    f();
  }
  void wait() {
#pragma omp taskwait
  }
};

inline constexpr bool has_forks = false;
template <class F, class G>
void fork(F&, G&) {}

inline constexpr bool has_graphs = true;
using bench::plain_array;
template <class T>
using array = plain_array<T>;

struct graph {
  // `out` and `inout` are the same to OpenMP.
  template <class Body, class A>
  void task(bench::before, Body body, A a) {
    auto* x = a.data;
#pragma omp task firstprivate(body, x) depend(inout : x[0])
    body(x);
  }
  template <class Body, class A, class B>
  void task(bench::before, Body body, A a, B b) {
    const auto* in = a.data;
    auto* x = b.data;
#pragma omp task firstprivate(body, in, x) depend(in : in[0]) depend(inout : x[0])
    body(in, x);
  }
  template <class Body, class A, class B, class C>
  void task(bench::before, Body body, A a, B b, C c) {
    const auto *first = a.data, *second = b.data;
    auto* x = c.data;
#pragma omp task firstprivate(body, first, second, x) depend(in : first[0], second[0]) depend(inout : x[0])
    body(first, second, x);
  }
};

inline constexpr bool has_wide_graphs = false;
template <class Value>
void wide_task(graph&, const std::uint64_t* const*, int, std::uint64_t*, Value) {}

template <class Emit>
void run_graph(Emit&& emit) {
  run([&] {
    graph g;
    emit(g);
  });
}

inline constexpr bool replays = false;
struct recorded {
  template <class Emit>
  explicit recorded(Emit&&) {}
  void run() {}
};

inline constexpr std::array<const char*, 7> schedules{"default",   "static,1",   "static,16", "dynamic,1",
                                                      "dynamic,4", "dynamic,16", "guided"};
inline constexpr std::size_t even = 0;

// A clause for each, as a user writes it: schedule(runtime) would take a slower way.
template <class Body>
void loop(std::size_t schedule, long n, const Body& body) {
  switch (schedule) {
    case 0:
#pragma omp parallel for num_threads(2)
      for (long i = 0; i < n; ++i) body(i);
      break;
    case 1:
#pragma omp parallel for num_threads(2) schedule(static, 1)
      for (long i = 0; i < n; ++i) body(i);
      break;
    case 2:
#pragma omp parallel for num_threads(2) schedule(static, 16)
      for (long i = 0; i < n; ++i) body(i);
      break;
    case 3:
#pragma omp parallel for num_threads(2) schedule(dynamic, 1)
      for (long i = 0; i < n; ++i) body(i);
      break;
    case 4:
#pragma omp parallel for num_threads(2) schedule(dynamic, 4)
      for (long i = 0; i < n; ++i) body(i);
      break;
    case 5:
#pragma omp parallel for num_threads(2) schedule(dynamic, 16)
      for (long i = 0; i < n; ++i) body(i);
      break;
    default:
#pragma omp parallel for num_threads(2) schedule(guided)
      for (long i = 0; i < n; ++i) body(i);
  }
}

}  // namespace peer
