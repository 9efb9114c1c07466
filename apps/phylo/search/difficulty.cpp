#include "phylo/search/difficulty.hpp"

#include <algorithm>
#include <numeric>

#include "maslin/loop.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

namespace {

constexpr std::size_t tree_count = 24;

}  // namespace

std::vector<ParsimonyTree> parsimony_trees(const Parts& parts, std::uint64_t seed, const Constraint* constraint) {
  const ParsimonySites sites(patterns_of(parts));
  std::vector<ParsimonyTree> made(tree_count, {Tree(sites.taxa()), {}});
  maslin::parallel_for(
      0, tree_count,
      [&](maslin::range r) {
        Random random(stream_seed(seed, Draw::start_tree, static_cast<std::uint64_t>(r.first)));
        ParsimonyTree& one = made[static_cast<std::size_t>(r.first)];
        one.tree = parsimony_start(sites, random, parsimony_radius, constraint);
        one.random = random.state();
      },
      maslin::block{1});
  return made;
}

Difficulty difficulty_of(const Parts& parts, const std::vector<ParsimonyTree>& trees) {
  std::vector<Tree> found;
  for (const ParsimonyTree& one : trees) found.push_back(one.tree);
  const int taxa = found.front().tips();
  const std::vector<std::int32_t> distances = robinson_foulds(found);
  const double most = 2.0 * std::max(1, taxa - 3);
  const double sum = std::accumulate(distances.begin(), distances.end(), 0.0);
  Difficulty out;
  out.distance = sum / static_cast<double>(distances.size()) / most;
  out.topologies = static_cast<double>(count_topologies(found)) / static_cast<double>(found.size());
  for (const Part& part : parts) out.patterns += static_cast<double>(part.patterns.count) / taxa;
  out.score = score_of(out.distance, out.topologies, out.patterns);
  return out;
}

double score_of(double distance, double topologies, double patterns) {
  return std::clamp(0.9 * distance + 0.25 * topologies + 0.25 / (1 + patterns / 10), 0.0, 1.0);
}

SearchPlan plan_for(double score) {
  // Chosen on twelve alignments, of which apps/phylo/README.md tells. Ratchets from one start find less than as many
  // from several.
  if (score < 0.25) return {.parsimony = 1, .random = 0, .ratchets = 1};
  if (score < 0.5) return {.parsimony = 2, .random = 0, .ratchets = 3};
  if (score < 0.85) return {.parsimony = 4, .random = 2, .ratchets = 4};
  if (score < 0.95) return {.parsimony = 3, .random = 1, .ratchets = 4};
  return {.parsimony = 2, .random = 0, .ratchets = 2};
}

}  // namespace phylo
