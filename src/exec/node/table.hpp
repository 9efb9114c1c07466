#pragma once
// The table that the processes of one job share on a node: who owns each CPU and who uses it. It lies in memory that
// all of them map; every change is one compare-and-swap, so a process that dies leaves no lock behind and nothing half
// done. README.md holds states, protocol, races and proof.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/atomic.hpp"

namespace maslin::node {

inline constexpr int nobody = -1;

/// One CPU, as its word says.
struct cpu_state {
  bool present = false;  ///< somebody brought it into the table
  int owner = nobody;    ///< slot of the process that gets it back whenever it asks
  int user = nobody;     ///< slot of the process that may run a worker there
  friend bool operator==(const cpu_state&, const cpu_state&) = default;
};

/// The word of one CPU:
///
///   bits 63..33  generation: every change counts, so that a late compare-and-swap fails
///   bit  32      present
///   bits 31..16  user's slot + 1, 0 for nobody
///   bits 15..0   owner's slot + 1, 0 for nobody
///
/// All operations are sequentially consistent: "a CPU is free" against "I am looking for one" is a store on each side
/// followed by a load of the other's (README, race 2).
class shared_cpu {
 public:
  cpu_state look() const { return unpack(word_.load(std::memory_order_seq_cst)); }

  /// Brings an absent CPU in, as the caller's own and in its use. False when it is there.
  bool bring(int me) {
    return change([&](cpu_state& s) {
             if (s.present) return false;
             s = {true, me, me};
             return true;
           })
        .has_value();
  }
  /// The user stops using it. False when it is not the user: then its owner has taken it.
  bool give(int me) {
    return change([&](cpu_state& s) {
             if (s.user != me) return false;
             s.user = nobody;
             return true;
           })
        .has_value();
  }
  /// Takes a CPU that nobody uses.
  bool borrow(int me) {
    return change([&](cpu_state& s) {
             if (!s.present || s.user != nobody) return false;
             s.user = me;
             return true;
           })
        .has_value();
  }
  /// The owner uses its CPU again, whoever does now. Gives the state before; nothing when it is not the owner's or in
  /// its use already.
  std::optional<cpu_state> take_back(int me) {
    return change([&](cpu_state& s) {
      if (s.owner != me || s.user == me) return false;
      s.user = me;
      return true;
    });
  }
  /// The CPU becomes the caller's own and comes into its use, if `from` (which may be nobody) owns it. Gives the state
  /// before.
  std::optional<cpu_state> acquire(int from, int me) {
    return change([&](cpu_state& s) {
      if (!s.present || s.owner != from || from == me) return false;
      s.owner = s.user = me;
      return true;
    });
  }
  /// Takes a process out that is no more, or leaves. Gives whether it was there.
  bool forget(int slot) {
    return change([&](cpu_state& s) {
             if (s.owner != slot && s.user != slot) return false;
             if (s.owner == slot) s.owner = nobody;
             if (s.user == slot) s.user = nobody;
             return true;
           })
        .has_value();
  }

 private:
  static constexpr std::uint64_t present_bit = std::uint64_t{1} << 32;
  static constexpr std::uint64_t one_generation = std::uint64_t{1} << 33;

  static cpu_state unpack(std::uint64_t word) {
    return {(word & present_bit) != 0, static_cast<int>(word & 0xffff) - 1, static_cast<int>(word >> 16 & 0xffff) - 1};
  }
  static std::uint64_t pack(const cpu_state& s) {
    return (s.present ? present_bit : 0) | static_cast<std::uint64_t>(s.user + 1) << 16 |
           static_cast<std::uint64_t>(s.owner + 1);
  }

  /// Applies `step` to the state until it refuses or the change took hold; gives the state before the change.
  template <class Step>
  std::optional<cpu_state> change(Step&& step) {
    std::uint64_t word = word_.load(std::memory_order_seq_cst);
    for (;;) {
      const cpu_state before = unpack(word);
      cpu_state after = before;
      if (!step(after)) return std::nullopt;
      const std::uint64_t next = pack(after) | ((word & ~(one_generation - 1)) + one_generation);
      if (word_.compare_exchange_weak(word, next, std::memory_order_seq_cst, std::memory_order_seq_cst)) return before;
    }
  }

  MASLIN_ATOMIC<std::uint64_t> word_{0};
};

/// One process of the job.
struct alignas(64) slot {
  // Written by whoever has the kernel's lock of this slot (segment.hpp).
  MASLIN_ATOMIC<std::uint32_t> process{0};   ///< its number; 0: the slot is free
  MASLIN_ATOMIC<std::uint64_t> began{0};     ///< its start time, because numbers are used again
  MASLIN_ATOMIC<std::uint64_t> affinity{0};  ///< a checksum of the CPUs that it was started with
  MASLIN_ATOMIC<std::uint64_t> name[2]{};    ///< its command

  // Written by others.
  MASLIN_ATOMIC<std::uint32_t> bell{0};   ///< a futex: something happened
  MASLIN_ATOMIC<std::uint32_t> taken{0};  ///< counts the CPUs in its use that their owners took back

  // Written by the process itself.
  MASLIN_ATOMIC<std::uint32_t> hungry{0};    ///< it has more work than CPUs and found none
  MASLIN_ATOMIC<std::uint32_t> working{1};   ///< its workers that take work
  MASLIN_ATOMIC<std::uint64_t> lent{0};      ///< how often it gave a CPU of its own
  MASLIN_ATOMIC<std::uint64_t> borrowed{0};  ///< how often it took another's
  MASLIN_ATOMIC<std::uint64_t> regained{0};  ///< how often it took its own back from another
};

struct header {
  MASLIN_ATOMIC<std::uint64_t> layout{0};  ///< says what lies here and in which version; written last
  std::uint32_t slots = 0;
  std::uint32_t cpus = 0;
  MASLIN_ATOMIC<std::uint32_t> slots_used{0};  ///< no slot from here on was ever taken
};

/// The table as one process sees it.
struct table {
  slot* slots = nullptr;
  shared_cpu* cpus = nullptr;
  int slot_count = 0;
  int cpu_count = 0;
  const MASLIN_ATOMIC<std::uint32_t>* slots_used = nullptr;

  /// The end of the slots that may hold somebody.
  int slot_end() const {
    if (!slots_used) return slot_count;
    return static_cast<int>(
        std::min(slots_used->load(std::memory_order_seq_cst), static_cast<std::uint32_t>(slot_count)));
  }

  slot& at(int s) const { return slots[s]; }
  shared_cpu& cpu(int c) const { return cpus[c]; }
};

/// Wakes who sleeps at this bell. Defined in bell.cpp for processes, and by tests/interleavings for its threads.
void wake_sleepers(MASLIN_ATOMIC<std::uint32_t>& bell);

inline void ring(slot& s) {
  s.bell.fetch_add(1, std::memory_order_seq_cst);
  wake_sleepers(s.bell);
}

}  // namespace maslin::node
