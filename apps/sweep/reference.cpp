#include "sweep/reference.hpp"

#include <algorithm>
#include <cmath>

#include "maslin/runtime.hpp"
#include "sweep/cell.hpp"

namespace sweep {

namespace {

using numbers = std::vector<double>;

class serial {
 public:
  explicit serial(const problem& of)
      : of_(of),
        ni_(of.with.cells[0]),
        nj_(of.with.cells[1]),
        nk_(of.with.cells[2]),
        moments_(static_cast<std::size_t>(of.with.moments())),
        found_(of) {
    before_.resize(of.cells());
    for (std::size_t n = 0; n < moments_; ++n) source_[n].resize(of.cells());
    if (of.with.currents) {
      current_[0].resize(size(ni_ + 1) * size(nj_) * size(nk_));
      current_[1].resize(size(ni_) * size(nj_ + 1) * size(nk_));
      current_[2].resize(size(ni_) * size(nj_) * size(nk_ + 1));
    }
  }

  solution solve() {
    for (int number = 1;; ++number) {
      const auto began = maslin::time();
      make_source();
      for (numbers& faces : current_) std::ranges::fill(faces, 0.0);
      std::int64_t fixups = 0;
      for (int o = 0; o < 8; ++o)
        for (int m = 0; m < static_cast<int>(of_.angles.size()); ++m) fixups += sweep(o, m, of_.with.fixes_in(number));
      const double error = change();
      found_.iterations.push_back({error, fixups, (maslin::time() - began).count()});
      if (of_.with.ends_after(number, error)) break;
    }
    if (of_.with.currents) found_.imbalance = imbalance();
    return std::move(found_);
  }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  std::size_t cell(int i, int j, int k) const { return (size(k) * size(nj_) + size(j)) * size(ni_) + size(i); }
  double& through_i(int i, int j, int k) {
    return current_[0][(size(k) * size(nj_) + size(j)) * size(ni_ + 1) + size(i)];
  }
  double& through_j(int i, int j, int k) {
    return current_[1][(size(k) * size(nj_ + 1) + size(j)) * size(ni_) + size(i)];
  }
  double& through_k(int i, int j, int k) { return current_[2][cell(i, j, k)]; }

  template <class Do>
  void each_cell(const Do& act) {
    for (int k = 0; k < nk_; ++k)
      for (int j = 0; j < nj_; ++j)
        for (int i = 0; i < ni_; ++i) act(i, j, k, cell(i, j, k));
  }

  void make_source() {
    each_cell([&](int i, int j, int k, std::size_t c) {
      const material m = of_.at(i, j, k);
      source_[0][c] = m.external + m.scatter[0] * found_.flux[0][c];
      for (std::size_t n = 1; n < moments_; ++n) source_[n][c] = m.scatter[1] * found_.flux[n][c];
      before_[c] = found_.flux[0][c];
      for (std::size_t n = 0; n < moments_; ++n) found_.flux[n][c] = 0;
    });
  }

  double change() {
    double most = 0;
    each_cell([&](int, int, int, std::size_t c) {
      const double now = found_.flux[0][c];
      if (now != 0) most = std::max(most, std::abs((now - before_[c]) / now));
    });
    return most;
  }

