#pragma once
// The software cache of a local store: copies that ended tasks have left there, the least recently used first (CellSs,
// section 5.3.3). README.md says which of them may serve again, which reach memory when, and why.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exec/store/arena.hpp"
#include "graph/region.hpp"

namespace maslin::store {

/// A copy that an ended task has left; its home is not empty.
struct kept {
  graph::region home;
  std::byte* at = nullptr;
  std::uint64_t left = 0;  ///< at that tick
  bool is_dirty = false;   ///< memory has not got it
};

class kept_copies {
 public:
  /// So many at most: the end of a task that writes looks at all of them.
  static constexpr std::size_t most = 256;

  /// They lie in that arena.
  explicit kept_copies(arena& in) : in_(in) {
    all_.reserve(most);
    extents_.reserve(most);
  }

  /// Takes out the copy of that region that may serve a task which was born then: one that is dirty serves every task.
  std::optional<kept> take(const graph::region& home, std::optional<std::uint64_t> born) noexcept;
  /// Takes out the one that was not used for the longest time.
  std::optional<kept> take_oldest() noexcept;
  /// Keeps a copy, in place of an older one of the region; there are fewer than `most`.
  void keep(const kept& one) noexcept;
  bool is_full() const noexcept { return all_.size() == most; }
  std::span<kept> all() noexcept { return all_; }
  /// Drops all of which `is_over(one)` says so.
  template <class IsOver>
  void drop_if(IsOver&& is_over) noexcept {
    drop_from(0, is_over);
  }
  /// Drops all that overlap the region; calls `before(one)` for each. Quick where there are none.
  template <class Before>
  void drop_overlapping(const graph::region& r, Before&& before) noexcept {
    drop_from(first_near(r), [&](const kept& one) {
      const bool drops = overlap(r, one.home);
      if (drops) before(one);
      return drops;
    });
  }

  /// Gives how much of the arena they have.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  /// The addresses between which a copy's home lies.
  struct extent {
    std::uintptr_t start, end;
  };

  /// Gives the place of the first one that can overlap the region; the number of all where there is none.
  std::size_t first_near(const graph::region& r) const noexcept;
  /// Gives the place of the region's copy; likewise.
  std::size_t find(const graph::region& home) const noexcept;
  kept take_out(std::size_t which) noexcept;
  void drop(const kept& one) noexcept;
  template <class IsOver>
  void drop_from(std::size_t first, IsOver&& is_over) noexcept {
    std::size_t left = first;
    for (std::size_t i = first; i < all_.size(); ++i) {
      if (is_over(std::as_const(all_[i]))) {
        drop(all_[i]);
        continue;
      }
      all_[left] = all_[i];
      extents_[left++] = extents_[i];
    }
    all_.resize(left);
    extents_.resize(all_.size());
  }

  arena& in_;
  std::vector<kept> all_;
  std::vector<extent> extents_;  ///< of each in `all_`: a look at all of them reads these
  std::size_t bytes_ = 0;
};

}  // namespace maslin::store
