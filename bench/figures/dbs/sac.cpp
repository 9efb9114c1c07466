// SAC: synthetic adjoint convolution, a[i] = x·Σ b[k]·c[k-i] over k ≥ i: the first iterations are the longest.
// Functional parallelism: several convolutions, whose results are then added.

#include <array>
#include <cmath>

#include "program.hpp"

namespace figures {

namespace {

constexpr int convolutions = 4;
constexpr double scale = 0.5;

class adjoint_convolutions final : public problem {
 public:
  adjoint_convolutions(int length, int rounds) : n_(length), rounds_(rounds) {
    for (std::size_t at = 0; at < convolutions; ++at) {
      b_[at] = noise(static_cast<std::size_t>(n_), 20 + at);
      c_[at] = noise(static_cast<std::size_t>(n_), 30 + at);
    }
  }

  void reset() override {
    for (auto& a : a_) a.assign(static_cast<std::size_t>(n_), 0.0);
    sum_.assign(static_cast<std::size_t>(n_), 0.0);
  }

  void run(const execution& how) override {
    for (int round = 0; round < rounds_; ++round) {
      how.together([&] { convolve(how, 0); }, [&] { convolve(how, 1); }, [&] { convolve(how, 2); },
                   [&] { convolve(how, 3); });
      how.loop(n_, [&](ms::range r) {
        for (const auto& a : a_) how.reads(&a[static_cast<std::size_t>(r.first)], r.size());
        how.writes(&sum_[static_cast<std::size_t>(r.first)], r.size());
        for (const std::int64_t i : r) {
          const auto at = static_cast<std::size_t>(i);
          sum_[at] += (a_[0][at] + a_[1][at]) + (a_[2][at] + a_[3][at]);
        }
        how.did(4 * r.size());
      });
    }
  }

  std::vector<double> answer() const override { return {sum_.begin(), sum_.end()}; }

  /// Σ a[i] taken the other way round: each b[k] meets the sum of the first c.
  double defect() const override {
    double expected = 0;
    for (std::size_t at = 0; at < convolutions; ++at) {
      double first_c = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
        first_c += c_[at][k];
        expected += scale * b_[at][k] * first_c;
      }
    }
    double sum = 0;
    for (const double value : sum_) sum += value;
    return std::abs(sum - expected * rounds_) / static_cast<double>(n_);
  }

 private:
  void convolve(const execution& how, std::size_t which) {
    const double* b = b_[which].data();
    const double* c = c_[which].data();
    double* a = a_[which].data();
    how.loop(n_, [=, this](ms::range r) {
      for (const std::int64_t i : r) {
        double sum = 0;
        for (std::int64_t k = i; k < n_; ++k) sum += b[k] * c[k - i];
        a[i] = scale * sum;
        how.reads(b + i, n_ - i);
        how.reads(c, n_ - i);
        how.writes(a + i, 1);
      }
      how.did(r.size() * (2 * n_ + 2 - r.first - r.last));  // 2 for each product, and the scaling
    });
  }

  std::int64_t n_;
  int rounds_;
  std::array<array_of<double>, convolutions> a_, b_, c_;
  array_of<double> sum_;
};

}  // namespace

const program sac{"sac",
                  "4 adjoint convolutions, whose iterations shrink",
                  "length",
                  {2500, 60, 1},
                  "rounds",
                  {1, 1, 1},
                  1e-12,
                  [](int size, int steps) -> std::unique_ptr<problem> {
                    return std::make_unique<adjoint_convolutions>(size, steps);
                  }};

}  // namespace figures
