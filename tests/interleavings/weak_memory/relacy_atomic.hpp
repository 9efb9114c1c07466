#pragma once
// Atomics whose loads may give any value that the C++ memory model allows, by the Relacy race detector (a checkout that
// the user has: github.com/dvyukov/relacy).

// What Relacy's macros would get in the way of comes before them.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace rl {
/// Relacy writes down the values of atomics.
template <class Enum>
  requires(std::is_enum_v<Enum> && !std::is_convertible_v<Enum, int>)
std::ostream& operator<<(std::ostream& to, Enum value) { return to << static_cast<int>(value); }
}  // namespace rl

#include <relacy/relacy.hpp>
#undef assert
#undef free
#undef malloc

namespace relaxed {

/// To show that the checks can fail: what is done to the atomics of this object has no order (`weaken`).
inline std::pair<std::uintptr_t, std::uintptr_t> weak{0, 0};
template <class Object>
void weaken(Object& object) {
  weak = {reinterpret_cast<std::uintptr_t>(&object), reinterpret_cast<std::uintptr_t>(&object) + sizeof object};
}
/// The same for all atomics: an object may keep them in memory of its own.
inline void weaken_all() { weak = {0, UINTPTR_MAX}; }

/// The same for fences: false, and they do nothing.
inline bool has_fences = true;
inline void fence(std::memory_order o) {
  if (has_fences && o == std::memory_order_seq_cst) rl::atomic_thread_fence(rl::mo_seq_cst, $);
}

/// std::atomic as far as the checked structures use it.
template <class T>
class atomic {
 public:
  atomic() : of_(T{}) {}
  atomic(T value) : of_(value) {}  // NOLINT: as std::atomic
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order o = std::memory_order_seq_cst) const { return of_.load(order(o), $); }
  void store(T value, std::memory_order o = std::memory_order_seq_cst) { of_.store(value, order(o), $); }
  T exchange(T value, std::memory_order o = std::memory_order_seq_cst) { return of_.exchange(value, order(o), $); }
  bool compare_exchange_strong(T& expected, T value, std::memory_order o = std::memory_order_seq_cst) {
    return of_.compare_exchange_strong(expected, value, order(o), $);
  }
  bool compare_exchange_strong(T& expected, T value, std::memory_order o, std::memory_order failed) {
    return of_.compare_exchange_strong(expected, value, order(with(o, failed)), order(failed), $);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order o = std::memory_order_seq_cst) {
    return of_.compare_exchange_weak(expected, value, order(o), $);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order o, std::memory_order failed) {
    return of_.compare_exchange_weak(expected, value, order(with(o, failed)), order(failed), $);
  }
  T fetch_add(T by, std::memory_order o = std::memory_order_seq_cst) { return of_.fetch_add(by, order(o), $); }
  T fetch_sub(T by, std::memory_order o = std::memory_order_seq_cst) { return of_.fetch_sub(by, order(o), $); }
  T fetch_or(T bits, std::memory_order o = std::memory_order_seq_cst) { return of_.fetch_or(bits, order(o), $); }
  T fetch_and(T bits, std::memory_order o = std::memory_order_seq_cst) { return of_.fetch_and(bits, order(o), $); }
  /// Looks again and again. Relacy's own may sleep for an older value behind the notification, which a futex cannot.
  void wait(T old, std::memory_order o = std::memory_order_seq_cst) const {
    while (load(o) == old) rl::yield(1, $);
  }
  void notify_one() {}
  void notify_all() {}

 private:
  /// Relacy takes no failure's order that is stronger than the success's.
  static std::memory_order with(std::memory_order success, std::memory_order failed) {
    const bool acquires = failed == std::memory_order_acquire;
    return acquires && success == std::memory_order_release ? std::memory_order_acq_rel : success;
  }
  rl::memory_order order(std::memory_order o) const {
    const auto at = reinterpret_cast<std::uintptr_t>(this);
    if (at >= weak.first && at < weak.second) return rl::mo_relaxed;
    switch (o) {
      case std::memory_order_relaxed:
        return rl::mo_relaxed;
      case std::memory_order_consume:
      case std::memory_order_acquire:
        return rl::mo_acquire;
      case std::memory_order_release:
        return rl::mo_release;
      case std::memory_order_acq_rel:
        return rl::mo_acq_rel;
      default:
        return rl::mo_seq_cst;
    }
  }

  mutable rl::atomic<T> of_;
};

}  // namespace relaxed
