#include "phylo/search/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "phylo/io/alignment.hpp"
#include "phylo/model/part.hpp"

namespace phylo {
namespace {

/// Three taxa, `count` patterns that can be told apart, pattern p at 1 + p % 3 sites.
Patterns some_patterns(int count) {
  Patterns patterns;
  patterns.taxa = 3;
  patterns.count = count;
  patterns.names = {"a", "b", "c"};
  for (int t = 0; t < 3; ++t)
    for (int p = 0; p < count; ++p) patterns.codes.push_back(static_cast<std::uint8_t>(1 + (p >> 4 * t) % 15));
  for (int p = 0; p < count; ++p) {
    patterns.weights.push_back(static_cast<std::uint32_t>(1 + p % 3));
    patterns.pattern_of_site.insert(patterns.pattern_of_site.end(), 1 + p % 3, p);
  }
  return patterns;
}

TEST(Bootstrap, draws_as_many_sites_and_drops_what_was_not_drawn) {
  const Patterns patterns = some_patterns(200);
  const Patterns drawn = bootstrap_patterns(patterns, 1, 0);
  EXPECT_EQ(drawn.sites(), patterns.sites());
  EXPECT_EQ(drawn.names, patterns.names);
  EXPECT_LT(drawn.count, patterns.count);
  EXPECT_EQ(drawn.weights.size(), static_cast<std::size_t>(drawn.count));
  EXPECT_EQ(drawn.codes.size(), static_cast<std::size_t>(drawn.count) * 3);
  std::vector<std::uint32_t> counted(drawn.weights.size(), 0);
  for (const std::int32_t p : drawn.pattern_of_site) ++counted[static_cast<std::size_t>(p)];
  EXPECT_EQ(counted, drawn.weights);
  EXPECT_EQ(std::count(drawn.weights.begin(), drawn.weights.end(), 0U), 0);
}

TEST(Bootstrap, is_the_same_for_the_same_replicate_only) {
  const Patterns patterns = some_patterns(100);
  const Patterns first = bootstrap_patterns(patterns, 9, 4);
  EXPECT_EQ(first.pattern_of_site, bootstrap_patterns(patterns, 9, 4).pattern_of_site);
  EXPECT_EQ(first.codes, bootstrap_patterns(patterns, 9, 4).codes);
  EXPECT_NE(first.codes, bootstrap_patterns(patterns, 9, 5).codes);
  EXPECT_NE(first.codes, bootstrap_patterns(patterns, 8, 4).codes);
}

TEST(Bootstrap, draws_each_pattern_in_proportion_to_its_sites) {
  Patterns patterns = some_patterns(15);  // the first taxon's code tells the pattern
  const int replicates = 2000;
  std::vector<double> drawn_sites(15, 0);
  for (int r = 0; r < replicates; ++r) {
    const Patterns drawn = bootstrap_patterns(patterns, 3, static_cast<std::uint64_t>(r));
    for (int p = 0; p < drawn.count; ++p)
      drawn_sites[static_cast<std::size_t>(drawn.row(0)[p] - 1)] += drawn.weights[static_cast<std::size_t>(p)];
  }
  for (std::size_t p = 0; p < 15; ++p) EXPECT_NEAR(drawn_sites[p] / replicates, patterns.weights[p], 0.15);
}

TEST(Bootstrap, counts_the_invariant_sites_of_each_replicate) {
  Model model;
  model.with_invariant = true;
  model.invariant_from = Origin::empirical;
  Part part{"", compress(parse_alignment("4 6\na ACGTRR\nb ACAARG\nc A-CCRR\nd ANTGRR\n", "in")), model};
  count_invariant(part.model, part.patterns);
  EXPECT_DOUBLE_EQ(part.model.invariant, 3.0 / 6);  // R in all may be two bases
  double least = 1, most = 0;
  for (std::uint64_t replicate = 0; replicate < 40; ++replicate) {
    const Part drawn = bootstrap_parts({part}, 5, replicate).front();
    Model counted = model;
    count_invariant(counted, drawn.patterns);
    EXPECT_EQ(drawn.model.invariant, counted.invariant);
    least = std::min(least, drawn.model.invariant), most = std::max(most, drawn.model.invariant);
  }
  EXPECT_LT(least, most);
  model.invariant_from = Origin::fixed;
  count_invariant(model, part.patterns);
  EXPECT_EQ(model.invariant, 0);
}

}  // namespace
}  // namespace phylo
