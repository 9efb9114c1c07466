#include "phylo/run/chain_checkpoint.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "phylo/io/error.hpp"
#include "phylo/mcmc/small_trees.hpp"
#include "phylo/model/notation.hpp"
#include "scratch_folder.hpp"

namespace {

using phylo::ChainCheckpoint;
using phylo::ChainIdentity;

ChainIdentity identity_with(std::map<std::string, std::string> options) {
  ChainIdentity identity;
  identity.alignment = "0123";
  identity.alignment_file = "a.phy";
  identity.taxa = 4;
  identity.sites = 10;
  identity.instructions = "avx2";
  identity.program = "2";
  identity.options = std::move(options);
  return identity;
}

class ChainCheckpoints : public testing::Test {
 protected:
  /// Keeps chains without a generation.
  std::uint64_t keep(const ChainIdentity& identity) const {
    ChainCheckpoint checkpoint(path_, identity, false, {});
    checkpoint.save({}, {}, 0, {});
    return checkpoint.number();
  }
  std::string refusal(const ChainIdentity& identity) const {
    try {
      ChainCheckpoint(path_, identity, false, {}).load();
    } catch (const phylo::input_error& e) {
      return e.what();
    }
    return "none";
  }

  const scratch_folder folder_;
  const std::string path_ = folder_.file("x.chains");
};

TEST_F(ChainCheckpoints, FromBeforeThereWasPrecisionGoOnInDouble) {
  const std::uint64_t number = keep(identity_with({{"--seed", "1"}}));
  const ChainIdentity now = identity_with({{"--seed", "1"}, {"--precision", "double"}});
  for (int time = 0; time < 2; ++time) {
    ChainCheckpoint again(path_, now, false, {});
    EXPECT_TRUE(again.load());
    EXPECT_EQ(again.number(), number);
    again.save({}, {}, 0, {});
  }
  const std::string other = refusal(identity_with({{"--seed", "1"}, {"--precision", "single"}}));
  EXPECT_NE(other.find("these chains were made with --precision double, not single; choose another --prefix"),
            std::string::npos)
      << other;
}

TEST_F(ChainCheckpoints, OfAnOptionThatOneOfThemLacksAreRefused) {
  keep(identity_with({{"--seed", "1"}, {"--clock", "strict"}}));
  const std::string lost = refusal(identity_with({{"--seed", "1"}}));
  EXPECT_NE(lost.find("these chains were made with --clock strict, not unset;"), std::string::npos) << lost;
  const std::string more = refusal(identity_with({{"--seed", "1"}, {"--clock", "strict"}, {"--speed", "2"}}));
  EXPECT_NE(more.find("these chains were made with --speed unset, not 2;"), std::string::npos) << more;
}

TEST_F(ChainCheckpoints, AFifoIsNotWaitedFor) {
  const ChainIdentity identity = identity_with({});
  keep(identity);
  for (const char* name : {"/state", "/identity.json"}) {
    std::filesystem::remove(path_ + name);
    ASSERT_EQ(mkfifo((path_ + name).c_str(), 0600), 0);
    EXPECT_NE(refusal(identity).find(std::string(name) + ": is no regular file, so it is none of this checkpoint's"),
              std::string::npos)
        << refusal(identity);
  }
}

phylo::GridState state_of_some_chains() {
  const phylo::Patterns patterns = phylo::patterns_of({"ACGTACGTAC", "ACGTTCGAAC", "ACCTTCAATC", "AGCTTCATTC"});
  phylo::GridSetup setup;
  setup.chain.patterns = &patterns;
  setup.chain.model = phylo::parse_model("JC");
  setup.chain.weights = phylo::default_weights(phylo::Sampled(setup.chain.model));
  return phylo::Grid(setup).state();
}

TEST_F(ChainCheckpoints, HaveWhatIsNotedOfTwentyFrequencies) {
  phylo::GridState state = state_of_some_chains();
  const ChainIdentity identity = identity_with({});
  const auto size = [&] { return std::filesystem::file_size(path_ + "/state"); };
  ChainCheckpoint(path_, identity, false, {}).save(state, {}, 0, {});
  const auto of_dna = size();
  for (const std::size_t noted : {std::size_t{13}, phylo::coordinates_of_dna, phylo::coordinates - 1}) {
    const phylo::Spread spread{0.5, 2, 3, 4};
    state.runs[0].tunings[1].spreads = {};
    state.runs[0].tunings[1].spreads[noted] = spread;
    ChainCheckpoint checkpoint(path_, identity, false, {});
    checkpoint.save(state, {}, 0, {});
    const auto& found = checkpoint.load()->grid.runs[0].tunings[1].spreads;
    EXPECT_EQ(found, state.runs[0].tunings[1].spreads) << noted;
    EXPECT_EQ(size() > of_dna, noted >= phylo::coordinates_of_dna) << "DNA has no place for them";
  }
}

TEST_F(ChainCheckpoints, OfMovesWithoutBoldnessAreDamaged) {
  phylo::GridState state = state_of_some_chains();
  const ChainIdentity identity = identity_with({});
  ChainCheckpoint(path_, identity, false, {}).save(state, {}, 0, {});
  EXPECT_EQ(refusal(identity), "none");
  state.runs[1].tunings[2].moves[3].boldness = 0;
  ChainCheckpoint(path_, identity, false, {}).save(state, {}, 0, {});
  EXPECT_NE(refusal(identity).find("state:3:1: is damaged: it holds a move without boldness; choose another --prefix"),
            std::string::npos)
      << refusal(identity);
}

}  // namespace
