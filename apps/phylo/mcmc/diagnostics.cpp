#include "phylo/mcmc/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace phylo {
namespace {

double mean_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

/// Over n - 1.
double variance_of(const std::vector<double>& x) {
  if (x.size() < 2) return 0;
  const double mean = mean_of(x);
  double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return sum / static_cast<double>(x.size() - 1);
}

/// Whether a variance is no more than what rounding makes of a constant.
bool constant(double variance, double mean) {
  constexpr double rounding = 1e-12;
  return !(variance > rounding * rounding * mean * mean);
}

}  // namespace

std::optional<double> effective_sample_size(const std::vector<double>& samples) {
  const std::size_t n = samples.size();
  const auto count = static_cast<double>(n);
  const double mean = mean_of(samples);
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < n; ++i) sum += (samples[i] - mean) * (samples[i + lag] - mean);
    return sum / count;
  };
  const double variance = covariance(0);
  if (n == 0 || constant(variance, mean)) return std::nullopt;
  if (n < 4) return count;
  // Geyer's initial monotone sequence: sums of an even lag and the next are positive and fall.
  double length = -1, latest = 2;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair = std::min((covariance(lag) + covariance(lag + 1)) / variance, latest);
    if (pair <= 0) break;
    length += 2 * pair;
    latest = pair;
  }
  return std::clamp(count / std::max(length, 1.0), 1.0, count);
}

double scale_reduction(const std::vector<std::vector<double>>& runs) {
  std::vector<double> means, variances;
  for (const std::vector<double>& run : runs) {
    means.push_back(mean_of(run));
    variances.push_back(variance_of(run));
  }
  const auto n = static_cast<double>(runs.front().size());
  const double within = mean_of(variances), between = variance_of(means);
  if (constant(within, mean_of(means)))
    return constant(between, mean_of(means)) ? 1 : std::numeric_limits<double>::infinity();
  return std::sqrt(((n - 1) / n * within + between) / within);
}

std::optional<SplitDeviation> split_deviation(const std::vector<SplitCounts>& runs) {
  std::set<Split> splits;
  for (const SplitCounts& run : runs)
    for (const auto& [split, entry] : run.entries())
      if (entry.trees >= least_split_share * run.trees()) splits.insert(split);
  if (splits.empty()) return std::nullopt;
  SplitDeviation result;
  for (const Split& split : splits) {
    std::vector<double> shares;
    for (const SplitCounts& run : runs) shares.push_back(static_cast<double>(run.count(split)) / run.trees());
    const double deviation = std::sqrt(variance_of(shares));
    result.average += deviation / static_cast<double>(splits.size());
    result.largest = std::max(result.largest, deviation);
  }
  return result;
}

Summary summarize(const std::vector<std::vector<double>>& runs) {
  Summary s;
  std::vector<double> all;
  std::vector<double> sizes;
  for (const std::vector<double>& run : runs) {
    all.insert(all.end(), run.begin(), run.end());
    if (const std::optional<double> size = effective_sample_size(run)) sizes.push_back(*size);
  }
  if (sizes.size() == runs.size()) {
    s.least_ess = *std::min_element(sizes.begin(), sizes.end());
    s.total_ess = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  }
  s.mean = mean_of(all);
  s.variance = variance_of(all);
  if (runs.size() > 1) s.scale_reduction = scale_reduction(runs);
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size(), middle = n / 2;
  s.median = n % 2 == 1 ? all[middle] : (all[middle - 1] + all[middle]) / 2;
  const std::size_t held = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(n))));
  s.low = all.front();
  s.high = all.back();
  for (std::size_t first = 0; first + held <= n; ++first)
    if (all[first + held - 1] - all[first] < s.high - s.low) {
      s.low = all[first];
      s.high = all[first + held - 1];
    }
  return s;
}

}  // namespace phylo
