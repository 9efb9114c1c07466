#pragma once
// How far samples of several runs can be trusted.

#include <optional>
#include <vector>

#include "phylo/tree/splits.hpp"

namespace phylo {

/// Gives how many independent samples would tell as much of the mean: n / (1 + 2 sum of autocorrelations), of which
/// pairs of an even lag and the next are added while they are positive (Geyer 1992). Between 1 and n; nothing where the
/// samples do not vary, which may be because the chain is stuck.
std::optional<double> effective_sample_size(const std::vector<double>& samples);

/// Gives the potential scale reduction factor of as many samples of each run (Gelman and Rubin 1992), 1 where the runs
/// agree; where nothing varies within the runs, 1 if all have the same value, and infinity otherwise. There must be two
/// runs and two samples at least.
double scale_reduction(const std::vector<std::vector<double>>& runs);

/// Splits that are rarer in every run say nothing.
inline constexpr double least_split_share = 0.1;

/// How far the shares of splits differ between runs.
struct SplitDeviation {
  double average = 0;  ///< standard deviation over the runs, in the mean over the splits
  double largest = 0;
};

/// Gives it of splits that have the least share in one run at least; nothing where there are none. All runs have as
/// many trees, one at least.
std::optional<SplitDeviation> split_deviation(const std::vector<SplitCounts>& runs);

/// What is known of a parameter from the samples of all runs.
struct Summary {
  double mean = 0;
  double variance = 0;
  double median = 0;
  double low = 0, high = 0;         ///< the shortest interval that holds 95 % of the samples
  std::optional<double> least_ess;  ///< of a run; nothing where a run has one value only
  std::optional<double> total_ess;
  double scale_reduction = 1;  ///< 1 with one run
};
Summary summarize(const std::vector<std::vector<double>>& runs);

}  // namespace phylo
