#pragma once
// Runs of coupled chains (Geyer 1991): a grid of chains × segments of the alignment. In one process, the chains of all
// runs are the streams of a phase; the segments are the blocks of the loops that each off-loads. Ranks divide both.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "phylo/mcmc/chain.hpp"
#include "phylo/mcmc/ranks.hpp"

namespace phylo {

/// The name of the phase, by which it is pinned (MASLIN_PIN="chains=2x1") and reported.
inline constexpr const char* chains_phase = "chains";

struct GridSetup {
  ChainSetup chain;
  int runs = 2;
  int chains = 4;            ///< of each run; the first heat is the cold one, which is sampled
  double temperature = 0.1;  ///< heat i has the power 1 / (1 + temperature * i)
  std::int64_t swap_every = 10;
  Ranks* ranks = nullptr;  ///< that divide the grid; null: it is in this process alone
};

/// All that a run is at one generation.
struct RunState {
  std::vector<ChainState> chains;
  std::vector<int> heats;                 ///< by chain
  std::vector<Tuning> tunings;            ///< by heat
  std::vector<std::int64_t> swaps_tried;  ///< by pair of heats, lower * chains + higher
  std::vector<std::int64_t> swaps_accepted;
};

struct GridState {
  std::int64_t generation = 0;
  std::vector<RunState> runs;
};

/// The same setup gives the same states to the last bit at any number of workers and ranks, in any configuration, and
/// from any state that was kept.
///
/// Each of several ranks has a grid, which holds the chains of its group, with the patterns of its segment. Rank 0
/// calls the functions below as if it were alone; the others `follow`. The ranks of a group draw the same random
/// numbers and decide alike, since each gets the values of all blocks of its chains' likelihoods.
class Grid {
 public:
  explicit Grid(const GridSetup& setup);
  Grid(const GridSetup& setup, GridState state);
  /// The other ranks end, unless this is destroyed while they are at work.
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  /// Of other ranks than 0: does what rank 0's grid does, until that is destroyed.
  void follow();

  std::int64_t generation() const { return generation_; }
  /// Goes on to that generation, or, when `stopping` says so, to one before it.
  void advance(std::int64_t generation, const std::function<bool()>& stopping = {});

  /// Gives where the cold chain of a run is.
  const ChainState& cold(int run) const;
  /// Gives the records of a run's cold chain.
  const PerMove<MoveRecord>& records(int run) const {
    return runs_[static_cast<std::size_t>(run)].tunings.front().moves;
  }
  const std::vector<std::int64_t>& swaps_tried(int run) const {
    return runs_[static_cast<std::size_t>(run)].swaps_tried;
  }
  const std::vector<std::int64_t>& swaps_accepted(int run) const {
    return runs_[static_cast<std::size_t>(run)].swaps_accepted;
  }
  /// Gives a copy of everything, to be kept.
  GridState state() const;
  /// Gives what all chains have computed since this object was made; of each, by the rank of its first segment.
  Computed computed() const;
  /// Gives by how much the log-likelihood of a chain differs at most from that computed anew with doubles; NaN if it is
  /// no number for one.
  double largest_error() const;

 private:
  /// What rank 0 tells the others to do.
  enum class Order { advance, state, computed, errors, end };

  std::size_t at(int run, int chain) const {
    return static_cast<std::size_t>(run) * static_cast<std::size_t>(setup_->chains) + static_cast<std::size_t>(chain);
  }
  double power(int heat) const { return 1 / (1 + setup_->temperature * heat); }
  bool is_divided() const { return setup_->ranks != nullptr; }

  void begin(std::optional<GridState> state);
  /// Calls `work(chain)` for each chain of this rank, by its number among all.
  void for_each_chain(const std::function<void(std::size_t)>& work) const;
  void make_generations(std::int64_t generation, const std::function<bool()>& stopping);
  void swap_two(int run, std::span<const double> log_posteriors);

  // What ranks exchange; in one process they exchange nothing.
  int group_of(std::size_t chain) const;
  /// Gives what `of_chain` gives for each chain, to all ranks. `flag` becomes rank 0's.
  std::vector<double> of_all_chains(const std::function<double(std::size_t)>& of_chain, bool& flag) const;
  std::vector<double> of_all_chains(const std::function<double(std::size_t)>& of_chain) const;
  /// Rank 0 gets a chain's state, and the tuning of its heat; the other ranks' arguments stay.
  void bring(std::size_t chain, ChainState& state, Tuning& tuning) const;
  void bring_cold_chains();
  /// Two chains swap their heats: the tuning of each heat goes to the group of the chain that gets it.
  void exchange_tunings(int run, std::size_t a, std::size_t b);
  /// Gives what rank 0 begins with, to all ranks; nothing if chains begin anew.
  std::optional<GridState> beginning(std::optional<GridState> state) const;
  /// In rank 0: tells the others what all do now. They wait for the next order when it is `done`.
  void tell(Order order, double number = 0) const;
  void done() const;

  const GridSetup* setup_;
  std::int64_t generation_ = 0;
  std::vector<std::unique_ptr<Chain>> chains_;  ///< of all runs; null where it is another group's
  std::vector<RunState> runs_;                  ///< without the states of chains, which these have
  std::vector<ChainState> cold_;                ///< in rank 0: by run, if the chain is another group's
  mutable bool others_wait_ = false;            ///< in rank 0: until they are told something
};

}  // namespace phylo
