#pragma once
// What comes out: fluxes, what left through the boundary, the iterations, and the balance of particles.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sweep/problem.hpp"

namespace sweep {

/// The angular fluxes that leave through the boundary, of all angles: what balance and mirrors need. Ranks write their
/// parts of it.
class outflow {
 public:
  explicit outflow(const problem& of);
  double& i(int octant, int angle, int j, int k) { return i_[at(octant, angle, k, cells_[2]) * nj() + index(j)]; }
  double& j(int octant, int angle, int i, int k) { return j_[at(octant, angle, k, cells_[2]) * ni() + index(i)]; }
  double& k(int octant, int angle, int i, int j) { return k_[at(octant, angle, j, cells_[1]) * ni() + index(i)]; }
  double i(int octant, int angle, int j, int k) const { return i_[at(octant, angle, k, cells_[2]) * nj() + index(j)]; }
  double j(int octant, int angle, int i, int k) const { return j_[at(octant, angle, k, cells_[2]) * ni() + index(i)]; }
  double k(int octant, int angle, int i, int j) const { return k_[at(octant, angle, j, cells_[1]) * ni() + index(i)]; }

 private:
  static std::size_t index(int n) { return static_cast<std::size_t>(n); }
  std::size_t ni() const { return index(cells_[0]); }
  std::size_t nj() const { return index(cells_[1]); }
  std::size_t at(int octant, int angle, int row, int rows) const {
    return (index(octant) * angles_ + index(angle)) * index(rows) + index(row);
  }
  std::size_t angles_;
  std::array<int, 3> cells_;
  std::vector<double> i_, j_, k_;
};

struct iteration {
  double error;         ///< the largest relative change of a cell's scalar flux
  std::int64_t fixups;  ///< cells that were fixed, of all angles
  double seconds;       ///< of the described machine where there is one
};

struct solution {
  explicit solution(const problem& of);
  /// Flux moments, i fastest, then j, then k.
  std::array<std::vector<double>, 4> flux;
  outflow leaving;
  std::vector<iteration> iterations;
  /// The largest imbalance of a cell: net current through its faces and removal against its source, relative to the
  /// largest of all sources. 0 without currents or sources.
  double imbalance = 0;
  double staged_bytes = 0;  ///< that all ranks copied into and out of their stores in an iteration
};

/// Particles of the whole problem.
struct balance {
  double source, absorption;
  std::array<double, 6> leakage;  ///< of the faces at 0 and at the end of i, j, k, along the axes
};

/// Sums are made in an order that the problem alone decides, so they are the same however it was cut.
balance balance_of(const problem& of, const solution& found);

}  // namespace sweep
