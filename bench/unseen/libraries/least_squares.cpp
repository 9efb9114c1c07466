// Least squares by QR (dgeqrf, dormqr, dtrtrs), in off-loads: tall matrices with few columns, on which more threads
// gain little.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr double flop_seconds = 1 / 14e9;
constexpr double serial_share = 0.25;

const kernel fit_kernel{"fit"};

class least_squares final : public blas_program {
 public:
  explicit least_squares(const size& what)
      : blas_program(what, 60),
        rows_(small_or(80, 700)),
        columns_(small_or(10, 90)),
        errors_(at(streams())),
        fits_(at(streams())) {}

  void stream(std::int64_t i) override {
    std::vector<double> a = room<double>(std::int64_t{rows_} * columns_), b = room<double>(rows_);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = uniform(static_cast<std::uint64_t>(i), k) - 0.5;
    const double m = rows_, n = columns_;
    for (std::int64_t round = 0; round < rounds(2, 22); ++round) {
      alone(m * 10e-9, [&] {
        for (std::size_t k = 0; k < b.size(); ++k) b[k] = uniform(static_cast<std::uint64_t>(round), k);
      });
      off_load(fit_kernel,
               [&] { library(2 * n * n * (m - n / 3) * flop_seconds, serial_share, [&] { fit(a, b, i); }); });
    }
  }

  void check() const override {
    for (const double error : errors_) require(error < 1e-10, "what is left is not orthogonal to the columns");
    for (const std::int64_t fits : fits_) require(fits == rounds(2, 22), "a fit is missing");
  }

 private:
  void fit(const std::vector<double>& a, const std::vector<double>& b, std::int64_t i) {
    const int room_for_work = 64 * columns_;
    std::vector<double> qr = a, x = b, tau(at(columns_)), work(at(room_for_work)), left = b, across(at(columns_));
    const int one = 1;
    const double plus = 1, minus = -1, none = 0;
    int info = 0;
    blas().dgeqrf(&rows_, &columns_, qr.data(), &rows_, tau.data(), work.data(), &room_for_work, &info);
    blas().dormqr("L", "T", &rows_, &one, &columns_, qr.data(), &rows_, tau.data(), x.data(), &rows_, work.data(),
                  &room_for_work, &info, 1, 1);
    blas().dtrtrs("U", "N", "N", &columns_, &one, qr.data(), &rows_, x.data(), &rows_, &info, 1, 1, 1);
    blas().dgemv("N", &rows_, &columns_, &minus, a.data(), &rows_, x.data(), &one, &plus, left.data(), &one, 1);
    blas().dgemv("T", &rows_, &columns_, &plus, a.data(), &rows_, left.data(), &one, &none, across.data(), &one, 1);
    ++fits_[at(i)];
    errors_[at(i)] = std::max(errors_[at(i)], info == 0 ? blas().dnrm2(&columns_, across.data(), &one) : 1);
  }

  const int rows_, columns_;
  std::vector<double> errors_;
  std::vector<std::int64_t> fits_;
};

const listed<least_squares> here{"libraries", "least-squares"};

}  // namespace

}  // namespace unseen
