#pragma once
// A rank's part of the grid: its cells in i and j, and all in k.

#include <array>
#include <cstddef>
#include <vector>

#include "sweep/line.hpp"
#include "sweep/problem.hpp"

namespace sweep {

/// Which cells a rank has. Ranks stand in rows along i; where cells do not come out even, the first ranks have more.
struct part {
  part(const deck& of, int rank);
  int rank_i, rank_j;
  int first_i, first_j;
  int ni, nj, nk;
};

class domain : public part {
 public:
  domain(const problem& whole, int rank);

  const problem& of;
  std::array<std::vector<double>, 4> flux;

  /// Makes the source of the next sweep, and sets fluxes and currents to 0.
  void make_source();
  /// Gives the largest relative change of a scalar flux since `make_source`.
  double change() const;
  /// Gives the largest imbalance of a cell and the largest source; see `solution::imbalance`.
  std::array<double, 2> imbalance() const;

  /// Gives the line of cells (j, k), in that octant, without the fluxes of its faces.
  line line_at(int j, int k, const octant& towards);
  /// Adds the current through the faces by which particles come in: of the line (j, k), of a cell of it, in j or in k.
  void come_in_i(const octant& towards, int j, int k, double current) {
    if (of.with.currents) current_[0][row(j, k, nj) * size(ni + 1) + size(towards.i > 0 ? 0 : ni)] += current;
  }
  void come_in_j(const octant& towards, int i, int k, double current) {
    if (of.with.currents) current_[1][row(towards.j > 0 ? 0 : nj, k, nj + 1) * size(ni) + size(i)] += current;
  }
  void come_in_k(const octant& towards, int i, int j, double current) {
    if (of.with.currents) current_[2][row(j, towards.k > 0 ? 0 : nk, nj) * size(ni) + size(i)] += current;
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static std::size_t row(int j, int k, int rows) { return size(k) * size(rows) + size(j); }
  std::size_t moments() const { return size(of.with.moments()); }

  std::vector<double> total_, external_, before_, widths_;
  std::array<std::vector<double>, 2> scatter_;
  std::array<std::vector<double>, 4> source_;
  std::array<std::vector<double>, 3> current_;  ///< through faces: one more of them than cells along its axis
};

}  // namespace sweep
