#include "phylo/search/random_start.hpp"

#include <numeric>
#include <optional>
#include <vector>

#include "phylo/tree/rearrange.hpp"

namespace phylo {

Tree random_start(std::int32_t taxa, Random& random, const Constraint* constraint) {
  constexpr double length = 0.1;  // expected substitutions per site; smoothing comes next anyhow
  std::optional<ConstrainedGrowth> growth;
  if (constraint != nullptr) growth.emplace(*constraint);
  std::vector<HalfEdge> order(static_cast<std::size_t>(taxa));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  Tree tree = triplet(taxa, order[0], order[1], order[2], length);
  std::vector<HalfEdge> open;
  for (std::size_t k = 3; k < order.size(); ++k) {
    const std::vector<char>* const places = growth ? &growth->places(tree, order[0], order[k]) : nullptr;
    open.clear();
    tree.for_each_branch([&](HalfEdge h) {
      if (places == nullptr || (*places)[static_cast<std::size_t>(h)] != 0) open.push_back(h);
    });
    attach_tip(tree, order[k], taxa + static_cast<Node>(k) - 2, open[random.below(open.size())], length);
  }
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, length); });
  return tree;
}

}  // namespace phylo
