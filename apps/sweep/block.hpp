#pragma once
// What a rank sweeps between two messages: some planes in k, in some angles of an octant.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweep/domain.hpp"
#include "sweep/line.hpp"

namespace sweep {

struct block {
  int number;  ///< in an iteration, from 0
  int octant;
  int first_angle, angles;
  int first_step, planes;  ///< steps in k, counted as the octant's particles fly
  const directions* towards;

  /// Gives the plane of a step in k, or the row of one in j, as its particles fly.
  int plane(int step, int nk) const { return towards->towards.k > 0 ? first_step + step : nk - 1 - first_step - step; }
  int row(int step, int nj) const { return towards->towards.j > 0 ? step : nj - 1 - step; }
  /// Gives how many fluxes its faces in i or j have, of a part with so many cells across.
  std::size_t face(int cells) const {
    return std::size_t{1} * static_cast<unsigned>(planes) * static_cast<unsigned>(cells) *
           static_cast<unsigned>(angles);
  }
};

/// The fluxes of a block's faces: those that come in become those that leave. Those in i and j have the form in which
/// they are sent: no lanes are left over.
struct surfaces {
  double* i;              ///< [step in k][j][angle]
  double* j;              ///< [step in k][i][angle]
  std::vector<double> k;  ///< [j][i][lane]; stays with the rank

  std::vector<double> rows;  ///< [step in k][i][lane]: those in j while the block is swept
};

/// How a form sweeps a block whose inflow is there.
class block_sweeper {
 public:
  virtual ~block_sweeper() = default;
  /// Gives how many cells were fixed.
  virtual std::int64_t sweep(const block& b, surfaces& faces, bool fixups) = 0;
  /// Bytes that were copied into and out of a store since the last call.
  virtual double staged_bytes() { return 0; }
};

/// Gives the line at a step in k and a row, with the faces' fluxes.
inline line line_of(domain& d, const block& b, surfaces& faces, int step, int j) {
  line l = d.line_at(j, b.plane(step, d.nk), b.towards->towards);
  const int lanes = lanes_of(b.angles);
  l.i = faces.i + (std::ptrdiff_t{step} * d.nj + j) * b.angles;
  l.j = faces.rows.data() + std::ptrdiff_t{step} * d.ni * lanes;
  l.k = faces.k.data() + std::ptrdiff_t{j} * d.ni * lanes;
  return l;
}

}  // namespace sweep
