#pragma once
// The software cache of a local store: copies that ended tasks have left there, the least recently used first (CellSs,
// section 5.3.3). README.md says which of them may serve again, and why.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/store/arena.hpp"
#include "graph/region.hpp"

namespace maslin::store {

class kept_copies {
 public:
  /// So many at most: the end of a task that writes looks at all of them.
  static constexpr std::size_t most = 256;

  /// They lie in that arena.
  explicit kept_copies(arena& in) : in_(in) { all_.reserve(most); }

  /// Takes out the copy of that region that may serve a task which was born then; null if there is none.
  std::byte* take(const graph::region& home, std::uint64_t born) noexcept;
  /// Keeps a copy that was left at that tick, in place of an older one of the region; gives whether another had to go.
  bool keep(const graph::region& home, std::byte* at, std::uint64_t left) noexcept;
  /// Drops the one that was not used for the longest time; false if there is none.
  bool evict() noexcept;
  /// Drops all that have a byte in common with one of the regions.
  void end(std::span<const graph::region> written) noexcept;

  /// Gives how much of the arena they have.
  std::size_t bytes() const noexcept { return bytes_; }

 private:
  struct kept {
    graph::region home;
    std::byte* at;
    std::uint64_t left;
  };
  void drop(const kept& one) noexcept;

  arena& in_;
  std::vector<kept> all_;
  std::size_t bytes_ = 0;
};

}  // namespace maslin::store
