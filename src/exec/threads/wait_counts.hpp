#pragma once
// What a worker has seen of waits: its own, and how long that took for which others wait. Written by that worker alone;
// a phase that learns how to wait reads it, under the grain lock, two milliseconds apart, and stores what it decides in
// its teams. A worker reads that when its next wait begins; nothing depends on how fresh it is.

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "sched/grain/wait.hpp"

namespace maslin {

class wait_counts {
 public:
  /// A wait took so long; `is_short`: it was over within what is worth staying awake.
  void waited(std::uint64_t ticks, bool is_short) noexcept {
    add(waits_, 1);
    if (is_short) add(short_waits_, 1);
    add(wait_ticks_, ticks);
  }
  /// An off-load or a loop took so long.
  void took(std::uint64_t ticks) noexcept {
    const auto length = static_cast<double>(ticks);
    add(lengths_, 1);
    add(length_ticks_, ticks);
    add(length_squares_, length * length);
  }

  grain::wait_sums sums(double seconds_per_tick) const noexcept {
    const auto read = [](const auto& from) { return static_cast<double>(from.load(std::memory_order_relaxed)); };
    return {.waits = read(waits_),
            .short_waits = read(short_waits_),
            .wait_seconds = read(wait_ticks_) * seconds_per_tick,
            .lengths = read(lengths_),
            .length_seconds = read(length_ticks_) * seconds_per_tick,
            .length_squares = read(length_squares_) * seconds_per_tick * seconds_per_tick};
  }

 private:
  template <class Number>
  static void add(std::atomic<Number>& to, std::type_identity_t<Number> what) noexcept {
    to.store(to.load(std::memory_order_relaxed) + what, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> waits_{0};
  std::atomic<std::uint64_t> short_waits_{0};
  std::atomic<std::uint64_t> wait_ticks_{0};
  std::atomic<std::uint64_t> lengths_{0};
  std::atomic<std::uint64_t> length_ticks_{0};
  std::atomic<double> length_squares_{0};  ///< ticks squared
};

}  // namespace maslin
