// Normal equations: a stream off-loads systems, each a product (dsyrk), a decomposition (dpotrf) and a solution.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double flop_seconds = 1 / 37e9;
constexpr double serial_share = 0.08;

const kernel system_kernel{"normal equations"};

class cholesky_solve final : public blas_program {
 public:
  explicit cholesky_solve(const size& what)
      : blas_program(what, 80), n_(small_or(40, 240)), residuals_(at(streams())), solved_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t elements = std::int64_t{n_} * n_;
    std::vector<double> m = room<double>(elements), a = m, factor = m, x = room<double>(n_), rest = x;
    for (std::size_t k = 0; k < m.size(); ++k) m[k] = uniform(static_cast<std::uint64_t>(i), k) - 0.5;
    const double n = n_;
    for (std::int64_t round = 0; round < rounds(2, 25); ++round)
      off_load(system_kernel, [&] {
        library((n * n * n + n * n * n / 3) * flop_seconds, serial_share, [&] {
          const double one = 1, none = 0, minus = -1;
          const int column = 1;
          int info = 0;
          blas().dsyrk("L", "N", &n_, &n_, &one, m.data(), &n_, &none, a.data(), &n_, 1, 1);
          for (int k = 0; k < n_; ++k) {
            a[at(k) * at(n_ + 1)] += n;
            for (int j = 0; j < k; ++j) a[at(k) * at(n_) + at(j)] = a[at(j) * at(n_) + at(k)];
          }
          factor = a;
          std::fill(x.begin(), x.end(), 1.0);
          std::fill(rest.begin(), rest.end(), 1.0);
          blas().dpotrf("L", &n_, factor.data(), &n_, &info, 1);
          blas().dpotrs("L", &n_, &column, factor.data(), &n_, x.data(), &n_, &info, 1);
          blas().dgemv("N", &n_, &n_, &one, a.data(), &n_, x.data(), &column, &minus, rest.data(), &column, 1);
          ++solved_[at(i)];
          residuals_[at(i)] = std::max(residuals_[at(i)], info == 0 ? blas().dnrm2(&n_, rest.data(), &column) : 1);
        });
      });
  }

  void check() const override {
    for (const double residual : residuals_) require(residual < 1e-10, "a residual is large");
    for (const std::int64_t solved : solved_) require(solved == rounds(2, 25), "a system was not solved");
  }

 private:
  const int n_;
  std::vector<double> residuals_;
  std::vector<std::int64_t> solved_;
};

const listed<cholesky_solve> here{"libraries", "cholesky-solve"};

}  // namespace

}  // namespace unseen
