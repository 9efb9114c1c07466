#pragma once
// What is too small to split is not split (dynamic-bisectioning, section 3: the grain is matched to P): how long the
// iterations of a loop take is learned per call site, and a loop that would not gain from a team stays with its caller.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "maslin/loop.hpp"

namespace maslin::loop_policy {

/// The time of an iteration at one call site. Whoever learns at the same time as another may be overheard: these are
/// estimates.
class site_time {
 public:
  /// Gives the expected one-worker time of so many iterations, in ticks; 0: not known yet.
  double expected(std::int64_t iterations) const noexcept {
    return static_cast<double>(per_iteration_.load(std::memory_order_relaxed)) * static_cast<double>(iterations);
  }
  /// So many iterations took so long, all workers together.
  void learn(std::int64_t iterations, std::uint64_t ticks) noexcept {
    const float seen = static_cast<float>(ticks) / static_cast<float>(iterations);
    const float before = per_iteration_.load(std::memory_order_relaxed);
    per_iteration_.store(before > 0 ? before + (seen - before) / 4 : seen, std::memory_order_relaxed);
  }

  void forget() noexcept { per_iteration_.store(0, std::memory_order_relaxed); }

 private:
  std::atomic<float> per_iteration_{0};
};

/// The call sites of a run. A site is a line with the body that stands there; where two fall into one place, the later
/// one takes it.
class site_times {
 public:
  site_time& of(const detail::loop& l) noexcept {
    const auto body = reinterpret_cast<std::uintptr_t>(l.run);
    const std::uintptr_t name = body ^ (std::uintptr_t{l.where.line()} << 48);
    place& at = places_[(body >> 4 ^ l.where.line()) % count];
    if (at.name.load(std::memory_order_relaxed) != name) {
      at.name.store(name, std::memory_order_relaxed);
      at.time.forget();
    }
    return at.time;
  }

 private:
  static constexpr std::size_t count = 1024;
  struct place {
    std::atomic<std::uintptr_t> name{0};
    site_time time;
  };
  place places_[count];
};

}  // namespace maslin::loop_policy
