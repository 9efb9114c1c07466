#pragma once
// The software cache of a local store, the least recently used copy first (CellSs, section 5.3.3): what ended tasks
// have left, and what tasks only read, which others may read beside them. README.md says which of them may serve a
// task, which reach memory when, and why.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "exec/store/arena.hpp"
#include "exec/store/platform.hpp"
#include "graph/region.hpp"

namespace maslin::store {

/// A copy that no task has to itself; its home is not empty.
struct kept {
  graph::region home;
  std::byte* at = nullptr;
  std::uint64_t left = 0;              ///< it serves tasks that were born before that tick
  bool is_dirty = false;               ///< memory has not got it
  bool is_ahead = false;               ///< memory may lack it: it was fetched from a dirty copy of another store
  bool is_over = false;                ///< nobody finds it any more; its last user frees it
  unsigned users = 0;                  ///< tasks here that read it, and other stores that fetch it
  std::optional<tag> comes_with = {};  ///< what it was fetched with
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

  /// Gives the copy of that region, or the one that lies there; null where there is none. Good until one is added or
  /// removed.
  kept* find(const graph::region& home) noexcept;
  kept* find(const std::byte* at) noexcept;
  /// Gives the one without users that was not used for the longest time, or null.
  kept* oldest() noexcept;
  /// Adds a copy as the one that was used last; there are fewer than `most`, and none of its region.
  void add(const kept& one) noexcept;
  /// Takes one out that has no users; its place in the arena stays taken.
  kept take_out(kept* one) noexcept;
  /// There is one user more, or one less: then it is the one that was used last.
  void begin_use(kept& one) noexcept;
  void end_use(kept* one) noexcept;
  /// It is over.
  void drop(kept* one) noexcept;

  bool is_full() const noexcept { return all_.size() == most; }
  std::span<kept> all() noexcept { return all_; }
  /// Drops those of which `is_over(one)` says so.
  template <class IsOver>
  void drop_if(IsOver&& is_over) noexcept {
    drop_from(0, is_over);
  }
  /// Drops those that overlap the region; calls `before(one)` for each. Quick where there are none.
  template <class Before>
  void drop_overlapping(const graph::region& r, Before&& before) noexcept {
    drop_from(first_near(r), [&](const kept& one) {
      const bool drops = overlap(r, one.home);
      if (drops) before(one);
      return drops;
    });
  }

  /// Gives how much of the arena those have that have no users.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  /// The addresses between which a copy's home lies.
  struct extent {
    std::uintptr_t start, end;
  };

  /// Gives the place of the first one that can overlap the region; the number of all where there is none.
  std::size_t first_near(const graph::region& r) const noexcept;
  void free(const kept& one) noexcept;
  void take_name_away(std::size_t which) noexcept;
  template <class IsOver>
  void drop_from(std::size_t first, IsOver&& is_over) noexcept {
    std::size_t left = first;
    for (std::size_t i = first; i < all_.size(); ++i) {
      if (!all_[i].is_over && is_over(std::as_const(all_[i]))) {
        if (all_[i].users == 0) {
          free(all_[i]);
          continue;
        }
        take_name_away(i);
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
