#pragma once
// A store that is smaller than a rank's part of the grid: lines of cells are copied in, swept and copied back.

#include <cstdint>
#include <memory>

#include "sweep/block.hpp"

namespace sweep {

/// What fits into a store.
struct store_plan {
  /// Of a rank with that part. Faces stay in the store: `rings` messages of both kinds, and those that are worked on.
  store_plan(const deck& of, const part& mine, int rings);
  std::int64_t faces_bytes;  ///< of a block's faces
  std::int64_t line_bytes;   ///< of a line of cells
  std::int64_t all_lines;    ///< of the part
  /// Gives how many lines fit beside the faces.
  std::int64_t lines_in(std::int64_t bytes) const { return (bytes - faces_bytes) / line_bytes; }
};

/// Sweeps a block in pieces of so many lines.
std::unique_ptr<block_sweeper> make_sweeper_in_store(domain& d, std::int64_t lines);

}  // namespace sweep
