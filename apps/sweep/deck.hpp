#pragma once
// What is to be computed, and how it is cut: the numbers of an input file of ASCI Sweep3D.

#include <array>
#include <cstdint>
#include <string>

namespace sweep {

constexpr int most_cells = 1 << 20;  ///< along an axis
constexpr int most_ranks = 1 << 16;  ///< in all

/// The values that stand here are those of the benchmark's problem of 50 x 50 x 50 cells.
struct deck {
  int ranks_i = 2, ranks_j = 3;  ///< NPE_I, NPE_J
  int planes = 10;               ///< MK: k-planes of a block
  int block_angles = 3;          ///< MMI: angles of a block; divides `angles`

  std::array<int, 3> cells = {50, 50, 50};  ///< IT_G, JT_G, KT
  int angles = 6;                           ///< MM: angles of an octant, 3 (S4) or 6 (S6)
  int order = 1;                            ///< ISCT: of the scattering, 0 or 1

  std::array<double, 3> width = {.1, .1, .1};  ///< DX, DY, DZ: of a cell
  double epsi = -12;                           ///< EPSI: the largest error at the end; if negative, so many iterations
  int most_iterations = 1 << 20;               ///< whatever the error is; no field of the input

  std::array<bool, 3> reflective = {};  ///< IBC, JBC, KBC: is the boundary at 0 a mirror? The other one is a vacuum

  bool currents = true;  ///< IDSA: are the faces' currents computed?
  int fixups = -7;       ///< IFIXUPS: 0 never, 1 always, -n after n iterations

  int moments() const { return order == 0 ? 1 : 4; }
  std::int64_t ranks() const { return std::int64_t{ranks_i} * ranks_j; }
  /// Gives how much memory a run takes, for arrays over cells and the boundary.
  double bytes() const;
  int blocks() const { return 8 * (angles / block_angles) * ((cells[2] + planes - 1) / planes); }  ///< an iteration
  /// Are negative fluxes fixed in that iteration, counted from 1?
  bool fixes_in(int iteration) const { return fixups > 0 || (fixups < 0 && iteration > -fixups); }
  /// Is that iteration the last?
  bool ends_after(int iteration, double error) const;
};

/// Reads an input file of Sweep3D. Throws `maslin::error` with file, line, field, what was found and what is expected.
deck read_deck(const std::string& path);

/// Throws `maslin::error` unless the angles can be cut so, there are not too many ranks, and each gets cells.
void expect_sound(const deck& of);

}  // namespace sweep
