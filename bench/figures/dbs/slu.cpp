// SLU: synthetic LU decomposition. Each step of a decomposition eliminates below its pivot, with a loop over the
// columns right of it, which shrinks. Functional parallelism: several matrices are decomposed, as the paper
// incorporated its kernel "in order to achieve additional functional parallelism".

#include <array>
#include <cmath>

#include "program.hpp"

namespace figures {

namespace {

constexpr int matrices = 4;

class decompositions final : public problem {
 public:
  decompositions(int order, int rounds) : n_(order), rounds_(rounds) {
    for (std::size_t m = 0; m < matrices; ++m) {
      given_[m] = noise(static_cast<std::size_t>(n_ * n_), 10 + m);
      // Dominant on the diagonal, so that no pivot has to be sought.
      for (std::int64_t i = 0; i < n_; ++i) given_[m][at(i, i)] += static_cast<double>(n_);
    }
  }

  void reset() override { lu_ = given_; }

  void run(const execution& how) override {
    for (int round = 0; round < rounds_; ++round) {
      lu_ = given_;
      for (std::size_t m = 0; m < matrices; ++m) {
        how.reads(given_[m].data(), n_ * n_);
        how.writes(lu_[m].data(), n_ * n_);
      }
      how.together([&] { decompose(how, lu_[0]); }, [&] { decompose(how, lu_[1]); }, [&] { decompose(how, lu_[2]); },
                   [&] { decompose(how, lu_[3]); });
    }
  }

  std::vector<double> answer() const override {
    std::vector<double> all;
    for (const auto& m : lu_) all.insert(all.end(), m.begin(), m.end());
    return all;
  }

  /// L·U against the matrix.
  double defect() const override {
    double worst = 0;
    for (std::size_t m = 0; m < matrices; ++m)
      for (std::int64_t j = 0; j < n_; ++j)
        for (std::int64_t i = 0; i < n_; ++i) {
          double sum = i <= j ? lu_[m][at(i, j)] : 0.0;  // L has ones on its diagonal
          for (std::int64_t k = 0; k < std::min(i, j + 1); ++k) sum += lu_[m][at(i, k)] * lu_[m][at(k, j)];
          worst = std::max(worst, std::abs(sum - given_[m][at(i, j)]));
        }
    return worst / static_cast<double>(n_);
  }

 private:
  using matrix = array_of<double>;  // column-major, n × n

  std::size_t at(std::int64_t row, std::int64_t column) const { return static_cast<std::size_t>(row + column * n_); }

  void decompose(const execution& how, matrix& a) const {
    for (std::int64_t k = 0; k + 1 < n_; ++k) {
      double* pivot = &a[at(0, k)];
      for (std::int64_t i = k + 1; i < n_; ++i) pivot[i] /= pivot[k];
      how.writes(pivot + k, n_ - k);
      how.did(4 * (n_ - k - 1));
      how.loop(n_ - k - 1, [&, k](ms::range columns) {
        for (const std::int64_t right : columns) {
          double* column = &a[at(0, k + 1 + right)];
          how.reads(pivot + k + 1, n_ - k - 1);
          how.writes(column + k, n_ - k);
          const double factor = column[k];
          for (std::int64_t i = k + 1; i < n_; ++i) column[i] -= pivot[i] * factor;
        }
        how.did(2 * (n_ - k - 1) * columns.size());
      });
    }
  }

  std::int64_t n_;
  int rounds_;
  std::array<matrix, matrices> given_;
  std::array<matrix, matrices> lu_;
};

}  // namespace

const program slu{
    "slu",
    "LU decompositions of 4 matrices, whose loops shrink",
    "order",
    {256, 24, 2},
    "rounds",
    {1, 1, 1},
    1e-12,
    [](int size, int steps) -> std::unique_ptr<problem> { return std::make_unique<decompositions>(size, steps); }};

}  // namespace figures
