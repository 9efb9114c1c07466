// Gaussian elimination of matrices of lognormal size. Each step is an off-load; its loop becomes shorter from step to
// step.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double element_seconds = 0.23e-9;
constexpr double row_seconds = 4e-9;

const kernel step_kernel{"elimination step"};

class gaussian_elimination final : public program {
 public:
  explicit gaussian_elimination(const size& what) : program(what, 30), matrices_(at(streams())) {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const std::int64_t n = side(i);
      matrices_[at(i)] = room<double>(n * n);
      for (std::size_t k = 0; k < matrices_[at(i)].size(); ++k)
        matrices_[at(i)][k] = element(i, static_cast<std::int64_t>(k));
    }
  }

  void stream(std::int64_t i) override {
    const std::int64_t n = side(i);
    std::vector<double>& a = matrices_[at(i)];
    for (std::int64_t k = 0; k + 1 < n; ++k)
      off_load(step_kernel, [&] {
        loop(n - k - 1, 8, row_seconds + static_cast<double>(n - k) * element_seconds, [&](range r) {
          for (std::int64_t y = k + 1 + r.first; y < k + 1 + r.last; ++y) {
            double* row = &a[at(y * n)];
            const double* pivot = &a[at(k * n)];
            const double by = row[k] / pivot[k];
            row[k] = by;
            for (std::int64_t x = k + 1; x < n; ++x) row[x] -= by * pivot[x];
          }
        });
      });
    for (std::size_t k = 0; k < a.size(); k += 37) digest(i, a[k]);
  }

  /// L (U 1) is A 1.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const std::int64_t n = side(i);
      const std::vector<double>& a = matrices_[at(i)];
      std::vector<double> upper(at(n));
      for (std::int64_t y = 0; y < n; ++y)
        for (std::int64_t x = y; x < n; ++x) upper[at(y)] += a[at(y * n + x)];
      for (std::int64_t y = 0; y < n; ++y) {
        double product = upper[at(y)], sum = 0;
        for (std::int64_t x = 0; x < y; ++x) product += a[at(y * n + x)] * upper[at(x)];
        for (std::int64_t x = 0; x < n; ++x) sum += element(i, y * n + x);
        require(std::abs(product - sum) < 1e-10 * static_cast<double>(n), "a residual is large");
      }
    }
  }

 private:
  std::int64_t side(std::int64_t i) const {
    return small_or<std::int64_t>(24 + 8 * i, std::llround(550 * lognormal(0.5, 11, static_cast<std::uint64_t>(i))));
  }
  /// The diagonal dominates.
  double element(std::int64_t i, std::int64_t k) const {
    const std::int64_t n = side(i);
    return k % (n + 1) == 0 ? static_cast<double>(n)
                            : uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)) - 0.5;
  }

  std::vector<std::vector<double>> matrices_;
};

const listed<gaussian_elimination> here{"unequal", "gaussian-elimination"};

}  // namespace

}  // namespace unseen
