// Covariances: the stream itself centres the columns of its data and calls dsyrk and dpotrf (to whiten); it has neither
// loops nor off-loads.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double centre_seconds = 0.95e-9;  // of an element
constexpr double flop_seconds = 1 / 41e9;
constexpr double serial_share = 0.05;

class covariance final : public blas_program {
 public:
  explicit covariance(const size& what)
      : blas_program(what, 40), rows_(small_or(200, 2'000)), columns_(small_or(20, 160)), errors_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t elements = std::int64_t{rows_} * columns_;
    std::vector<double> raw = room<double>(elements), x = raw, c = room<double>(std::int64_t{columns_} * columns_),
                        l = c;
    for (std::size_t k = 0; k < raw.size(); ++k) raw[k] = uniform(static_cast<std::uint64_t>(i), k % 4'001 * 7);
    const double m = rows_, n = columns_;
    for (std::int64_t round = 0; round < rounds(2, 16); ++round) {
      alone(m * n * centre_seconds, [&] { centre(raw, x); });
      library((m * n * n + n * n * n / 3) * flop_seconds, serial_share, [&] {
        const double scale = 1 / m, none = 0;
        int info = 0;
        blas().dsyrk("L", "T", &columns_, &rows_, &scale, x.data(), &rows_, &none, c.data(), &columns_, 1, 1);
        l = c;
        for (int k = 0; k < columns_; ++k) l[at(k) * at(columns_ + 1)] += 1;
        blas().dpotrf("L", &columns_, l.data(), &columns_, &info, 1);
        if (info != 0) errors_[at(i)] = 1;
      });
    }
    if (!declared) errors_[at(i)] = std::max(errors_[at(i)], error(x, c, l));
  }

  void check() const override {
    for (const double error : errors_) require(error < 1e-10, "a covariance is wrong");
  }

 private:
  void centre(const std::vector<double>& raw, std::vector<double>& x) const {
    for (int column = 0; column < columns_; ++column) {
      const std::size_t begin = at(column) * at(rows_);
      double sum = 0;
      for (std::size_t k = 0; k < at(rows_); ++k) sum += raw[begin + k];
      for (std::size_t k = 0; k < at(rows_); ++k) x[begin + k] = raw[begin + k] - sum / rows_;
    }
  }

  /// Of the first column, computed once more, and of the factor's.
  double error(const std::vector<double>& x, const std::vector<double>& c, const std::vector<double>& l) const {
    double worst = 0;
    for (int column = 0; column < columns_; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < at(rows_); ++k) sum += x[k] * x[at(column) * at(rows_) + k] / rows_;
      worst = std::max({worst, std::abs(sum - c[at(column)]), std::abs(l[0] * l[at(column)] - sum - (column == 0))});
    }
    return worst;
  }

  const int rows_, columns_;
  std::vector<double> errors_;
};

const listed<covariance> here{"libraries", "covariance"};

}  // namespace

}  // namespace unseen
