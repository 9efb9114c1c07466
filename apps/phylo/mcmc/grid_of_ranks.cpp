// What the ranks of a grid exchange.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "phylo/mcmc/grid.hpp"
#include "phylo/mcmc/packed.hpp"

namespace phylo {

Grid::~Grid() {
  if (!others_wait_) return;
  tell(Order::end);
  setup_->ranks->end();
}

void Grid::follow() {
  for (;;) {
    std::array<double, 2> told{};
    setup_->ranks->broadcast(told);
    switch (static_cast<Order>(told[0])) {
      case Order::advance:
        advance(static_cast<std::int64_t>(told[1]));
        break;
      case Order::state:
        (void)state();
        break;
      case Order::computed:
        (void)computed();
        break;
      case Order::errors:
        (void)largest_error();
        break;
      case Order::end:
        return setup_->ranks->end();
    }
  }
}

void Grid::tell(Order order, double number) const {
  if (!is_divided() || setup_->ranks->rank() != 0) return;
  others_wait_ = false;
  std::array<double, 2> told{static_cast<double>(order), number};
  setup_->ranks->broadcast(told);
}

void Grid::done() const { others_wait_ = is_divided() && setup_->ranks->rank() == 0; }

int Grid::group_of(std::size_t chain) const {
  // Group g has the chains from g * chains / groups on.
  const auto groups = static_cast<std::size_t>(setup_->ranks->groups());
  return static_cast<int>(((chain + 1) * groups - 1) / chains_.size());
}

std::vector<double> Grid::of_all_chains(const std::function<double(std::size_t)>& of_chain, bool& flag) const {
  std::vector<double> mine;
  if (!is_divided()) {
    for (std::size_t i = 0; i < chains_.size(); ++i) mine.push_back(of_chain(i));
    return mine;
  }
  Ranks& ranks = *setup_->ranks;
  // The first rank of each group tells its chains' values; before them stands the flag.
  std::vector<int> counts(static_cast<std::size_t>(ranks.size()));
  counts[0] = 1;
  if (ranks.rank() == 0) mine.push_back(flag ? 1 : 0);
  for (std::size_t i = 0; i < chains_.size(); ++i) {
    ++counts[static_cast<std::size_t>(group_of(i) * ranks.segments())];
    if (group_of(i) == ranks.group() && ranks.segment() == 0) mine.push_back(of_chain(i));
  }
  std::vector<double> all(1 + chains_.size());
  ranks.gather(mine, counts, all);
  flag = all.front() != 0;
  all.erase(all.begin());
  return all;
}

std::vector<double> Grid::of_all_chains(const std::function<double(std::size_t)>& of_chain) const {
  bool none_of_interest = false;
  return of_all_chains(of_chain, none_of_interest);
}

void Grid::bring(std::size_t chain, ChainState& state, Tuning& tuning) const {
  if (!is_divided()) return;
  Ranks& ranks = *setup_->ranks;
  const int from = group_of(chain) * ranks.segments();
  if (from == 0) return;
  if (ranks.rank() == from) ranks.send(packed(state, tuning), 0);
  if (ranks.rank() != 0) return;
  state = chains_.front()->state();  // of the same size
  std::vector<double> numbers = packed(state, tuning);
  ranks.receive(numbers, from);
  unpack(numbers, state, tuning);
}

void Grid::bring_cold_chains() {
  if (!is_divided()) return;
  cold_.resize(runs_.size());
  for (std::size_t run = 0; run < runs_.size(); ++run) {
    const std::vector<int>& heats = runs_[run].heats;
    const auto chain = static_cast<int>(std::find(heats.begin(), heats.end(), 0) - heats.begin());
    const std::size_t i = at(static_cast<int>(run), chain);
    if (chains_[i]) cold_[run] = chains_[i]->state();
    bring(i, cold_[run], runs_[run].tunings.front());
  }
}

void Grid::exchange_tunings(int run, std::size_t a, std::size_t b) {
  if (!is_divided()) return;
  Ranks& ranks = *setup_->ranks;
  RunState& state = runs_[static_cast<std::size_t>(run)];
  auto own = std::pair{group_of(at(run, static_cast<int>(a))), state.heats[a]};
  auto other = std::pair{group_of(at(run, static_cast<int>(b))), state.heats[b]};
  if (other.first == ranks.group()) std::swap(own, other);
  if (own.first != ranks.group() || own.first == other.first) return;
  const std::vector<double> mine = packed(state.tunings[static_cast<std::size_t>(own.second)]);
  std::vector<double> theirs(mine.size());
  ranks.exchange(mine, theirs, other.first * ranks.segments() + ranks.segment());
  unpack(theirs, state.tunings[static_cast<std::size_t>(other.second)]);
}

std::optional<GridState> Grid::beginning(std::optional<GridState> state) const {
  if (!is_divided()) return state;
  std::array<double, 1> is_kept{state ? 1.0 : 0.0};
  setup_->ranks->broadcast(is_kept);
  if (is_kept[0] == 0) return std::nullopt;
  if (!state) {  // one of its size
    state.emplace(GridState{0, runs_});
    ChainState chain;
    chain.tree = Tree(setup_->chain.patterns->taxa);
    chain.model = starting_model(setup_->chain.model, setup_->chain.priors);
    for (RunState& run : state->runs) run.chains.assign(static_cast<std::size_t>(setup_->chains), chain);
  }
  std::vector<double> numbers = packed(*state);
  setup_->ranks->broadcast(numbers);
  unpack(numbers, *state);
  return state;
}

}  // namespace phylo
