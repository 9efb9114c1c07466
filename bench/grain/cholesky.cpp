// Nested Cholesky: every stream decomposes matrices, one after the other, in tiles. An off-load is one step of the
// decomposition: a tile on one worker, the tiles below it in a loop, what is left to the right of them in another. The
// loops become short towards the end.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "random.hpp"
#include "shape.hpp"

namespace shapes {

namespace {

constexpr int tiles = 12;  // in a row
constexpr int b = 32;      // rows of a tile
constexpr double flop_seconds = 0.3e-9;
constexpr double cube = 1.0 * b * b * b;

using tile = std::array<double, std::size_t{b} * b>;  // column by column

void decompose(tile& a) {
  for (std::size_t k = 0; k < b; ++k) {
    a[k + k * b] = std::sqrt(a[k + k * b]);
    for (std::size_t i = k + 1; i < b; ++i) a[i + k * b] /= a[k + k * b];
    for (std::size_t j = k + 1; j < b; ++j)
      for (std::size_t i = j; i < b; ++i) a[i + j * b] -= a[i + k * b] * a[j + k * b];
  }
}
void solve(const tile& l, tile& a) {
  for (std::size_t j = 0; j < b; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = 0; i < b; ++i) a[i + j * b] -= a[i + k * b] * l[j + k * b];
    for (std::size_t i = 0; i < b; ++i) a[i + j * b] /= l[j + j * b];
  }
}
void subtract(const tile& l, const tile& r, tile& a) {
  for (std::size_t j = 0; j < b; ++j)
    for (std::size_t k = 0; k < b; ++k)
      for (std::size_t i = 0; i < b; ++i) a[i + j * b] -= l[i + k * b] * r[j + k * b];
}

struct matrix {
  const size& what;
  std::uint64_t seed;
  std::vector<tile> all;

  matrix(const size& of, std::uint64_t from) : what(of), seed(from) {
    if (what.declared) return;
    all.resize(std::size_t{tiles} * tiles);
    for (int j = 0; j < tiles * b; ++j)
      for (int i = j; i < tiles * b; ++i) element(i, j) = given(i, j);
  }

  /// A symmetric matrix that is positive definite because its diagonal dominates.
  double given(int i, int j) const {
    return i == j ? tiles * b : uniform(seed, static_cast<std::uint64_t>(i) * (tiles * b) + static_cast<unsigned>(j));
  }
  tile& at(int row, int column) { return all[static_cast<std::size_t>(row + column * tiles)]; }
  double& element(int i, int j) { return at(i / b, j / b)[static_cast<std::size_t>(i % b + j % b * b)]; }

  void step(int k) {
    if (!what.pays(cube / 3 * flop_seconds)) decompose(at(k, k));
    ms::parallel_for(
        k + 1, tiles,
        [&](ms::range r) {
          for (const auto i : r)
            if (!what.pays(cube * flop_seconds)) solve(at(k, k), at(static_cast<int>(i), k));
        },
        ms::block{1});
    const int rest = tiles - k - 1;
    ms::parallel_for(
        0, rest * (rest + 1) / 2,
        [&](ms::range r) {
          for (const auto pair : r) {
            if (what.pays(2 * cube * flop_seconds)) continue;
            int column = 0;
            auto row = static_cast<int>(pair);
            while (row >= rest - column) row -= rest - column++;
            const int j = k + 1 + column;
            const int i = j + row;
            subtract(at(i, k), at(j, k), at(i, j));
          }
        },
        ms::block{1});
  }

  /// Gives how far the last row of L Lᵀ is from the matrix's, where the largest element is 1.
  double defect() {
    const int last = tiles * b - 1;
    double worst = 0;
    for (int j = 0; j <= last; ++j) {
      double sum = -given(last, j);
      for (int k = 0; k <= j; ++k) sum += element(last, k) * element(j, k);
      worst = std::max(worst, std::abs(sum));
    }
    return worst / (tiles * b);
  }
};

const ms::kernel step_of{"cholesky step", [](matrix* m, int k) { m->step(k); }};

class cholesky final : public shape {
 public:
  explicit cholesky(const size& what)
      : shape(what), defects_(static_cast<std::size_t>(what.streams)), sums_(defects_.size()) {}

  std::int64_t matrices() const { return std::max<std::int64_t>(1, what_.kernels / tiles); }
  std::int64_t expected(std::int64_t) const override { return matrices() * tiles; }

  void stream(std::int64_t i) override {
    const auto at = static_cast<std::size_t>(i);
    for (std::int64_t n = 0; n < matrices(); ++n) {
      matrix m(what_, mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n)));
      for (int k = 0; k < tiles; ++k) off_load(i, step_of, &m, k);
      if (what_.declared) continue;
      for (int row = 0; row < tiles * b; ++row) sums_[at] = mixed(sums_[at], m.element(row, row));
      if (n == 0) defects_[at] = m.defect();
    }
  }

  void check() const override {
    for (const double defect : defects_)
      if (!(defect <= 1e-12)) throw wrong_answer(fmt::format("a factor is off by {:.2g} of the matrix", defect));
  }
  std::uint64_t answer() const override { return folded(sums_); }

 private:
  std::vector<double> defects_;
  std::vector<std::uint64_t> sums_;
};

}  // namespace

std::unique_ptr<shape> make_cholesky(const size& what) { return std::make_unique<cholesky>(what); }

}  // namespace shapes
