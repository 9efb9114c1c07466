// Singular values and vectors (dgesdd) of three matrices: fewer streams than workers, each an off-load that runs in a
// library for long.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double cube_seconds = 0.42e-9;
constexpr double serial_share = 0.3;

const kernel svd_kernel{"singular values"};

class svd final : public blas_program {
 public:
  explicit svd(const size& what) : blas_program(what, 3), errors_(at(streams())) {}

  void stream(std::int64_t i) override {
    const int n = small_or(24, 260) + small_or(4, 30) * static_cast<int>(i);
    const std::int64_t elements = std::int64_t{n} * n;
    std::vector<double> a = room<double>(elements), u = a, vt = a, s = room<double>(n);
    for (std::int64_t round = 0; round < rounds(2, 31); ++round) {
      alone(2.6e-9 * n * n, [&] {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] = element(i, round, k);
      });
      off_load(svd_kernel, [&] {
        library(cube_seconds * n * n * n, serial_share, [&] {
          const int room_for_work = 4 * n * n + 80 * n;
          std::vector<double> work(at(room_for_work));
          std::vector<int> places(8 * at(n));
          int info = 0;
          blas().dgesdd("A", &n, &n, a.data(), &n, s.data(), u.data(), &n, vt.data(), &n, work.data(), &room_for_work,
                        places.data(), &info, 1);
          if (info != 0) errors_[at(i)] = 1;
        });
      });
    }
    if (!declared) errors_[at(i)] = std::max(errors_[at(i)], error(i, n, s, u, vt));
  }

  void check() const override {
    for (const double error : errors_) require(error < 1e-9, "the factors are not the matrix");
  }

 private:
  static double element(std::int64_t i, std::int64_t round, std::size_t k) {
    return uniform(static_cast<std::uint64_t>(100 * i + round), k) - 0.5;
  }

  /// Of every seventh element of U S V'.
  double error(std::int64_t i, int n, const std::vector<double>& s, const std::vector<double>& u,
               const std::vector<double>& vt) const {
    double worst = 0;
    for (std::size_t k = 0; k < u.size(); k += 7) {
      double sum = 0;
      for (std::size_t j = 0; j < s.size(); ++j) sum += u[j * at(n) + k % at(n)] * s[j] * vt[k / at(n) * at(n) + j];
      worst = std::max(worst, std::abs(sum - element(i, rounds(2, 31) - 1, k)));
    }
    return worst;
  }

  std::vector<double> errors_;
};

const listed<svd> here{"libraries", "svd"};

}  // namespace

}  // namespace unseen
