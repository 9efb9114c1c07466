#include "phylo/search/random_start.hpp"

#include "phylo/search/growth.hpp"

namespace phylo {

Tree random_start(std::int32_t taxa, Random& random, const Constraint* constraint) {
  const auto any = [&](const Tree&, HalfEdge, const std::vector<HalfEdge>& open) {
    return open[random.below(open.size())];
  };
  Tree tree = grown(taxa, random, constraint, any, [](const Tree&, Node) {});
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, start_length); });
  return tree;
}

}  // namespace phylo
