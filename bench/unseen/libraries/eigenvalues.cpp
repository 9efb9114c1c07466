// Eigenvalues and vectors of symmetric matrices (dsyev), half of which LAPACK computes on one thread. Streams have
// neither loops nor off-loads, and matrices of unequal sizes.

#include <numbers>

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double cube_seconds = 0.77e-9;  // of n^3
constexpr double serial_share = 0.5;

class eigenvalues final : public blas_program {
 public:
  explicit eigenvalues(const size& what) : blas_program(what, 25), errors_(at(streams())) {}

  void stream(std::int64_t i) override {
    const int n = side(i);
    std::vector<double> a = room<double>(std::int64_t{n} * n), w = room<double>(n), work = room<double>(64 * n);
    for (std::int64_t round = 0; round < rounds(2, 12); ++round) {
      alone(1e-9 * n * n, [&] {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<double>(std::min(k % at(n), k / at(n)) + 1);
      });
      library(cube_seconds * n * n * n, serial_share, [&] {
        const int room_for_work = 64 * n;
        int info = 0;
        blas().dsyev("V", "L", &n, a.data(), &n, w.data(), work.data(), &room_for_work, &info, 1, 1);
        if (info != 0) errors_[at(i)] = 1;
      });
    }
    if (!declared) errors_[at(i)] = std::max(errors_[at(i)], error(n, a, w));
  }

  void check() const override {
    for (const double error : errors_) require(error < 1e-8, "an eigenvalue or a vector is wrong");
  }

 private:
  int side(std::int64_t i) const { return small_or(20, 90) + small_or(2, 14) * static_cast<int>(i * 7 % 10); }

  /// Of all values against the closed form, and of the last vector against A v = w v.
  static double error(int n, const std::vector<double>& v, const std::vector<double>& w) {
    double worst = 0;
    for (int k = 0; k < n; ++k) {
      const double s = std::sin((2 * (n - k) - 1) * std::numbers::pi / (2 * (2 * n + 1)));
      const double exact = 1 / (4 * s * s);
      worst = std::max(worst, std::abs(w[at(k)] / exact - 1));
    }
    const double* last = &v[at(n - 1) * at(n)];
    for (int y = 0; y < n; ++y) {
      double sum = 0;
      for (int x = 0; x < n; ++x) sum += (std::min(x, y) + 1) * last[x];
      worst = std::max(worst, std::abs(sum - w.back() * last[y]) / w.back());
    }
    return worst;
  }

  std::vector<double> errors_;
};

const listed<eigenvalues> here{"libraries", "eigenvalues"};

}  // namespace

}  // namespace unseen
