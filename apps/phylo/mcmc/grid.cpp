#include "phylo/mcmc/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "maslin/phase.hpp"
#include "phylo/mcmc/variates.hpp"

namespace phylo {

Grid::Grid(const GridSetup& setup) : setup_(&setup) {
  const auto chains = static_cast<std::size_t>(setup.chains);
  RunState fresh;
  fresh.heats.resize(chains);
  std::iota(fresh.heats.begin(), fresh.heats.end(), 0);
  fresh.tunings.assign(chains, first_tuning(setup.chain.weights));
  fresh.swaps_tried.assign(chains * chains, 0);
  fresh.swaps_accepted = fresh.swaps_tried;
  runs_.assign(static_cast<std::size_t>(setup.runs), fresh);
  make_chains(nullptr);
}

Grid::Grid(const GridSetup& setup, GridState state)
    : setup_(&setup), generation_(state.generation), runs_(std::move(state.runs)) {
  std::vector<ChainState> states;
  for (RunState& run : runs_) {
    for (ChainState& chain : run.chains) states.push_back(std::move(chain));
    run.chains.clear();
  }
  make_chains(&states);
}

void Grid::make_chains(const std::vector<ChainState>* states) {
  chains_.resize(static_cast<std::size_t>(setup_->runs) * static_cast<std::size_t>(setup_->chains));
  maslin::phase(chains_phase, static_cast<std::int64_t>(chains_.size()), [&](std::int64_t stream) {
    const auto i = static_cast<std::size_t>(stream);
    const int run = static_cast<int>(stream) / setup_->chains, chain = static_cast<int>(stream) % setup_->chains;
    chains_[i] = states ? std::make_unique<Chain>(setup_->chain, run, chain, (*states)[i])
                        : std::make_unique<Chain>(setup_->chain, run, chain);
  });
}

void Grid::advance(std::int64_t generation, const std::function<bool()>& stopping) {
  const std::int64_t between = setup_->chains > 1 ? setup_->swap_every : generation;
  while (generation_ < generation) {
    if (stopping && stopping()) return;
    const std::int64_t swap_at = (generation_ / between + 1) * between;
    const std::int64_t last = std::min(generation, swap_at);
    maslin::phase(chains_phase, static_cast<std::int64_t>(chains_.size()), [&](std::int64_t stream) {
      const int chain = static_cast<int>(stream) % setup_->chains;
      RunState& run = runs_[static_cast<std::size_t>(stream) / static_cast<std::size_t>(setup_->chains)];
      const int heat = run.heats[static_cast<std::size_t>(chain)];
      chains_[static_cast<std::size_t>(stream)]->advance(generation_, last, power(heat),
                                                         run.tunings[static_cast<std::size_t>(heat)]);
    });
    generation_ = last;
    if (setup_->chains > 1 && last == swap_at)
      for (int run = 0; run < setup_->runs; ++run) swap_two(run);
  }
}

void Grid::swap_two(int run) {
  const std::uint64_t of_run = stream_seed(setup_->chain.seed, Draw::swap, static_cast<std::uint64_t>(run));
  Random random(stream_seed(of_run, Draw::swap, static_cast<std::uint64_t>(generation_)));
  const auto chains = static_cast<std::uint64_t>(setup_->chains);
  const std::size_t a = random.below(chains), b = (a + 1 + random.below(chains - 1)) % chains;
  RunState& state = runs_[static_cast<std::size_t>(run)];
  const double gain =
      chains_[at(run, static_cast<int>(b))]->log_posterior() - chains_[at(run, static_cast<int>(a))]->log_posterior();
  const double log_ratio = (power(state.heats[a]) - power(state.heats[b])) * gain;
  const auto [low, high] = std::minmax(state.heats[a], state.heats[b]);
  const std::size_t pair = static_cast<std::size_t>(low) * chains + static_cast<std::size_t>(high);
  ++state.swaps_tried[pair];
  if (!(std::log(open_uniform(random)) < log_ratio)) return;
  ++state.swaps_accepted[pair];
  std::swap(state.heats[a], state.heats[b]);
}

const ChainState& Grid::cold(int run) const {
  const std::vector<int>& heats = runs_[static_cast<std::size_t>(run)].heats;
  const auto chain = std::find(heats.begin(), heats.end(), 0) - heats.begin();
  return chains_[at(run, static_cast<int>(chain))]->state();
}

Computed Grid::computed() const {
  Computed sum;
  for (const auto& chain : chains_) {
    const Computed its = chain->computed();
    sum.likelihoods += its.likelihoods;
    sum.vectors += its.vectors;
  }
  return sum;
}

double Grid::largest_error() const {
  std::vector<double> errors(chains_.size());
  maslin::phase(chains_phase, static_cast<std::int64_t>(chains_.size()), [&](std::int64_t stream) {
    const auto i = static_cast<std::size_t>(stream);
    errors[i] = std::abs(chains_[i]->state().lnl - chains_[i]->likelihood_anew());
  });
  const auto is_less = [](double a, double b) { return !std::isnan(a) && !(a >= b); };
  return *std::max_element(errors.begin(), errors.end(), is_less);
}

GridState Grid::state() const {
  GridState state{generation_, runs_};
  for (int run = 0; run < setup_->runs; ++run)
    for (int chain = 0; chain < setup_->chains; ++chain)
      state.runs[static_cast<std::size_t>(run)].chains.push_back(chains_[at(run, chain)]->state());
  return state;
}

}  // namespace phylo
