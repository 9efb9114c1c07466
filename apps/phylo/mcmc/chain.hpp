#pragma once
// One Markov chain over trees, branch lengths and model parameters.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "phylo/io/patterns.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/mcmc/moves.hpp"
#include "phylo/mcmc/priors.hpp"
#include "phylo/mcmc/tuning.hpp"
#include "phylo/model/model.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Where a chain is.
struct ChainState {
  Tree tree;
  Model model;
  HalfEdge place = none;  ///< of the latest move
  double lnl = 0;
  double log_prior = 0;
};

/// What all chains of a run share.
struct ChainSetup {
  const Patterns* patterns = nullptr;
  std::optional<Segment> segment;  ///< of them, which this rank computes; nothing: all
  Model model;                     ///< what is sampled of it, and where that begins
  Priors priors;
  PerMove<double> weights{};  ///< how often moves are made at first
  PerMove<bool> adapts{};     ///< moves whose weight is adapted during burn-in
  double extension = default_extension;
  bool with_data = true;  ///< without, the likelihood is 1 everywhere, and the priors are sampled
  std::uint64_t seed = 1;
  std::int64_t tuned_generations = 0;         ///< in later ones boldness and weights stay
  Precision precision = Precision::binary64;  ///< of conditional likelihood vectors
  std::optional<Tree> start;                  ///< all chains begin there instead of at a random topology
  /// For tests: gives what is taken for the logarithm of the Hastings ratio of a step.
  std::function<double(Move, double log_ratio)> hastings;
};

/// A chain draws the random numbers of each generation from a stream of their own (seed, run, chain, generation). So it
/// goes on the same way from a state that was kept, whatever was computed before.
class Chain {
 public:
  /// Makes the first state: a random topology with the starting lengths and parameters. Off-loads its likelihood, as
  /// `advance` does; so it is called in a stream.
  Chain(const ChainSetup& setup, int run, int chain);
  /// Goes on from a state. Throws `input_error` if the priors exclude it.
  Chain(const ChainSetup& setup, int run, int chain, ChainState state);

  const ChainState& state() const { return state_; }
  /// The logarithm of posterior density, up to a constant.
  double log_posterior() const { return state_.lnl + state_.log_prior; }

  /// Makes the moves of the generations (first, last]. Ratios of posterior densities count with the power `heat`.
  void advance(std::int64_t first, std::int64_t last, double heat, Tuning& tuning);

  /// Gives what this object has computed.
  Computed computed() const { return engine_ ? engine_->computed() : Computed{}; }

  /// Gives the log-likelihood of the state computed anew by an engine of its own, with doubles, for checks. Off-loads.
  double likelihood_anew() const;

 private:
  void prepare();
  double prior() const;  ///< its logarithm where the chain is
  bool make_move(Move move, Random& random, double heat, double boldness);
  double proposed_likelihood(const Step& step);

  const ChainSetup* setup_;
  Sampled sampled_;
  std::uint64_t seed_;  ///< of this chain's generations
  ChainState state_;
  ChainState before_;  ///< the latest generation's
  Step step_;
  std::unique_ptr<Engine> engine_;
};

/// Gives the model at which chains begin: rates as parts of 1, where they are sampled, and what the priors allow.
Model starting_model(const Model& model, const Priors& priors);

}  // namespace phylo
