#pragma once
// What a rank does in an iteration, in all forms: for each octant, each block of angles and each block of planes it
// gets the inflow, sweeps the block and hands the outflow on.

#include <cstdint>
#include <memory>

#include "sweep/block.hpp"
#include "sweep/domain.hpp"
#include "sweep/solution.hpp"

namespace sweep {

/// The ranks beside one, -1 at the boundary.
struct neighbours {
  neighbours(const deck& of, const part& mine);
  int west, east, south, north;
  int upstream_i(const octant& o) const { return o.i > 0 ? west : east; }
  int downstream_i(const octant& o) const { return o.i > 0 ? east : west; }
  int upstream_j(const octant& o) const { return o.j > 0 ? south : north; }
  int downstream_j(const octant& o) const { return o.j > 0 ? north : south; }
};

/// Gives a block of an iteration by its number, without its directions.
block block_at(const deck& of, int number);

/// How a form brings faces from rank to rank.
class exchange {
 public:
  virtual ~exchange() = default;
  /// Makes `faces.i` and `faces.j` point to what has come from the ranks upstream, or to room for it at the boundary.
  virtual void receive(const block& b, surfaces& faces) = 0;
  /// Hands what they point to now to the ranks downstream.
  virtual void send(const block& b, const surfaces& faces) = 0;
  /// Returns when the iteration's last faces have gone.
  virtual void finish() {}
};

/// Gives how many cells of the rank's part were fixed.
std::int64_t sweep_all(domain& d, outflow& leaving, exchange& between, block_sweeper& blocks, bool fixups);

}  // namespace sweep
