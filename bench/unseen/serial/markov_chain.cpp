// Markov chains of a linear model: each step off-loads a likelihood, a short loop over the data; the stream itself
// proposes, decides and keeps the autocorrelation of the chain.

#include <array>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t observations = 20'000;
constexpr int unknowns = 3;
constexpr int lags = 4'096;
constexpr double observation_seconds = 0.7e-9;
constexpr double step_seconds = 2.6e-6;

const kernel likelihood_kernel{"likelihood"};

using point = std::array<double, unknowns>;

class markov_chain final : public program {
 public:
  explicit markov_chain(const size& what) : program(what, 40), steps_(rounds(40, 1'540)) {
    inputs_.resize(declared ? 0 : observations);
    outputs_.resize(inputs_.size());
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      for (std::size_t d = 0; d < unknowns; ++d) inputs_[k][d] = uniform(1, k * unknowns + d) - 0.5;
      outputs_[k] = inputs_[k][0] - 2 * inputs_[k][1] + 3 * inputs_[k][2] + uniform(2, k) - 0.5;
    }
    means_.resize(at(streams()));
    accepted_.resize(at(streams()));
  }

  void stream(std::int64_t i) override {
    const auto seed = static_cast<std::uint64_t>(i) + 7;
    point now{1, -2, 3}, tried = now, sum{};
    std::vector<double> kept = room<double>(lags), correlation = room<double>(lags);
    double energy = squares(now);
    for (std::int64_t step = 0; step < steps_; ++step) {
      const auto draw = [&](std::uint64_t k) { return uniform(seed, static_cast<std::uint64_t>(step) * 8 + k); };
      if (!declared)
        for (std::size_t d = 0; d < unknowns; ++d) tried[d] = now[d] + 0.025 * (draw(d) - 0.5);
      double at_tried = 0;
      off_load(likelihood_kernel, [&] { at_tried = squares(tried); });
      alone(step_seconds, [&] {
        constexpr double variance = 1.0 / 12;
        if (draw(7) < std::exp((energy - at_tried) / (2 * variance))) {
          now = tried;
          energy = at_tried;
          ++accepted_[at(i)];
        }
        for (std::size_t d = 0; d < unknowns; ++d) sum[d] += now[d];
        kept[at(step % lags)] = energy;
        for (std::int64_t lag = 0; lag < lags; ++lag) correlation[at(lag)] += energy * kept[at((step + lag) % lags)];
      });
    }
    for (std::size_t d = 0; d < unknowns; ++d) means_[at(i)][d] = sum[d] / static_cast<double>(steps_);
    for (const double mean : means_[at(i)]) digest(i, mean);
    digest(i, correlation);
  }

  /// The posterior's standard deviation is 0.007.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      const auto taken = static_cast<double>(accepted_[at(i)]) / static_cast<double>(steps_);
      require(taken > 0.02 && taken < 0.98, "a chain does not move as it should");
      for (std::size_t d = 0; d < unknowns; ++d)
        require(std::abs(means_[at(i)][d] - point{1, -2, 3}[d]) < 0.05, "a mean is off");
    }
  }

 private:
  double squares(const point& by) const {
    return loop_sum(observations, 500, observation_seconds, [&](range r) {
      double sum = 0;
      for (std::int64_t k = r.first; k < r.last; ++k) {
        const point& x = inputs_[at(k)];
        const double off = outputs_[at(k)] - by[0] * x[0] - by[1] * x[1] - by[2] * x[2];
        sum += off * off;
      }
      return sum;
    });
  }

  const std::int64_t steps_;
  std::vector<point> inputs_;
  std::vector<double> outputs_;
  std::vector<point> means_;
  std::vector<std::int64_t> accepted_;
};

const listed<markov_chain> here{"serial", "markov-chain"};

}  // namespace

}  // namespace unseen
