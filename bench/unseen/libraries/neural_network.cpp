// A network of dense layers: an off-load is a layer, a product by dgemm and then a loop (bias and ramp), so that a team
// serves a library and a loop in turn.

#include "libraries/blas.hpp"

namespace unseen {

namespace {

constexpr int layers = 6;
constexpr double flop_seconds = 1 / 52e9;
constexpr double serial_share = 0.03;
constexpr double ramp_seconds = 0.17e-9;

const kernel layer_kernel{"layer"};

class neural_network final : public blas_program {
 public:
  explicit neural_network(const size& what)
      : blas_program(what, 7), units_(small_or(24, 256)), batch_(small_or(16, 192)), outputs_(at(streams())) {
    for (std::uint64_t layer = 0; layer < layers; ++layer) {
      weights_.push_back(room<double>(std::int64_t{units_} * units_));
      for (std::size_t k = 0; k < weights_.back().size(); ++k)
        weights_.back()[k] = (uniform(layer, k) - 0.5) * 4 / std::sqrt(units_);
    }
  }

  void stream(std::int64_t i) override {
    std::vector<double> now = room<double>(std::int64_t{units_} * batch_), next = now;
    for (std::int64_t round = 0; round < rounds(2, 46); ++round) {
      alone(static_cast<double>(units_) * batch_ * 1.9e-9, [&] { now = inputs(i); });
      for (std::size_t layer = 0; layer < layers; ++layer) {
        off_load(layer_kernel, [&] {
          library(2.0 * units_ * units_ * batch_ * flop_seconds, serial_share, [&] {
            const double one = 1, none = 0;
            blas().dgemm("N", "N", &units_, &batch_, &units_, &one, weights_[layer].data(), &units_, now.data(),
                         &units_, &none, next.data(), &units_, 1, 1);
          });
          loop(batch_, 8, units_ * ramp_seconds, [&](range r) {
            for (std::int64_t k = r.first * units_; k < r.last * units_; ++k)
              next[at(k)] = std::max(0.0, next[at(k)] + bias);
          });
        });
        std::swap(now, next);
      }
    }
    outputs_[at(i)] = now;
  }

  /// Against plain loops, for two of the batch.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const std::vector<double> begin = inputs(i);
      for (const std::size_t of : {std::size_t{0}, at(batch_ - 1)}) {
        const auto from = begin.begin() + static_cast<std::ptrdiff_t>(of * at(units_));
        std::vector<double> now(from, from + units_);
        for (const auto& weights : weights_) now = layer_of(weights, now);
        for (std::size_t k = 0; k < now.size(); ++k)
          require(std::abs(now[k] - outputs_[at(i)][of * at(units_) + k]) < 1e-10, "an output is wrong");
      }
    }
  }

 private:
  static constexpr double bias = 0.01;

  std::vector<double> inputs(std::int64_t i) const {
    std::vector<double> all(at(units_) * at(batch_));
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = uniform(static_cast<std::uint64_t>(i) + 50, k) - 0.5;
    return all;
  }
  static std::vector<double> layer_of(const std::vector<double>& weights, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    for (std::size_t column = 0; column < x.size(); ++column)
      for (std::size_t row = 0; row < x.size(); ++row) y[row] += weights[column * x.size() + row] * x[column];
    for (double& one : y) one = std::max(0.0, one + bias);
    return y;
  }

  const int units_, batch_;
  std::vector<std::vector<double>> weights_, outputs_;
};

const listed<neural_network> here{"libraries", "neural-network"};

}  // namespace

}  // namespace unseen