  /// Gives how many cells were fixed.
  std::int64_t sweep(int number, int m, bool fixups) {
    const octant o = octants[size(number)];
    const angle& a = of_.angles[size(m)];
    const auto [di, dj, dk] = of_.with.width;
    const double ci = a.mu * (2.0 / di), cj = a.eta * (2.0 / dj), ck = a.xi * (2.0 / dk);
    double harmonic[4];
    for (int n = 0; n < 4; ++n) harmonic[n] = of_.harmonic(n, o, a);
    const double along_i = o.i * a.mu * a.weight, along_j = o.j * a.eta * a.weight, along_k = o.k * a.xi * a.weight;
    const int i_in = o.i > 0 ? 0 : 1, j_in = o.j > 0 ? 0 : 1, k_in = o.k > 0 ? 0 : 1;  // faces of a cell
    const auto at = [](int n, int cells, int sign) { return sign > 0 ? n : cells - 1 - n; };
    const auto is_mirror = [&](std::size_t axis, int sign) { return sign > 0 && of_.with.reflective[axis]; };
    std::int64_t fixed = 0;
    numbers in_k(size(ni_) * size(nj_)), in_j(size(ni_));
    for (int nk = 0; nk < nk_; ++nk) {
      const int k = at(nk, nk_, o.k);
      for (int nj = 0; nj < nj_; ++nj) {
        const int j = at(nj, nj_, o.j);
        double in_i = is_mirror(0, o.i) ? found_.leaving.i(mirrored(number, 4), m, j, k) : 0.0;
        if (of_.with.currents) through_i(at(0, ni_, o.i) + i_in, j, k) += along_i * in_i;
        for (int ni = 0; ni < ni_; ++ni) {
          const int i = at(ni, ni_, o.i);
          const std::size_t c = cell(i, j, k);
          double& row = in_j[size(i)];
          double& column = in_k[size(j) * size(ni_) + size(i)];
          if (nj == 0) {
            row = is_mirror(1, o.j) ? found_.leaving.j(mirrored(number, 2), m, i, k) : 0.0;
            if (of_.with.currents) through_j(i, j + j_in, k) += along_j * row;
          }
          if (nk == 0) {
            column = is_mirror(2, o.k) ? found_.leaving.k(mirrored(number, 1), m, i, j) : 0.0;
            if (of_.with.currents) through_k(i, j, k + k_in) += along_k * column;
          }
          double source = source_[0][c];
          for (std::size_t n = 1; n < moments_; ++n) source += harmonic[n] * source_[n][c];
          const cell_flux f = solve_cell({source, of_.at(i, j, k).total, ci, cj, ck, in_i, row, column}, fixups);
          in_i = f.i;
          row = f.j;
          column = f.k;
          fixed += f.fixed ? 1 : 0;
          found_.flux[0][c] += a.weight * f.mean;
          for (std::size_t n = 1; n < moments_; ++n) found_.flux[n][c] += harmonic[n] * a.weight * f.mean;
          if (of_.with.currents) {
            through_i(i + 1 - i_in, j, k) += along_i * f.i;
            through_j(i, j + 1 - j_in, k) += along_j * f.j;
            through_k(i, j, k + 1 - k_in) += along_k * f.k;
          }
          if (nj == nj_ - 1) found_.leaving.j(number, m, i, k) = row;
          if (nk == nk_ - 1) found_.leaving.k(number, m, i, j) = column;
        }
        found_.leaving.i(number, m, j, k) = in_i;
      }
    }
    return fixed;
  }

  double imbalance() {
    double weights = 0, most = 0, largest = 0;
    for (const angle& a : of_.angles) weights += 8 * a.weight;
    const double di = of_.with.width[0], dj = of_.with.width[1], dk = of_.with.width[2];
    each_cell([&](int i, int j, int k, std::size_t c) {
      const double leaves = (through_i(i + 1, j, k) - through_i(i, j, k)) / di +
                            (through_j(i, j + 1, k) - through_j(i, j, k)) / dj +
                            (through_k(i, j, k + 1) - through_k(i, j, k)) / dk;
      const double gain = weights * source_[0][c];
      most = std::max(most, std::abs(leaves + of_.at(i, j, k).total * found_.flux[0][c] - gain));
      largest = std::max(largest, std::abs(gain));
    });
    return largest > 0 ? most / largest : 0;
  }

  const problem& of_;
  int ni_, nj_, nk_;
  std::size_t moments_;
  solution found_;
  numbers before_;
  std::array<numbers, 4> source_;
  std::array<numbers, 3> current_;
};

}  // namespace

solution solve_serially(const problem& of) { return serial(of).solve(); }

}  // namespace sweep
