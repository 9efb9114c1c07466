// Options: the first half of the streams price by binomial trees, off-loads without loops; the second half by Monte
// Carlo, off-loads of one loop. So the phase changes in its middle.

#include <numbers>

#include "program.hpp"

namespace unseen {

namespace {

constexpr double spot = 100;
constexpr double rate = 0.03;
constexpr double volatility = 0.2;
constexpr std::int64_t tree_steps = 600;
constexpr double node_seconds = 0.25e-9;
constexpr double path_seconds = 33e-9;

const kernel tree_kernel{"binomial tree"};
const kernel paths_kernel{"paths"};

class option_pricing final : public program {
 public:
  explicit option_pricing(const size& what)
      : program(what, 90), paths_(small_or<std::int64_t>(2'000, 6'400)), prices_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t priced = rounds(4, trees(i) ? 230 : 55);
    std::vector<double> tree = room<double>(tree_steps + 1);
    double sum = 0;
    for (std::int64_t round = 0; round < priced; ++round) {
      double one = 0;
      if (trees(i))
        off_load(tree_kernel,
                 [&] { alone(tree_steps * tree_steps / 2 * node_seconds, [&] { one = by_tree(strike(i), tree); }); });
      else
        off_load(paths_kernel, [&] { one = by_paths(i, round); });
      sum += one;
    }
    prices_[at(i)] = sum / static_cast<double>(priced);
    digest(i, prices_[at(i)]);
  }

  /// Black and Scholes.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const double d = (std::log(spot / strike(i)) + rate + 0.5 * volatility * volatility) / volatility;
      const auto normal = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
      const double exact = spot * normal(d) - strike(i) * std::exp(-rate) * normal(d - volatility);
      const double sigma = 18 / std::sqrt(static_cast<double>(paths_ * rounds(4, 55)));
      require(std::abs(prices_[at(i)] - exact) < (trees(i) ? 0.02 : 6 * sigma), "a price is wrong");
    }
  }

 private:
  bool trees(std::int64_t i) const { return i < streams() / 2; }
  static double strike(std::int64_t i) { return 85 + static_cast<double>(i % 31); }

  static double by_tree(double strike, std::vector<double>& value) {
    const double dt = 1.0 / tree_steps;
    const double up = std::exp(volatility * std::sqrt(dt)), discount = std::exp(-rate * dt);
    const double likely = (1 / discount - 1 / up) / (up - 1 / up);
    for (std::int64_t k = 0; k <= tree_steps; ++k)
      value[at(k)] = std::max(0.0, spot * std::pow(up, static_cast<double>(2 * k - tree_steps)) - strike);
    for (std::int64_t step = tree_steps; step > 0; --step)
      for (std::int64_t k = 0; k < step; ++k)
        value[at(k)] = discount * (likely * value[at(k + 1)] + (1 - likely) * value[at(k)]);
    return value[0];
  }

  double by_paths(std::int64_t i, std::int64_t round) const {
    const auto seed = static_cast<std::uint64_t>(1'000 * i + round);
    const double sum = loop_sum(paths_, 100, path_seconds, [&](range r) {
      double paid = 0;
      for (std::int64_t k = r.first; k < r.last; ++k) {
        const auto draw = 2 * static_cast<std::uint64_t>(k);
        const double normal = std::sqrt(-2 * std::log(1 - uniform(seed, draw))) *
                              std::cos(2 * std::numbers::pi * uniform(seed, draw + 1));
        const double end = spot * std::exp(rate - 0.5 * volatility * volatility + volatility * normal);
        paid += std::max(0.0, end - strike(i));
      }
      return paid;
    });
    return std::exp(-rate) * sum / static_cast<double>(paths_);
  }

  const std::int64_t paths_;
  std::vector<double> prices_;
};

const listed<option_pricing> here{"mixes", "option-pricing"};

}  // namespace

}  // namespace unseen
