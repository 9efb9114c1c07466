#include "phylo/like/segment.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "phylo/like/kernels.hpp"

namespace phylo {
namespace {

int patterns_of_block(const Patterns& of) { return block_groups(kernel_states(of.alphabet->states)) * lanes; }

int first_block(const Patterns& whole, int number, int segments) {
  const int each = patterns_of_block(whole), blocks = (whole.count + each - 1) / each;
  return static_cast<int>(std::int64_t{blocks} * number / segments);
}

}  // namespace

int first_pattern(const Patterns& whole, int number, int segments) {
  return std::min(whole.count, patterns_of_block(whole) * first_block(whole, number, segments));
}

std::vector<int> blocks_of_segments(const Patterns& whole, int segments) {
  std::vector<int> blocks;
  for (int number = 0; number < segments; ++number)
    blocks.push_back(first_block(whole, number + 1, segments) - first_block(whole, number, segments));
  return blocks;
}

double sum_in_order(std::span<const double> of_blocks) {
  return std::accumulate(of_blocks.begin(), of_blocks.end(), 0.0);
}

}  // namespace phylo
