#pragma once
// Counts the off-loads of a phase as they arrive and depart, for policies that go by utilization (MGPS).

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "sched/grain/sample.hpp"

namespace maslin {

class departure_counts {
 public:
  // Any thread.
  /// An off-load arrives; gives its ticket.
  std::uint64_t arrive() { return wanted() > 0 ? arrived_.fetch_add(1, std::memory_order_relaxed) : 0; }
  /// Gives the ticket of a kernel that is not off-loaded, so that it departs having seen the others' only.
  std::uint64_t pass() const { return arrived_.load(std::memory_order_relaxed); }
  /// The off-load with that ticket departs. Gives whether as many have departed as are wanted. What is not wanted any
  /// more costs one read.
  bool depart(std::uint64_t ticket) {
    const std::int64_t epoch = wanted();
    if (epoch <= 0) return false;
    // Its own arrival comes before this in the order of changes of arrived_, so at least one is counted, unless it
    // passed.
    const std::uint64_t arrived = arrived_.load(std::memory_order_relaxed) - ticket;
    const auto running = static_cast<std::uint64_t>(std::max(running_.load(std::memory_order_relaxed), 1));
    const std::uint64_t more = one_departure + std::min(arrived, running);
    return unpack(departed_.fetch_add(more, std::memory_order_relaxed) + more).count >= epoch;
  }

  // Under the grain lock.
  /// Begins to count anew, in portions of `epoch`; 0: nothing any more, and never again.
  void begin(std::int64_t epoch) {
    departed_.store(0, std::memory_order_relaxed);
    wanted_.store(epoch, std::memory_order_relaxed);
  }
  /// So many streams run from now on.
  void running(int streams) { running_.store(streams, std::memory_order_relaxed); }
  /// Gives what has departed since the last time, if it is as much as is wanted.
  std::optional<grain::departures> take() {
    const std::int64_t epoch = wanted();
    if (epoch <= 0 || unpack(departed_.load(std::memory_order_relaxed)).count < epoch) return std::nullopt;
    return unpack(departed_.exchange(0, std::memory_order_relaxed));
  }

 private:
  // Bits 63..40 of departed_: how many departed; 39..0: what they saw on workers. Both change together.
  static constexpr int count_bit = 40;
  static constexpr std::uint64_t one_departure = std::uint64_t{1} << count_bit;
  static grain::departures unpack(std::uint64_t both) {
    return {static_cast<std::int64_t>(both >> count_bit), static_cast<std::int64_t>(both & (one_departure - 1))};
  }
  std::int64_t wanted() const { return wanted_.load(std::memory_order_relaxed); }

  std::atomic<std::int64_t> wanted_{0};
  std::atomic<int> running_{0};
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint64_t> departed_{0};
};

}  // namespace maslin
