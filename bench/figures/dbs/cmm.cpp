// CMM: the product of two complex matrices, held as real and imaginary parts. Functional parallelism: its four real
// products, then the two sums. Each is a loop over columns.

#include <cmath>
#include <complex>

#include "program.hpp"

namespace figures {

namespace {

class complex_product final : public problem {
 public:
  complex_product(int order, int products)
      : n_(order), products_(products), a_re_(given(1)), a_im_(given(2)), b_re_(given(3)), b_im_(given(4)) {}

  void reset() override {
    for (auto* m : {&re_re_, &im_im_, &re_im_, &im_re_}) m->assign(elements(), 0.0);
    c_re_.assign(elements(), 0.0);
    c_im_.assign(elements(), 0.0);
  }

  void run(const execution& how) override {
    for (int product = 0; product < products_; ++product) {
      how.together([&] { multiply(how, a_re_, b_re_, re_re_); }, [&] { multiply(how, a_im_, b_im_, im_im_); },
                   [&] { multiply(how, a_re_, b_im_, re_im_); }, [&] { multiply(how, a_im_, b_re_, im_re_); });
      how.together([&] { add(how, re_re_, -1.0, im_im_, c_re_); }, [&] { add(how, re_im_, 1.0, im_re_, c_im_); });
    }
  }

  std::vector<double> answer() const override {
    std::vector<double> all(c_re_.begin(), c_re_.end());
    all.insert(all.end(), c_im_.begin(), c_im_.end());
    return all;
  }

  /// Against the definition, on the diagonal.
  double defect() const override {
    double worst = 0;
    for (std::int64_t i = 0; i < n_; ++i) {
      std::complex<double> sum = 0;
      for (std::int64_t k = 0; k < n_; ++k)
        sum += std::complex(a_re_[at(i, k)], a_im_[at(i, k)]) * std::complex(b_re_[at(k, i)], b_im_[at(k, i)]);
      worst = std::max(worst, std::abs(sum - std::complex(c_re_[at(i, i)], c_im_[at(i, i)])));
    }
    return worst / static_cast<double>(n_);
  }

 private:
  using matrix = array_of<double>;  // column-major, n × n

  std::size_t elements() const { return static_cast<std::size_t>(n_ * n_); }
  std::size_t at(std::int64_t row, std::int64_t column) const { return static_cast<std::size_t>(row + column * n_); }
  matrix given(std::uint64_t seed) const { return noise(elements(), seed); }

  void multiply(const execution& how, const matrix& a, const matrix& b, matrix& c) const {
    how.loop(n_, [&](ms::range columns) {
      for (const std::int64_t j : columns) {
        double* out = &c[at(0, j)];
        std::fill(out, out + n_, 0.0);
        how.reads(&b[at(0, j)], n_);
        for (std::int64_t k = 0; k < n_; ++k) {
          const double factor = b[at(k, j)];
          const double* column = &a[at(0, k)];
          how.reads(column, n_);
          how.writes(out, n_);
          for (std::int64_t i = 0; i < n_; ++i) out[i] += column[i] * factor;
        }
      }
      how.did(2 * n_ * n_ * columns.size());
    });
  }

  void add(const execution& how, const matrix& x, double sign, const matrix& y, matrix& sum) const {
    how.loop(n_, [&](ms::range columns) {
      const std::size_t end = at(0, columns.last);
      how.reads(&x[at(0, columns.first)], columns.size() * n_);
      how.reads(&y[at(0, columns.first)], columns.size() * n_);
      how.writes(&sum[at(0, columns.first)], columns.size() * n_);
      for (std::size_t i = at(0, columns.first); i < end; ++i) sum[i] = x[i] + sign * y[i];
      how.did(2 * n_ * columns.size());
    });
  }

  std::int64_t n_;
  int products_;
  matrix a_re_, a_im_, b_re_, b_im_;
  matrix re_re_, im_im_, re_im_, im_re_;
  matrix c_re_, c_im_;
};

}  // namespace

const program cmm{
    "cmm",
    "a complex matrix product, four-way functional",
    "order",
    {192, 24, 1},
    "products",
    {1, 1, 1},
    1e-12,
    [](int size, int steps) -> std::unique_ptr<problem> { return std::make_unique<complex_product>(size, steps); }};

}  // namespace figures
