// Fundamental solutions: a loop fills a dense matrix, LAPACK factors and solves it, a loop evaluates the field. Nothing
// is off-loaded.

#include <complex>
#include <numbers>

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double outside = 1.12;  // the radius of the sources; the boundary has 1
constexpr double power_seconds = 0.17e-6;
constexpr double log_seconds = 3.8e-9;
constexpr double flop_seconds = 1 / 34e9;
constexpr double serial_share = 0.1;

using point = std::complex<double>;

class boundary_elements final : public blas_program {
 public:
  explicit boundary_elements(const size& what)
      : blas_program(what, 10), n_(small_or(48, 420)), inside_(n_), errors_(at(streams())) {
    for (std::int64_t x = 0; x < n_; ++x) {
      sources_.push_back(on(outside, x));
      boundary_.push_back(on(1, x));
    }
  }

  void stream(std::int64_t i) override {
    std::vector<double> a = room<double>(std::int64_t{n_} * n_), charge = room<double>(n_),
                        field = room<double>(inside_);
    std::vector<int> pivots(at(n_));
    const double n = n_;
    for (std::int64_t round = 0; round < rounds(2, 35); ++round) {
      const auto waves = static_cast<double>(2 + (i + round) % 3);
      loop(n_, 8, n * log_seconds, [&](range r) {
        for (std::int64_t x = r.first; x < r.last; ++x)
          for (std::int64_t y = 0; y < n_; ++y) a[at(x * n_ + y)] = influence(boundary_[at(y)], x);
      });
      alone(n * power_seconds, [&] {
        for (std::int64_t y = 0; y < n_; ++y) charge[at(y)] = harmonic(boundary_[at(y)], waves);
      });
      library(2.0 / 3 * n * n * n * flop_seconds, serial_share, [&] {
        int info = 0;
        const int one = 1;
        blas().dgetrf(&n_, &n_, a.data(), &n_, pivots.data(), &info);
        blas().dgetrs("N", &n_, &one, a.data(), &n_, pivots.data(), charge.data(), &n_, &info, 1);
      });
      loop(inside_, 16, n * log_seconds, [&](range r) {
        for (std::int64_t k = r.first; k < r.last; ++k) {
          const point z = on(0.9, k);
          field[at(k)] = 0;
          for (std::int64_t x = 0; x < n_; ++x) field[at(k)] += charge[at(x)] * influence(z, x);
        }
      });
      alone(n * power_seconds, [&] {
        for (std::int64_t k = 0; k < inside_; ++k)
          errors_[at(i)] = std::max(errors_[at(i)], std::abs(field[at(k)] - harmonic(on(0.9, k), waves)));
      });
    }
  }

  void check() const override {
    for (const double error : errors_) require(error < small_or(0.1, 1e-6), "the field is not harmonic");
  }

 private:
  point on(double radius, std::int64_t k) const {
    return std::polar(radius, 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n_));
  }
  double influence(point z, std::int64_t x) const { return 0.5 * std::log(std::norm(z - sources_[at(x)])); }
  static double harmonic(point z, double waves) { return std::pow(z, waves).real(); }

  const int n_;
  const std::int64_t inside_;
  std::vector<point> sources_, boundary_;
  std::vector<double> errors_;
};

const listed<boundary_elements> here{"libraries", "boundary-elements"};

}  // namespace

}  // namespace unseen
