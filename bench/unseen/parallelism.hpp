#pragma once
// What a program may say is parallel. with_maslin.cpp and with_openmp.cpp say what it means; a program is compiled once
// and linked with either.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace unseen {

/// Nothing is computed: a described machine is told what each part would take on one of its workers. Set once, before
/// the program is made.
inline bool declared = false;

struct range {
  std::int64_t first;
  std::int64_t last;
  std::int64_t size() const { return last - first; }
};

template <class>
class function_ref;
/// Calls what it was made from, which must live as long.
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f)
      : env_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))), call_([](void* env, Arguments... a) {
          return static_cast<Result>((*static_cast<std::remove_reference_t<F>*>(env))(a...));
        }) {}
  Result operator()(Arguments... a) const { return call_(env_, a...); }

 private:
  void* env_;
  Result (*call_)(void*, Arguments...);
};

/// The line of a call.
struct place {
  const char* file;
  unsigned line;
  static constexpr place current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A named function that streams off-load, at namespace scope.
class kernel {
 public:
  explicit kernel(const char* name);
  const void* known_as() const { return known_as_.get(); }

 private:
  std::shared_ptr<const void> known_as_;
};

// What Maslin and OpenMP each do in their own way.
namespace detail {
void pay(double seconds);
void moves(double bytes);
double slowdown_by_memory();
void run_library(double seconds, double serial_share, function_ref<void()> body);
void run_loop(std::int64_t n, std::int64_t block, function_ref<void(range)> body, place where);
double run_sum(std::int64_t n, std::int64_t block, function_ref<double(range)> body, place where);
}  // namespace detail

/// Runs body(i) for all streams and gives the seconds that they took.
double run_streams(std::int64_t streams, function_ref<void(std::int64_t)> body);

/// Runs a kernel of the calling stream.
void off_load(const kernel& k, function_ref<void()> body);

/// What an iteration takes that moves memory, on a worker that has the bandwidth for itself. All workers share it
/// (bench/grain/README.md), so it depends on the configuration in which the loop runs. That need not be the one in
/// which its stream came to it: a stream may have to stand aside at its loop.
struct memory_cost {
  double seconds, bytes;
};
inline memory_cost operator*(double times, memory_cost one) { return {times * one.seconds, times * one.bytes}; }

/// What an iteration of a loop takes that moves `bytes` of memory in it.
inline memory_cost moved(double bytes) {
  constexpr double worker_bytes_per_second = 10e9;
  return {bytes / worker_bytes_per_second, bytes};
}

/// Gives the body of a loop, which says what it moves if that is known.
template <class Cost, class Body>
auto telling(const Cost& cost, const Body& body) {
  return [&](range r) {
    if constexpr (std::is_same_v<Cost, memory_cost>) detail::moves(static_cast<double>(r.size()) * cost.bytes);
    return body(r);
  };
}

/// Calls `body(range)` for each block of [0, n), on the calling stream's team. `cost` is what an iteration takes on one
/// worker, in seconds, or gives what a range takes.
template <class Cost, class Body>
void loop(std::int64_t n, std::int64_t block, const Cost& cost, const Body& body, place where = place::current()) {
  if (!declared) return detail::run_loop(n, block, telling(cost, body), where);
  double slowdown = 0;  // not known before the loop begins to run
  const auto pay = [&](range r) {
    if constexpr (std::is_same_v<Cost, memory_cost>) {
      if (slowdown == 0) slowdown = detail::slowdown_by_memory();
      detail::pay(static_cast<double>(r.size()) * cost.seconds * slowdown);
    } else if constexpr (std::is_convertible_v<Cost, double>)
      detail::pay(static_cast<double>(r.size()) * cost);
    else
      detail::pay(cost(r));
  };
  detail::run_loop(n, block, pay, where);
}

/// The same, and gives the sum of what the blocks give, added in the order of their index; 0 where costs are declared.
template <class Cost, class Body>
double loop_sum(std::int64_t n, std::int64_t block, const Cost& cost, const Body& body,
                place where = place::current()) {
  if (!declared) return detail::run_sum(n, block, telling(cost, body), where);
  loop(
      n, block, cost, [](range) {}, where);
  return 0;
}

/// Runs a part of the stream that nothing divides; it takes so many seconds.
template <class Body>
void alone(double seconds, const Body& body) {
  if (declared)
    detail::pay(seconds);
  else
    body();
}

/// Calls a library that has threads of its own; with one it takes `seconds`, and the share of these is serial.
template <class Body>
void library(double seconds, double serial_share, const Body& body) {
  detail::run_library(seconds, serial_share, body);
}

}  // namespace unseen
