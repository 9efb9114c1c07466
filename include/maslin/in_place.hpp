#pragma once
// Members of a group that its creator runs on its own stack before it goes on.

#include <atomic>
#include <cstdint>

#include "maslin/api.hpp"

namespace maslin::detail {

/// Counts them; changed by the group's creator alone, with plain stores (src/task/README.md). Who else waits for them
/// looks for these, sleeps, and is woken when one is over.
template <template <class> class Atomic>
class in_place_members_of {
 public:
  /// One begins; gives how many did before.
  std::uint64_t begin() noexcept {
    const std::uint64_t before = begun();
    begun_.store(before + 1, std::memory_order_relaxed);
    return before;
  }
  /// The last that has begun is over. From then on the group may be gone. `awaited`: does anybody wait for members of
  /// a group? Then `wake(members)` is called.
  template <class Wake>
  void end(const Atomic<bool>& awaited, Wake&& wake) noexcept {
    over_.store(over_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // who waits brings the processor's fence
    if (awaited.load(std::memory_order_relaxed)) [[unlikely]]
      wake(this);
  }
  std::uint64_t begun() const noexcept { return begun_.load(std::memory_order_relaxed); }
  /// Are all over of whose beginning the caller knows? What they did is visible then.
  bool are_over() const noexcept {
    const std::uint64_t over = over_.load(std::memory_order_acquire);
    return begun() == over;
  }

 private:
  Atomic<std::uint64_t> begun_{0};
  Atomic<std::uint64_t> over_{0};
};

/// Does anybody wait for such members?
MASLIN_API extern constinit std::atomic<bool> in_place_awaited;
/// Wakes who waits for these, of which nothing is left, perhaps.
MASLIN_API void wake_in_place(const in_place_members_of<std::atomic>* members) noexcept;

}  // namespace maslin::detail
