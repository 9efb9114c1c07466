#pragma once
// The call sites of a run's loops and tasks, and how long their work takes.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sched/grain/site_time.hpp"

namespace maslin {

/// A call site: a line with the body that stands there. Who learns at the same time as another may be overheard.
class call_site {
 public:
  grain::site_time time() const noexcept { return time_.load(std::memory_order_relaxed); }
  void knows(const grain::site_time& now) noexcept { time_.store(now, std::memory_order_relaxed); }
  void learn(std::uint64_t count, std::uint64_t ticks, std::uint32_t memory) noexcept {
    knows(time().learned(count, ticks, memory));
  }
  /// What the graph takes for a task of the site: its creator to add it, its worker to take it out.
  grain::site_time adding() const noexcept { return adding_.load(std::memory_order_relaxed); }
  grain::site_time removing() const noexcept { return removing_.load(std::memory_order_relaxed); }
  void learn_graph(bool adding, std::uint64_t ticks, std::uint32_t memory) noexcept {
    std::atomic<grain::site_time>& at = adding ? adding_ : removing_;
    at.store(at.load(std::memory_order_relaxed).learned_usual(ticks, memory), std::memory_order_relaxed);
  }
  /// It took much longer than others there: each one is timed for a while, so that the next of that kind is noticed.
  void has_surprised() noexcept { wary_.store(1024, std::memory_order_relaxed); }
  void was_as_expected() noexcept {
    if (const std::uint32_t left = wary_.load(std::memory_order_relaxed))
      wary_.store(left - 1, std::memory_order_relaxed);
  }
  bool is_steady() const noexcept { return wary_.load(std::memory_order_relaxed) == 0; }

 private:
  friend class call_sites;
  std::atomic<std::uintptr_t> name_{0};
  std::atomic<grain::site_time> time_{};
  std::atomic<grain::site_time> adding_{};
  std::atomic<grain::site_time> removing_{};
  std::atomic<std::uint32_t> wary_{0};  ///< so many more are timed
  static_assert(std::atomic<grain::site_time>::is_always_lock_free);
};

/// A table of one size; where two sites fall into one place, the later one takes it.
class call_sites {
 public:
  template <class Body>
  call_site& of(Body* body, unsigned line) noexcept {
    const std::uintptr_t name = name_of(body, line);
    call_site& at = places_[place_of(name)];
    if (at.name_.load(std::memory_order_relaxed) != name) {
      at.name_.store(name, std::memory_order_relaxed);
      at.time_.store({}, std::memory_order_relaxed);
      at.adding_.store({}, std::memory_order_relaxed);
      at.removing_.store({}, std::memory_order_relaxed);
      at.wary_.store(0, std::memory_order_relaxed);
    }
    return at;
  }
  /// Gives the site; null where nothing is known of it.
  template <class Body>
  const call_site* find(Body* body, unsigned line) const noexcept {
    const std::uintptr_t name = name_of(body, line);
    const call_site& at = places_[place_of(name)];
    return at.name_.load(std::memory_order_relaxed) == name ? &at : nullptr;
  }
  template <class Body>
  grain::site_time time_of(Body* body, unsigned line) const noexcept {
    const call_site* at = find(body, line);
    return at ? at->time() : grain::site_time{};
  }

 private:
  template <class Body>
  static std::uintptr_t name_of(Body* body, unsigned line) noexcept {
    return reinterpret_cast<std::uintptr_t>(body) ^ (std::uintptr_t{line} << 48);
  }
  static std::size_t place_of(std::uintptr_t name) noexcept { return (name >> 4 ^ name >> 48) % count; }

  static constexpr std::size_t count = 1024;
  call_site places_[count];
};

}  // namespace maslin
