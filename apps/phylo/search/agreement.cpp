#include "phylo/search/agreement.hpp"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <map>
#include <numeric>
#include <utility>

#include "phylo/search/random.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

namespace {

constexpr int divisions = 100, agreeing = 99;

/// The splits of all trees, by numbers.
class Splits {
 public:
  explicit Splits(const std::vector<Tree>& trees) : most_(static_cast<std::size_t>(trees.front().tips()) - 3) {
    std::map<Split, std::size_t> numbers;
    for (const Tree& tree : trees) {
      std::vector<std::size_t>& of_tree = of_.emplace_back();
      for (BranchSplit& one : inner_splits(tree)) {
        const auto [at, is_new] = numbers.try_emplace(std::move(one.split), all_.size());
        if (is_new) all_.push_back(at->first);
        of_tree.push_back(at->second);
      }
    }
  }

  /// Counts those of these trees.
  std::vector<int> count(const std::size_t* first, const std::size_t* last) const {
    std::vector<int> counts(all_.size(), 0);
    for (; first != last; ++first)
      for (const std::size_t split : of_[*first]) ++counts[split];
    return counts;
  }

  /// Gives the extended majority consensus: by falling count, every split that fits those before it. Of equal counts
  /// the one that was met first comes first.
  std::vector<std::size_t> consensus(const std::vector<int>& counts, int trees) const {
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0) candidates.push_back(i);
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
    std::vector<std::size_t> taken;
    for (const std::size_t one : candidates) {
      if (taken.size() == most_) break;
      const bool fits = 2 * counts[one] > trees || std::all_of(taken.begin(), taken.end(), [&](std::size_t other) {
                          return compatible(all_[one], all_[other]);
                        });
      if (fits) taken.push_back(one);
    }
    return taken;
  }

 private:
  std::size_t most_;
  std::vector<Split> all_;
  std::vector<std::vector<std::size_t>> of_;
};

/// Gives what two halves differ by, as a share of the most.
double difference(const Splits& splits, const std::vector<std::size_t>& order) {
  const std::size_t half = order.size() / 2;
  const std::vector<int> counts[2] = {splits.count(order.data(), order.data() + half),
                                      splits.count(order.data() + half, order.data() + order.size())};
  std::map<std::size_t, std::pair<int, int>> shared;  // counts in the first and in the second consensus
  std::size_t all = 0;
  for (const int side : {0, 1}) {
    const std::vector<std::size_t> taken = splits.consensus(counts[side], static_cast<int>(half));
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
  const Splits splits(trees);
  Random random(stream_seed(seed, Draw::halves, trees.size()));
  std::vector<std::size_t> order(trees.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Agreement found;
  int within = 0;
  for (int i = 0; i < divisions; ++i) {
    random.shuffle(order);
    const double here = difference(splits, order);
    found.difference += here / divisions;
    within += here <= cutoff;
  }
  found.within = static_cast<double>(within) / divisions;
  found.enough = within >= agreeing && found.difference <= cutoff;
  return found;
}

}  // namespace phylo
