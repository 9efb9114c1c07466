#pragma once
// Runs of coupled chains (Geyer 1991): a grid of chains × segments of the alignment. The chains of all runs are the
// streams of a phase; the segments are the blocks of the loops that each off-loads.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "phylo/mcmc/chain.hpp"

namespace phylo {

/// The name of the phase, by which it is pinned (MASLIN_PIN="chains=2x1") and reported.
inline constexpr const char* chains_phase = "chains";

struct GridSetup {
  ChainSetup chain;
  int runs = 2;
  int chains = 4;            ///< of each run; the first heat is the cold one, which is sampled
  double temperature = 0.1;  ///< heat i has the power 1 / (1 + temperature * i)
  std::int64_t swap_every = 10;
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

/// The same setup gives the same states to the last bit at any number of workers, in any configuration, and from any
/// state that was kept.
class Grid {
 public:
  explicit Grid(const GridSetup& setup);
  Grid(const GridSetup& setup, GridState state);

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
  /// Gives what all chains have computed since this object was made.
  Computed computed() const;
  /// Gives by how much the log-likelihood of a chain differs at most from that computed anew with doubles; NaN if it is
  /// no number for one.
  double largest_error() const;
  /// Gives the chain of that number, whatever its heat.
  const Chain& chain(int run, int number) const { return *chains_[at(run, number)]; }

 private:
  std::size_t at(int run, int chain) const {
    return static_cast<std::size_t>(run) * static_cast<std::size_t>(setup_->chains) + static_cast<std::size_t>(chain);
  }
  void make_chains(const std::vector<ChainState>* states);
  void swap_two(int run);
  double power(int heat) const { return 1 / (1 + setup_->temperature * heat); }

  const GridSetup* setup_;
  std::int64_t generation_ = 0;
  std::vector<std::unique_ptr<Chain>> chains_;  ///< of all runs
  std::vector<RunState> runs_;                  ///< without the states of chains, which these have
};

}  // namespace phylo
