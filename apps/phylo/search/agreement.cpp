#include "phylo/search/agreement.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "phylo/search/random.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

namespace {

constexpr int divisions = 100, agreeing = 99;

/// Counts the splits of these trees.
std::vector<int> count(const NumberedSplits& splits, std::span<const std::size_t> trees) {
  std::vector<int> counts(splits.all.size(), 0);
  for (const std::size_t tree : trees)
    for (const std::size_t split : splits.of_tree[tree]) ++counts[split];
  return counts;
}

/// Gives the extended majority consensus of so many trees, which has `most` splits at most: by falling count, every
/// split that fits those before it. Of equal counts the one that was met first comes first.
std::vector<std::size_t> consensus(const NumberedSplits& splits, const std::vector<int>& counts, int trees,
                                   std::size_t most) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) candidates.push_back(i);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::size_t> taken;
  for (const std::size_t one : candidates) {
    if (taken.size() == most) break;
    const bool fits = 2 * counts[one] > trees || std::all_of(taken.begin(), taken.end(), [&](std::size_t other) {
                        return compatible(splits.all[one], splits.all[other]);
                      });
    if (fits) taken.push_back(one);
  }
  return taken;
}

/// Gives what two halves differ by, as a share of the most.
double difference(const NumberedSplits& splits, std::span<const std::size_t> order, std::size_t most) {
  const std::size_t half = order.size() / 2;
  const std::vector<int> counts[2] = {count(splits, order.first(half)), count(splits, order.last(half))};
  std::map<std::size_t, std::pair<int, int>> shared;  // counts in the first and in the second consensus
  std::size_t all = 0;
  for (const int side : {0, 1}) {
    const std::vector<std::size_t> taken = consensus(splits, counts[side], static_cast<int>(half), most);
    for (const std::size_t split : taken)
      (side == 0 ? shared[split].first : shared[split].second) = counts[side][split];
    all += taken.size();
  }
  const double sum = std::accumulate(shared.begin(), shared.end(), 0.0, [](double before, const auto& one) {
    return before + std::abs(one.second.first - one.second.second);
  });
  return all == 0 ? 0 : sum / (static_cast<double>(half) * static_cast<double>(all));
}

}  // namespace

Agreement agreement(const std::vector<Tree>& trees, double cutoff, std::uint64_t seed) {
  assert(!trees.empty() && trees.size() % 2 == 0);
  const NumberedSplits splits(trees);
  const std::size_t most = static_cast<std::size_t>(trees.front().tips()) - 3;  // splits of a tree
  Random random(stream_seed(seed, Draw::halves, trees.size()));
  std::vector<std::size_t> order(trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Agreement found;
  int within = 0;
  for (int i = 0; i < divisions; ++i) {
    random.shuffle(order);
    const double here = difference(splits, order, most);
    found.difference += here / divisions;
    within += here <= cutoff;
  }
  found.within = static_cast<double>(within) / divisions;
  found.enough = within >= agreeing && found.difference <= cutoff;
  return found;
}

}  // namespace phylo
