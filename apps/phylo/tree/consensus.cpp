#include "phylo/tree/consensus.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace phylo {
namespace {

struct Taken {
  const Split* split;
  std::int32_t trees;
  double length;  // mean
  std::int32_t tips;
};

std::int32_t lowest_tip(const Split& split) {
  std::int32_t at = 0;
  for (const std::uint64_t word : split) {
    if (word != 0) return at + std::countr_zero(word);
    at += 64;
  }
  return at;
}

std::vector<Taken> choose(const SplitCounts& counts, Consensus rule) {
  std::vector<Taken> all;
  for (const auto& [split, entry] : counts.entries())
    all.push_back({&split, entry.trees, entry.length / entry.trees, size(split)});
  std::stable_sort(all.begin(), all.end(), [](const Taken& a, const Taken& b) { return a.trees > b.trees; });
  std::vector<Taken> taken;
  for (const Taken& t : all) {
    const bool most = 2 * t.trees > counts.trees();
    if (rule == Consensus::strict ? t.trees == counts.trees() : most) {
      taken.push_back(t);  // any two of these stand together in at least one tree
    } else if (rule == Consensus::extended) {
      const bool fits = std::all_of(taken.begin(), taken.end(),
                                    [&](const Taken& other) { return compatible(*t.split, *other.split); });
      if (fits) taken.push_back(t);
    }
  }
  return taken;
}

}  // namespace

Multifurcation consensus(const SplitCounts& counts, Consensus rule) {
  assert(counts.trees() > 0);
  std::vector<Taken> taken = choose(counts, rule);
  // Larger sets first: when a set is placed, the smallest placed set around its lowest tip is its parent.
  std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) {
    return a.tips != b.tips ? a.tips > b.tips : lowest_tip(*a.split) < lowest_tip(*b.split);
  });

  Multifurcation result;
  result.nodes.emplace_back();
  std::vector<std::int32_t> innermost(static_cast<std::size_t>(counts.tips()), 0);  // placed node around each tip
  for (const Taken& t : taken) {
    const auto index = static_cast<std::int32_t>(result.nodes.size());
    Multifurcation::Node node;
    node.parent = innermost[static_cast<std::size_t>(lowest_tip(*t.split))];
    node.support = static_cast<double>(t.trees) / counts.trees();
    node.length = t.length;
    result.nodes.push_back(std::move(node));
    for (std::int32_t tip = 0; tip < counts.tips(); ++tip)
      if (holds(*t.split, tip)) innermost[static_cast<std::size_t>(tip)] = index;
  }
  for (std::int32_t tip = 0; tip < counts.tips(); ++tip) {
    Multifurcation::Node node;
    node.parent = innermost[static_cast<std::size_t>(tip)];
    node.tip = tip;
    node.length = counts.tip_length(tip) / counts.trees();
    result.nodes.push_back(std::move(node));
  }

  // A node's lowest tip is known once its children's are, and children come later.
  std::vector<std::int32_t> lowest(result.nodes.size(), counts.tips());
  for (std::size_t i = result.nodes.size(); i-- > 1;) {
    const Multifurcation::Node& node = result.nodes[i];
    if (node.tip >= 0) lowest[i] = node.tip;
    auto& above = lowest[static_cast<std::size_t>(node.parent)];
    above = std::min(above, lowest[i]);
    result.nodes[static_cast<std::size_t>(node.parent)].children.push_back(static_cast<std::int32_t>(i));
  }
  for (Multifurcation::Node& node : result.nodes)
    std::sort(node.children.begin(), node.children.end(), [&](std::int32_t a, std::int32_t b) {
      return lowest[static_cast<std::size_t>(a)] < lowest[static_cast<std::size_t>(b)];
    });
  return result;
}

}  // namespace phylo
