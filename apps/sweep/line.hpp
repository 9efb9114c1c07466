#pragma once
// The inner kernel: a line of cells along i, in all angles of a block at once, an angle a SIMD lane. The angles of a
// cell are independent of each other; the cells of a line are not.

#include <cstdint>

#include "sweep/problem.hpp"

namespace sweep {

constexpr int most_lanes = 8;

/// Gives the lanes that so many angles take: the next power of two.
constexpr int lanes_of(int angles) { return angles <= 2 ? angles : angles <= 4 ? 4 : 8; }

/// The angles of a block, in an octant. Lanes that are left over repeat the last angle.
struct directions {
  directions(const problem& of, int octant_number, int first_angle, int count);

  int count;
  octant towards;
  double mu[most_lanes], eta[most_lanes], xi[most_lanes];
  double harmonic[4][most_lanes];  ///< of moments
  double weight[4][most_lanes];    ///< with which a cell's flux counts in a moment
  double along[3][most_lanes];     ///< and in the currents along the axes
};

/// A line of n cells: what is read, and what is added to. Cells stand in the order of their i, whichever way they are
/// swept.
struct line {
  int cells;
  const double* widths;     ///< 2 / width of each cell
  double hj, hk;            ///< 2 / width in j and k
  const double* total;      ///< cross section
  const double* source[4];  ///< moments
  double* flux[4];          ///< moments
  double* current[3];       ///< through the faces by which particles leave; null where they are not wanted

  /// The fluxes that come in, then those that leave: of each angle, at the ends of the line.
  double* i;
  /// The same through the faces in j and k of each cell. Its lanes lie side by side; those left over repeat the last.
  double *j, *k;
};

/// Gives how many cells were fixed, counted for each angle. Moments are 1 or 4.
using line_kernel = std::int64_t (*)(const line& of, const directions& d);

/// A kernel for each number of angles, by moments and fixups.
struct line_kernels {
  line_kernel by[4][2][2];
  line_kernel of(int angles, int moments, bool fixups) const {
    const int row = angles == 6 ? 3 : angles - 1;
    return by[row][moments == 1 ? 0 : 1][fixups ? 1 : 0];
  }
};
extern const line_kernels baseline_lines;
#if defined(__x86_64__)
extern const line_kernels avx2_lines, avx512_lines;
#endif

/// Gives the fastest that this processor runs. The results of all are the same to the last bit.
const line_kernels& choose_lines();

}  // namespace sweep
