#pragma once
// A single-producer, single-consumer ring of events. README.md argues why its orderings suffice.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "maslin/trace.hpp"
#include "trace/clock.hpp"

namespace maslin::trace::internal {

struct cell {
  std::uint64_t ticks;
  std::uint64_t argument;
  std::uint32_t id;
  event_kind kind;
};
static_assert(sizeof(cell) == 24);

class ring {
 public:
  /// 1.5 MiB: at a million events a second the drainer may be 65 ms late.
  static constexpr std::size_t least_capacity = std::size_t{1} << 16;
  /// 12 MiB: half a second.
  static constexpr std::size_t most_capacity = std::size_t{1} << 19;

  ring() = default;
  ~ring();
  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  /// Maps `capacity` cells (a power of two); memory is taken when a cell is first written. `waits`: the producer waits
  /// where there is no room, for which there must be two cells. Throws std::bad_alloc.
  void open(std::size_t capacity, bool waits = false);
  void close() noexcept;

  /// Producer: appends an event stamped now. When the ring is full it counts a drop, or waits for the consumer and
  /// appends how long (`held`) behind the event.
  void push(event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept { push(ticks(), kind, id, argument); }
  void push(std::uint64_t now, event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept {
    const std::uint64_t at = head_.load(std::memory_order_relaxed);  // ours: nobody else writes it
    if (at - seen_tail_ > mask_) [[unlikely]] {
      seen_tail_ = tail_.load(std::memory_order_acquire);  // pairs with the store in pop: the cells are read and free
      if (at - seen_tail_ > mask_) return full(now, kind, id, argument);
    }
    append(at, now, kind, id, argument);
  }

  /// Consumer: hands every event that is in the ring now to `take(const cell&)`, in order, frees their cells, and gives
  /// their number.
  template <class Take>
  std::size_t pop(Take&& take) {
    const std::uint64_t end = head_.load(std::memory_order_acquire);    // pairs with the store in push
    const std::uint64_t begin = tail_.load(std::memory_order_relaxed);  // ours
    for (std::uint64_t at = begin; at != end; ++at) take(static_cast<const cell&>(cells_[at & mask_]));
    tail_.store(end, std::memory_order_release);  // pairs with the load in push
    return static_cast<std::size_t>(end - begin);
  }

  /// Consumer: has memory behind the cells that the producer comes to next, so that the producer need not wait while
  /// the system finds it. Cells that it never comes near take none.
  void populate_ahead() noexcept;

  /// Consumer: gives the number of events taken so far.
  std::uint64_t popped() const noexcept { return tail_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }
  std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  void append(std::uint64_t at, std::uint64_t now, event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept {
    cell& c = cells_[at & mask_];
    c.ticks = now;
    c.argument = argument;
    c.id = id;
    c.kind = kind;
    head_.store(at + 1, std::memory_order_release);  // pairs with the load in pop: the cell is written
  }
  void full(std::uint64_t now, event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept;

  // Written by the producer.
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::uint64_t seen_tail_ = 0;
  std::atomic<std::uint64_t> dropped_{0};
  cell* cells_ = nullptr;  // set by open
  std::size_t mask_ = 0;   // set by open
  bool waits_ = false;     // set by open
  // Written by the consumer.
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::size_t populated_ = 0;  // cells from the first on that have memory
};

}  // namespace maslin::trace::internal
