#pragma once
// How far samples of several runs can be trusted.

#include <vector>

#include "phylo/tree/splits.hpp"

namespace phylo {

/// Gives how many independent samples would tell as much of the mean: n / (1 + 2 sum of autocorrelations), of which
/// pairs are added while they are positive (Geyer 1992). Between 1 and n; n where nothing varies.
double effective_sample_size(const std::vector<double>& samples);

/// Gives the potential scale reduction factor of as many samples of each run (Gelman and Rubin 1992), 1 where the runs
/// agree; 1 as well where nothing varies. There must be two runs and two samples at least.
double scale_reduction(const std::vector<std::vector<double>>& runs);

/// Splits that are rarer in every run say nothing.
inline constexpr double least_split_share = 0.1;

/// How far the shares of splits differ between runs.
struct SplitDeviation {
  double average = 0;  ///< standard deviation over the runs, in the mean over the splits
  double largest = 0;
};

/// Gives it of splits that have the least share in one run at least. All runs have as many trees, one at least.
SplitDeviation split_deviation(const std::vector<SplitCounts>& runs);

/// What is known of a parameter from the samples of all runs.
struct Summary {
  double mean = 0;
  double variance = 0;
  double median = 0;
  double low = 0, high = 0;  ///< the shortest interval that holds 95 % of the samples
  double least_ess = 0;      ///< of a run
  double total_ess = 0;
  double scale_reduction = 1;  ///< 1 with one run
};
Summary summarize(const std::vector<std::vector<double>>& runs);

}  // namespace phylo
