#pragma once
// A small loop that is dealt out: each worker of the team has a range of its blocks from the start, and who has none
// left takes half of another's (dynamic-bisectioning, section 3, on ranges in place of queues).

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "base/atomic.hpp"
#include "sched/loop/share.hpp"

namespace maslin {

/// What a machine says of a loop: is it to be dealt out?
struct deal {
  std::int64_t grain = 0;  ///< so many of its blocks pay for being taken from another worker; 0: it is not dealt out
  bool is_timed = false;   ///< what its blocks take is to be noted
};

/// What is left of such a loop. Every block lies in one range, until one worker takes it. A range is one word, which
/// says all there is to say of it: whoever changes it from what it was has what it gave away.
class dealt_blocks {
 public:
  using part = loop_policy::part;
  static constexpr int most_workers = 8;
  static constexpr bool fits(std::int64_t blocks, int workers) {
    return workers <= most_workers && blocks < std::int64_t{1} << 31;
  }

  /// `grain`: fewer blocks do not pay for being taken from another's range.
  dealt_blocks(std::int64_t blocks, int workers, std::int64_t grain) : workers_(workers), grain_(grain) {
    for (int i = 0; i < workers; ++i)
      at(i).range.store(packed(loop_policy::equal_part(blocks, workers, i)), std::memory_order_relaxed);
  }

  /// Takes the first quarter of the worker's own range, so that others find some of it; nothing when it is empty.
  std::optional<part> take(int worker) {
    return cut(worker, 4, 1, [](part& rest, std::int64_t size) {
      rest.first += size;
      return part{rest.first - size, rest.first};
    });
  }
  /// Takes the last half of the next range in the circle where that pays for the worker's own range, which is empty;
  /// false when there is none.
  bool steal(int worker) {
    for (int i = 1; i < workers_; ++i) {
      const auto stolen = cut((worker + i) % workers_, 2, grain_, [](part& rest, std::int64_t size) {
        rest.last -= size;
        return part{rest.last, rest.last + size};
      });
      if (!stolen) continue;
      at(worker).range.store(packed(*stolen), std::memory_order_relaxed);
      return true;
    }
    return false;
  }
  /// Gives the block behind the last of the worker's own range, which may become less.
  std::int64_t end_of(int worker) { return unpacked(at(worker).range.load(std::memory_order_relaxed)).last; }
  /// Nobody runs what is left of the worker's own range.
  void forget(int worker) { at(worker).range.store(0, std::memory_order_relaxed); }

 private:
  struct alignas(64) place {
    MASLIN_ATOMIC<std::uint64_t> range{0};  ///< bits 63..32: the first block; 31..0: behind the last
  };

  static std::uint64_t packed(part p) {
    return static_cast<std::uint64_t>(p.first) << 32 | static_cast<std::uint64_t>(p.last);
  }
  static part unpacked(std::uint64_t range) {
    return {static_cast<std::int64_t>(range >> 32), static_cast<std::int64_t>(range & 0xffff'ffff)};
  }
  place& at(int worker) { return places_[static_cast<std::size_t>(worker)]; }

  /// Takes one of so many parts of a range, if that is as much as is wanted. Relaxed: what the blocks need was made
  /// before the loop began, and comes with the invitation.
  template <class Cut>
  std::optional<part> cut(int of, int parts, std::int64_t least, Cut&& cut_from) {
    MASLIN_ATOMIC<std::uint64_t>& range = at(of).range;
    std::uint64_t before = range.load(std::memory_order_relaxed);
    for (;;) {
      part rest = unpacked(before);
      const std::int64_t size = loop_policy::share(rest.size(), parts);
      if (size < least) return std::nullopt;
      const part taken = cut_from(rest, size);
      if (range.compare_exchange_weak(before, packed(rest), std::memory_order_relaxed)) return taken;
    }
  }

  const int workers_;
  const std::int64_t grain_;
  std::array<place, most_workers> places_;
};

}  // namespace maslin
