#include "phylo/mcmc/chain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "phylo/io/error.hpp"
#include "phylo/mcmc/variates.hpp"

namespace phylo {
namespace {

constexpr double starting_length = 0.1;
constexpr double starting_shape = 1;
constexpr double starting_invariant = 0.1;

/// Gives the value, or the middle of a uniform prior that excludes it.
double allowed(const Distribution& prior, double value) {
  if (prior.kind != Distribution::Kind::uniform) return value;
  const double low = prior.parameters[0], high = prior.parameters[1];
  return value > low && value < high ? value : (low + high) / 2;
}

std::uint64_t chain_seed(std::uint64_t seed, int run, int chain) {
  return stream_seed(stream_seed(seed, Draw::chain, static_cast<std::uint64_t>(run)), Draw::chain,
                     static_cast<std::uint64_t>(chain));
}

}  // namespace

Model starting_model(const Model& model, const Priors& priors) {
  Model out = model;
  const Sampled sampled(model);
  if (sampled.rates > 0) {
    // Those of the notation are 1 unless a command that optimizes has changed them.
    DistinctRates rates(out);
    const double sum = std::accumulate(rates.values.begin(), rates.values.end(), 0.0);
    for (double& rate : rates.values) rate /= sum;
    rates.set_in(out);
  }
  if (sampled.invariant) out.invariant = starting_invariant;
  if (sampled.shape) out.alpha = allowed(priors.shape, starting_shape);
  if (!out.equal_frequencies && sampled.frequencies) out.frequencies.assign(out.frequencies.size(), 1.0 / out.states());
  // The engine counts frequencies in the alignment unless they are given.
  out.frequencies_from = Origin::fixed;
  return out;
}

Chain::Chain(const ChainSetup& setup, int run, int chain)
    : setup_(&setup), sampled_(setup.model), seed_(chain_seed(setup.seed, run, chain)) {
  Random random(stream_seed(seed_, Draw::generation, 0));
  const double length = allowed(setup.priors.branches, starting_length);
  state_.tree = setup.start ? *setup.start : random_topology(random, setup.patterns->taxa, length);
  state_.model = starting_model(setup.model, setup.priors);
  const std::int32_t tips = state_.tree.tips();
  state_.place =
      tips + static_cast<HalfEdge>(random.below(static_cast<std::uint64_t>(state_.tree.half_edges() - tips)));
  prepare();
  state_.lnl = engine_ ? engine_->evaluate(state_.tree) : 0;
  state_.log_prior = prior();
  if (!std::isfinite(state_.log_prior)) throw std::logic_error("mcmc: the prior excludes where the chains begin");
}

Chain::Chain(const ChainSetup& setup, int run, int chain, ChainState state)
    : setup_(&setup), sampled_(setup.model), seed_(chain_seed(setup.seed, run, chain)), state_(std::move(state)) {
  if (!std::isfinite(prior()))
    throw input_error("the chains that were kept are where the priors exclude them; start afresh with --redo");
  prepare();
}

void Chain::prepare() {
  before_ = state_;
  if (!setup_->with_data) return;
  Engine::Options options;
  options.proposals = true;
  options.precision = setup_->precision;
  if (setup_->segment) options.segment = &*setup_->segment;
  engine_ = std::make_unique<Engine>(*setup_->patterns, state_.model, options);
}

double Chain::prior() const {
  return log_prior(setup_->priors.branches, state_.tree) + log_prior(setup_->priors, sampled_, state_.model);
}

double Chain::likelihood_anew() const {
  Engine::Options options;
  options.memory = 0;
  if (setup_->segment) options.segment = &*setup_->segment;
  return setup_->with_data ? Engine(*setup_->patterns, state_.model, options).evaluate(state_.tree) : 0;
}

void Chain::advance(std::int64_t first, std::int64_t last, double heat, Tuning& tuning) {
  const auto sum_of_weights = [&] {
    double sum = 0;
    for (const MoveRecord& record : tuning.moves) sum += record.weight;
    return sum;
  };
  double total_weight = sum_of_weights();
  const bool tunes = first < setup_->tuned_generations;
  Coordinates at{};
  if (tunes) at = coordinates_of(state_.tree, state_.model, sampled_);
  for (std::int64_t generation = first + 1; generation <= last; ++generation) {
    Random random(stream_seed(seed_, Draw::generation, static_cast<std::uint64_t>(generation)));
    double drawn = random.uniform() * total_weight;
    std::size_t m = 0;
    while (m + 1 < moves && drawn >= tuning.moves[m].weight) drawn -= tuning.moves[m++].weight;
    while (tuning.moves[m].weight == 0) --m;  // rounding may leave the last ones a little
    MoveRecord& record = tuning.moves[m];
    const auto move = static_cast<Move>(m);
    const bool accepted = make_move(move, random, heat, record.boldness);
    ++record.tried;
    record.accepted += accepted;
    if (generation > setup_->tuned_generations) continue;
    tune(move, accepted, record);
    const Coordinates now = accepted ? coordinates_of(state_.tree, state_.model, sampled_) : at;
    note(move, step_, accepted, at, now, tuning);
    at = now;
    if (!weighs_after(generation, setup_->tuned_generations)) continue;
    weigh(setup_->adapts, tuning);
    total_weight = sum_of_weights();
  }
}

bool Chain::make_move(Move move, Random& random, double heat, double boldness) {
  // The places follow each other around the tree, so that what one move has made ready serves the next.
  state_.place = next_place(state_.tree, state_.place);
  before_ = state_;
  propose(move, state_.place, random, boldness, setup_->extension, state_.tree, state_.model, step_);
  if (step_.reach == Step::Reach::nothing) return false;
  const double log_hastings = setup_->hastings ? setup_->hastings(move, step_.log_hastings) : step_.log_hastings;
  state_.log_prior = prior();
  bool accepted = std::isfinite(state_.log_prior);
  if (accepted) {
    if (engine_) state_.lnl = proposed_likelihood(step_);
    const double gain = (state_.lnl - before_.lnl) + (state_.log_prior - before_.log_prior);
    accepted = std::log(open_uniform(random)) < heat * gain + log_hastings;
    if (engine_) accepted ? engine_->accept() : engine_->reject();
  }
  if (!accepted) std::swap(state_, before_);
  return accepted;
}

double Chain::proposed_likelihood(const Step& step) {
  if (step.reach == Step::Reach::branches) return engine_->propose(state_.tree, step.around, step.changed, step.at);
  if (step.reach == Step::Reach::lengths) return engine_->propose_all(state_.tree, step.at);
  return engine_->propose(state_.tree, state_.model, step.at);
}

}  // namespace phylo
