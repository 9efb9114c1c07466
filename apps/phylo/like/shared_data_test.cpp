// The engine on real alignments, against log-likelihoods that an independent program (RAxML-NG 1.2.2) computed. The
// data are not part of the project; without them the test is skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "checkout.hpp"
#include "phylo/io/alignment.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/model/scheme.hpp"

namespace {

struct Known {
  const char* name;
  double lnl;
};

class SharedData : public testing::TestWithParam<Known> {};

TEST_P(SharedData, LogLikelihoodIsTheKnownOne) {
  const auto data = checkout() / "../shared/data";
  if (!std::filesystem::exists(data))
    GTEST_SKIP() << "skipped: shared/data absent; it runs where that folder lies beside the repository";
  const std::string name = GetParam().name;
  const auto alignment = phylo::read_alignment((data / "alignments" / (name + ".phy")).string());
  const auto patterns = phylo::compress(alignment);
  const std::string model_file = (data / "likelihood" / (name + ".model")).string();
  std::ifstream in(model_file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto model = phylo::parse_scheme(text, model_file).parts.front().model;
  const auto tree = phylo::read_tree((data / "likelihood" / (name + ".tree")).string(), patterns.names, "the alignment",
                                     phylo::Lengths::required);
  phylo::Engine engine(patterns, model);
  EXPECT_NEAR(engine.evaluate(tree), GetParam().lnl, 1e-4);
  EXPECT_NEAR(engine.evaluate(tree, tree.half_edges() - 1), GetParam().lnl, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(References, SharedData,
                         testing::Values(Known{"d025_h1n1ha", -10214.017676030}, Known{"d041_m1366", -12082.612512797},
                                         Known{"d062_carnivora", -193277.593750702},
                                         Known{"d110_fong", -293926.671004397}),
                         [](const auto& known) { return std::string(known.param.name); });

}  // namespace
