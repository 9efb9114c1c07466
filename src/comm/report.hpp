#pragma once
// How a process tells others how its ranks are. exec/ranks/ACROSS.md states the protocol.

#include <cstdint>
#include <optional>

#include "base/atomic.hpp"

namespace maslin::comm {

/// How the ranks of a process were found at one moment.
struct ranks_found {
  /// One moves, all have ended, or those sleep that have not.
  enum class how : std::uint32_t { moving, ended, asleep };
  how are = how::moving;
  std::uint64_t sleeps = 0;   ///< how often they fell asleep, all together
  std::uint64_t handled = 0;  ///< packets that the process had read
  bool operator==(const ranks_found&) const = default;
};

/// The last one that was told, in memory that all processes have. All zeros: none was. One thread tells.
class report {
 public:
  /// `find()` gives a `ranks_found`.
  template <class Find>
  void tell(Find&& find) {
    const std::uint64_t before = number_.load(std::memory_order_relaxed);
    number_.store(before + 1, std::memory_order_relaxed);  // who sees a part of what follows sees this, too
    const ranks_found now = find();
    are_.store(now.are, std::memory_order_release);
    sleeps_.store(now.sleeps, std::memory_order_release);
    handled_.store(now.handled, std::memory_order_release);
    number_.store(before + 2, std::memory_order_release);
  }

  struct seen {
    ranks_found found;
    std::uint64_t number = 0;
    /// Is it the second one that was begun after that moment, or a later one? `number` was the number then.
    bool is_well_behind(std::uint64_t then) const noexcept { return number >= then + 4; }
  };
  /// Any thread's: gives it as a whole; nothing where none was told yet, or one is being told.
  std::optional<seen> look() const noexcept {
    const std::uint64_t before = number();
    if (before == 0 || before % 2 == 1) return {};
    const seen one{{are_.load(std::memory_order_acquire), sleeps_.load(std::memory_order_acquire),
                    handled_.load(std::memory_order_acquire)},
                   before};
    if (number_.load(std::memory_order_relaxed) != before) return {};
    return one;
  }
  /// Rises by one when a report is begun, and by one when it is there.
  std::uint64_t number() const noexcept { return number_.load(std::memory_order_acquire); }

 private:
  MASLIN_ATOMIC<std::uint64_t> number_{0};
  MASLIN_ATOMIC<ranks_found::how> are_{ranks_found::how::moving};
  MASLIN_ATOMIC<std::uint64_t> sleeps_{0}, handled_{0};
};

}  // namespace maslin::comm
