// Power iterations by dgemv: a library call that is bound by memory, again and again, in streams that have neither
// loops nor off-loads.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double element_seconds = 0.28e-9;
constexpr double serial_share = 0.15;

class power_iteration final : public blas_program {
 public:
  explicit power_iteration(const size& what)
      : blas_program(what, 14), n_(small_or(60, 2'000)), iterations_(rounds(30, 64)), errors_(at(streams())) {
    matrix_ = room<double>(std::int64_t{n_} * n_);
    for (std::size_t k = 0; k < matrix_.size(); ++k)
      matrix_[k] = dominant * part(k % at(n_)) * part(k / at(n_)) + (k % at(n_ + 1) == 0 ? 1 : 0);
  }

  void stream(std::int64_t i) override {
    std::vector<double> x = room<double>(n_), y = x;
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = uniform(static_cast<std::uint64_t>(i), k);
    double length = 0;
    for (std::int64_t iteration = 0; iteration < iterations_; ++iteration)
      library(element_seconds * n_ * n_, serial_share, [&] {
        const double one = 1, none = 0;
        const int step = 1;
        blas().dgemv("N", &n_, &n_, &one, matrix_.data(), &n_, x.data(), &step, &none, y.data(), &step, 1);
        length = blas().dnrm2(&n_, y.data(), &step);
        const double by = 1 / length;
        blas().dscal(&n_, &by, y.data(), &step);
        std::swap(x, y);
      });
    if (!declared) errors_[at(i)] = std::abs(length - dominant - 1);
  }

  void check() const override {
    for (const double error : errors_) require(error < 1e-9, "the eigenvalue is wrong");
  }

 private:
  static constexpr double dominant = 9;
  /// Of a vector of length 1, whose parts have both signs.
  double part(std::size_t k) const { return (k % 3 == 0 ? -1 : 1) / std::sqrt(n_); }

  const int n_;
  const std::int64_t iterations_;
  std::vector<double> matrix_, errors_;
};

const listed<power_iteration> here{"libraries", "power-iteration"};

}  // namespace

}  // namespace unseen
