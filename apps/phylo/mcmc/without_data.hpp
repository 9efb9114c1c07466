#pragma once
// For tests: chains that sample their priors.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"

namespace phylo {

inline constexpr std::int32_t taxa = 6;

inline Patterns nothing(std::int32_t tips) {
  return patterns_of(std::vector<std::string>(static_cast<std::size_t>(tips), "A"));
}

/// A chain without data, and what is seen of it.
struct Prior {
  std::string model = "GTR+G+I";
  std::optional<Priors> priors;  ///< if nothing, those of the model
  PerMove<double> weights{};
  std::function<double(Move, double)> hastings;
  PerMove<double> boldness{};  ///< after burn-in, where it is not 0
  std::uint64_t seed = 1;
  int samples = 3000;
  int every = 60;

  template <class See>
  void run(See&& see) const {
    const Patterns patterns = nothing(taxa);
    ChainSetup setup;
    setup.patterns = &patterns;
    setup.model = parse_model(model);
    setup.priors = priors.value_or(Priors(setup.model));
    setup.weights = weights;
    setup.with_data = false;
    setup.seed = seed;
    setup.hastings = hastings;
    setup.tuned_generations = 20000;
    Chain chain(setup, 0, 0);
    Tuning tuning = first_tuning(weights);
    std::int64_t generation = 0;
    const auto advance = [&](std::int64_t by) {
      chain.advance(generation, generation + by, 1, tuning);
      generation += by;
    };
    advance(setup.tuned_generations);
    for (std::size_t m = 0; m < moves; ++m)
      if (boldness[m] > 0) tuning.moves[m].boldness = boldness[m];
    for (int i = 0; i < samples; ++i) {
      advance(every);
      see(chain.state());
    }
  }

  /// Gives the statistic of what `value` sees.
  double statistic(const std::function<double(const ChainState&)>& value,
                   const std::function<double(double)>& cumulative) const {
    std::vector<double> values;
    run([&](const ChainState& state) { values.push_back(value(state)); });
    return kolmogorov_smirnov(values, cumulative);
  }
};

inline Prior all_moves() {
  Prior prior;
  prior.weights = {2, 2, 3, 2, 3, 2, 2, 0, 2, 2};
  return prior;
}

inline double exponential_1(double x) { return 1 - std::exp(-x); }

}  // namespace phylo
