#include "phylo/mcmc/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "phylo/io/error.hpp"

namespace phylo {

bool Ranks::begin(bool in_order) {
  std::array<double, 1> said{in_order ? 1.0 : 0.0};
  broadcast(said);
  stage_ = said[0] != 0 ? Stage::begun : Stage::ended;
  return said[0] != 0;
}

int choose_segments(int wanted, int ranks, int chains) {
  std::vector<int> possible;
  for (int segments = 1; segments <= ranks; ++segments)
    if (ranks % segments == 0 && ranks / segments <= chains) possible.push_back(segments);
  if (wanted == 0) return possible.front();
  if (std::ranges::find(possible, wanted) != possible.end()) return wanted;
  throw input_error(fmt::format(
      "--segments {}: {} ranks are to be divided into groups of that many, and each group gets one or more of {} "
      "chains; with these ranks it can be {}",
      wanted, ranks, chains, fmt::join(possible, ", ")));
}

Segment segment_of(Ranks& ranks, int segments, const Patterns& patterns, const Model& model) {
  std::vector<int> counts = blocks_of_segments(patterns, segments);
  int blocks = std::accumulate(counts.begin(), counts.end(), 0);
  if (blocks < segments)
    throw input_error(
        fmt::format("the {} patterns of the alignment are {} blocks, which cannot be divided into {} segments; give a "
                    "smaller --segments, or start fewer ranks",
                    patterns.count, blocks, segments));
  if (model.ascertained()) {
    ++counts.back();
    ++blocks;
  }
  return {ranks.rank() % segments, segments,
          [&ranks, counts,
           all = std::vector<double>(static_cast<std::size_t>(blocks))](std::span<const double> of_blocks) mutable {
            ranks.gather_in_group(of_blocks, counts, all);
            return sum_in_order(all);
          }};
}

}  // namespace phylo
