#pragma once
// The software cache of a local store: copies that ended tasks have left there, the least recently used first (CellSs,
// section 5.3.3). README.md says which of them may serve again, which reach memory when, and why.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exec/store/arena.hpp"
#include "graph/region.hpp"

namespace maslin::store {

/// A copy that an ended task has left.
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
  explicit kept_copies(arena& in) : in_(in) { all_.reserve(most); }

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
    std::erase_if(all_, [&](const kept& one) {
      const bool drops = is_over(one);
      if (drops) drop(one);
      return drops;
    });
  }

  /// Gives how much of the arena they have.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  std::optional<kept> take_out(std::vector<kept>::iterator which) noexcept;
  void drop(const kept& one) noexcept;

  arena& in_;
  std::vector<kept> all_;
  std::size_t bytes_ = 0;
};

}  // namespace maslin::store
