#include "phylo/mcmc/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "maslin/phase.hpp"
#include "phylo/mcmc/variates.hpp"

namespace phylo {
namespace {

RunState fresh_run(const GridSetup& setup) {
  const auto chains = static_cast<std::size_t>(setup.chains);
  RunState fresh;
  fresh.heats.resize(chains);
  std::iota(fresh.heats.begin(), fresh.heats.end(), 0);
  fresh.tunings.assign(chains, first_tuning(setup.chain.weights));
  fresh.swaps_tried.assign(chains * chains, 0);
  fresh.swaps_accepted = fresh.swaps_tried;
  return fresh;
}

}  // namespace

Grid::Grid(const GridSetup& setup) : setup_(&setup) {
  runs_.assign(static_cast<std::size_t>(setup.runs), fresh_run(setup));
  begin(std::nullopt);
}

Grid::Grid(const GridSetup& setup, GridState state) : setup_(&setup) {
  runs_.assign(static_cast<std::size_t>(setup.runs), fresh_run(setup));
  begin(std::move(state));
}

void Grid::begin(std::optional<GridState> given) {
  std::optional<GridState> state = beginning(std::move(given));
  std::vector<ChainState> states;
  if (state) {
    generation_ = state->generation;
    runs_ = std::move(state->runs);
    for (RunState& run : runs_) {
      for (ChainState& chain : run.chains) states.push_back(std::move(chain));
      run.chains.clear();
    }
  }
  chains_.resize(static_cast<std::size_t>(setup_->runs) * static_cast<std::size_t>(setup_->chains));
  for_each_chain([&](std::size_t i) {
    const int run = static_cast<int>(i) / setup_->chains, chain = static_cast<int>(i) % setup_->chains;
    chains_[i] = state ? std::make_unique<Chain>(setup_->chain, run, chain, std::move(states[i]))
                       : std::make_unique<Chain>(setup_->chain, run, chain);
  });
  bring_cold_chains();
  done();
}

void Grid::for_each_chain(const std::function<void(std::size_t)>& work) const {
  std::vector<std::size_t> own;
  for (std::size_t i = 0; i < chains_.size(); ++i)
    if (!is_divided() || group_of(i) == setup_->ranks->group()) own.push_back(i);
  // Within a chain's generation, ranks of several segments exchange messages, which is for the rank's own code only.
  if (is_divided() && (setup_->ranks->segments() > 1 || own.size() == 1)) {
    for (const std::size_t i : own) work(i);
    return;
  }
  maslin::phase(chains_phase, static_cast<std::int64_t>(own.size()),
                [&](std::int64_t stream) { work(own[static_cast<std::size_t>(stream)]); });
}

void Grid::advance(std::int64_t generation, const std::function<bool()>& stopping) {
  if (generation_ >= generation || (stopping && stopping())) return;
  tell(Order::advance, static_cast<double>(generation));
  const std::int64_t between = setup_->chains > 1 ? setup_->swap_every : generation;
  for (bool stops = false; generation_ < generation && !stops;) {
    const std::int64_t swap_at = (generation_ / between + 1) * between;
    const std::int64_t last = std::min(generation, swap_at);
    for_each_chain([&](std::size_t i) {
      RunState& run = runs_[i / static_cast<std::size_t>(setup_->chains)];
      const int heat = run.heats[i % static_cast<std::size_t>(setup_->chains)];
      chains_[i]->advance(generation_, last, power(heat), run.tunings[static_cast<std::size_t>(heat)]);
    });
    generation_ = last;
    if (setup_->chains == 1 || last < swap_at) continue;
    stops = stopping && stopping();
    const std::vector<double> log_posteriors =
        of_all_chains([&](std::size_t i) { return chains_[i]->log_posterior(); }, stops);
    for (int run = 0; run < setup_->runs; ++run) swap_two(run, log_posteriors);
  }
  bring_cold_chains();
  done();
}

void Grid::swap_two(int run, std::span<const double> log_posteriors) {
  const std::uint64_t of_run = stream_seed(setup_->chain.seed, Draw::swap, static_cast<std::uint64_t>(run));
  Random random(stream_seed(of_run, Draw::swap, static_cast<std::uint64_t>(generation_)));
  const auto chains = static_cast<std::uint64_t>(setup_->chains);
  const std::size_t a = random.below(chains), b = (a + 1 + random.below(chains - 1)) % chains;
  RunState& state = runs_[static_cast<std::size_t>(run)];
  const double gain = log_posteriors[at(run, static_cast<int>(b))] - log_posteriors[at(run, static_cast<int>(a))];
  const double log_ratio = (power(state.heats[a]) - power(state.heats[b])) * gain;
  const auto [low, high] = std::minmax(state.heats[a], state.heats[b]);
  const std::size_t pair = static_cast<std::size_t>(low) * chains + static_cast<std::size_t>(high);
  ++state.swaps_tried[pair];
  if (!(std::log(open_uniform(random)) < log_ratio)) return;
  ++state.swaps_accepted[pair];
  exchange_tunings(run, a, b);
  std::swap(state.heats[a], state.heats[b]);
}

const ChainState& Grid::cold(int run) const {
  const std::vector<int>& heats = runs_[static_cast<std::size_t>(run)].heats;
  const auto chain = std::find(heats.begin(), heats.end(), 0) - heats.begin();
  const std::unique_ptr<Chain>& own = chains_[at(run, static_cast<int>(chain))];
  return own ? own->state() : cold_[static_cast<std::size_t>(run)];
}

Computed Grid::computed() const {
  tell(Order::computed);
  const auto sum = [&](std::int64_t Computed::*what) {
    const std::vector<double> all =
        of_all_chains([&](std::size_t i) { return static_cast<double>(chains_[i]->computed().*what); });
    return static_cast<std::int64_t>(std::accumulate(all.begin(), all.end(), 0.0));
  };
  const Computed all{sum(&Computed::likelihoods), sum(&Computed::vectors)};
  done();
  return all;
}

double Grid::largest_error() const {
  tell(Order::errors);
  std::vector<double> errors(chains_.size());
  for_each_chain([&](std::size_t i) { errors[i] = std::abs(chains_[i]->state().lnl - chains_[i]->likelihood_anew()); });
  errors = of_all_chains([&](std::size_t i) { return errors[i]; });
  done();
  const auto is_less = [](double a, double b) { return !std::isnan(a) && !(a >= b); };
  return *std::max_element(errors.begin(), errors.end(), is_less);
}

GridState Grid::state() const {
  tell(Order::state);
  GridState state{generation_, runs_};
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    RunState& run = state.runs[i / static_cast<std::size_t>(setup_->chains)];
    const int heat = run.heats[i % static_cast<std::size_t>(setup_->chains)];
    run.chains.push_back(chains_[i] ? chains_[i]->state() : ChainState());
    bring(i, run.chains.back(), run.tunings[static_cast<std::size_t>(heat)]);
  }
  done();
  return state;
}

}  // namespace phylo
