#pragma once
// The call sites of a run's loops, and how long their iterations take.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "maslin/loop.hpp"
#include "sched/loop/grain.hpp"

namespace maslin {

/// A call site: a line with the body that stands there. Who learns at the same time as another may be overheard.
class call_site {
 public:
  loop_policy::site_time time() const noexcept { return {per_iteration_.load(std::memory_order_relaxed)}; }
  void learn(std::int64_t iterations, std::uint64_t ticks) noexcept {
    per_iteration_.store(time().learned(iterations, ticks).per_iteration, std::memory_order_relaxed);
  }

 private:
  friend class call_sites;
  std::atomic<std::uintptr_t> name_{0};
  std::atomic<float> per_iteration_{0};
};

/// A table of one size; where two sites fall into one place, the later one takes it.
class call_sites {
 public:
  call_site& of(const detail::loop& l) noexcept {
    const auto body = reinterpret_cast<std::uintptr_t>(l.run);
    const std::uintptr_t name = body ^ (std::uintptr_t{l.where.line()} << 48);
    call_site& at = places_[(body >> 4 ^ l.where.line()) % count];
    if (at.name_.load(std::memory_order_relaxed) != name) {
      at.name_.store(name, std::memory_order_relaxed);
      at.per_iteration_.store(0, std::memory_order_relaxed);
    }
    return at;
  }

 private:
  static constexpr std::size_t count = 1024;
  call_site places_[count];
};

}  // namespace maslin
