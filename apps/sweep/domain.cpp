#include "sweep/domain.hpp"

#include <algorithm>
#include <cmath>

namespace sweep {

namespace {

/// Gives where the part of one of so many ranks begins; the part of the last one's successor begins at the end.
int begin_of(int rank, int ranks, int cells) { return cells / ranks * rank + std::min(rank, cells % ranks); }

}  // namespace

part::part(const deck& of, int rank)
    : rank_i(rank % of.ranks_i),
      rank_j(rank / of.ranks_i),
      first_i(begin_of(rank_i, of.ranks_i, of.cells[0])),
      first_j(begin_of(rank_j, of.ranks_j, of.cells[1])),
      ni(begin_of(rank_i + 1, of.ranks_i, of.cells[0]) - first_i),
      nj(begin_of(rank_j + 1, of.ranks_j, of.cells[1]) - first_j),
      nk(of.cells[2]) {}

domain::domain(const problem& whole, int rank) : part(whole.with, rank), of(whole) {
  const std::size_t cells = size(ni) * size(nj) * size(nk);
  total_.reserve(cells);
  external_.reserve(cells);
  for (std::size_t n = 0; n < (moments() > 1 ? 2 : 1); ++n) scatter_[n].reserve(cells);
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j)
      for (int i = 0; i < ni; ++i) {
        const material m = of.at(first_i + i, first_j + j, k);
        total_.push_back(m.total);
        external_.push_back(m.external);
        scatter_[0].push_back(m.scatter[0]);
        if (moments() > 1) scatter_[1].push_back(m.scatter[1]);
      }
  before_.resize(cells);
  widths_.assign(size(ni), 2.0 / of.with.width[0]);
  for (std::size_t n = 0; n < moments(); ++n) {
    source_[n].resize(cells);
    flux[n].resize(cells);
  }
  if (!of.with.currents) return;
  current_[0].resize(size(ni + 1) * size(nj) * size(nk));
  current_[1].resize(size(ni) * size(nj + 1) * size(nk));
  current_[2].resize(size(ni) * size(nj) * size(nk + 1));
}

void domain::make_source() {
  for (std::size_t c = 0; c < total_.size(); ++c) source_[0][c] = external_[c] + scatter_[0][c] * flux[0][c];
  for (std::size_t n = 1; n < moments(); ++n)
    for (std::size_t c = 0; c < total_.size(); ++c) source_[n][c] = scatter_[1][c] * flux[n][c];
  before_ = flux[0];
  for (std::size_t n = 0; n < moments(); ++n) std::ranges::fill(flux[n], 0.0);
  for (std::vector<double>& faces : current_) std::ranges::fill(faces, 0.0);
}

double domain::change() const {
  double most = 0;
  for (std::size_t c = 0; c < total_.size(); ++c)
    if (flux[0][c] != 0) most = std::max(most, std::abs((flux[0][c] - before_[c]) / flux[0][c]));
  return most;
}

std::array<double, 2> domain::imbalance() const {
  if (!of.with.currents) return {0, 0};
  double weights = 0, most = 0, largest = 0;
  for (const angle& a : of.angles) weights += 8 * a.weight;
  const auto [di, dj, dk] = of.with.width;
  std::size_t c = 0;
  for (int k = 0; k < nk; ++k)
    for (int j = 0; j < nj; ++j)
      for (int i = 0; i < ni; ++i, ++c) {
        const std::size_t west = row(j, k, nj) * size(ni + 1) + size(i), south = row(j, k, nj + 1) * size(ni) + size(i);
        const double leaves = (current_[0][west + 1] - current_[0][west]) / di +
                              (current_[1][south + size(ni)] - current_[1][south]) / dj +
                              (current_[2][c + size(ni) * size(nj)] - current_[2][c]) / dk;
        const double gain = weights * source_[0][c];
        most = std::max(most, std::abs(leaves + total_[c] * flux[0][c] - gain));
        largest = std::max(largest, std::abs(gain));
      }
  return {most, largest};
}

line domain::line_at(int j, int k, const octant& towards) {
  const std::size_t first = row(j, k, nj) * size(ni);
  line l{};
  l.cells = ni;
  l.widths = widths_.data();
  l.hj = 2.0 / of.with.width[1];
  l.hk = 2.0 / of.with.width[2];
  l.total = &total_[first];
  for (std::size_t n = 0; n < moments(); ++n) {
    l.source[n] = &source_[n][first];
    l.flux[n] = &flux[n][first];
  }
  if (of.with.currents) {
    l.current[0] = &current_[0][row(j, k, nj) * size(ni + 1) + size(towards.i > 0 ? 1 : 0)];
    l.current[1] = &current_[1][row(towards.j > 0 ? j + 1 : j, k, nj + 1) * size(ni)];
    l.current[2] = &current_[2][row(j, towards.k > 0 ? k + 1 : k, nj) * size(ni)];
  }
  return l;
}

}  // namespace sweep
