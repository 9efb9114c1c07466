// A search that was stopped anywhere, written down and read again, ends as if nothing had happened.

#include "phylo/run/begun_search.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <maslin/maslin.hpp>
#include <string>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/search/random.hpp"
#include "phylo/search/search.hpp"

namespace phylo {
namespace {

using json = record_json;

/// Sites of taxa that come from each other: each row is that of an earlier taxon, some characters changed.
Patterns descended(int taxa, int sites, std::uint64_t seed) {
  Random random(seed);
  Alignment alignment;
  for (int taxon = 0; taxon < taxa; ++taxon) {
    std::string row(static_cast<std::size_t>(sites), 'A');
    if (taxon > 0) row = alignment.rows[random.below(static_cast<std::uint64_t>(taxon))];
    for (char& c : row)
      if (taxon == 0 || random.uniform() < 0.15) c = "ACGT"[random.below(4)];
    alignment.names.push_back("t" + std::to_string(taxon));
    alignment.rows.push_back(row);
  }
  return compress(alignment);
}

struct Case {
  const char* name;
  std::vector<const char*> models;
  bool unlinked;
};

class Begun : public testing::TestWithParam<Case> {
 protected:
  Begun() {
    std::uint64_t seed = 5;
    for (const char* model : GetParam().models)
      parts_.push_back({"p" + std::to_string(seed), descended(11, 120, seed++), parse_model(model)});
    options_.unlinked = GetParam().unlinked;
    options_.effort = {.restarts = 2, .ratchets = 2, .fruitless = 2};
  }

  maslin::Runtime runtime_{{.serial = true}};
  Parts parts_;
  SearchOptions options_;
};

TEST_P(Begun, GoesOnFromAnywhereToTheSameBits) {
  bool all_stages[4] = {};
  for (const int restarts : {0, 2}) {  // of which one may lead to the same tree, which is the end then
    options_.effort.restarts = restarts;
    std::vector<std::string> texts;
    options_.keep = [&](const SearchState& state) { texts.push_back(to_json(BegunSearch{state, 1.5}).dump()); };
    const SearchResult expected = search(parts_, options_);
    ASSERT_GE(texts.size(), 5U);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const BegunSearch begun = to_begun_search(json::parse(texts[i]), parts_);
      EXPECT_EQ(begun.seconds, 1.5);
      EXPECT_EQ(to_json(begun).dump(), texts[i]);
      all_stages[static_cast<int>(begun.state.stage)] = true;
      SearchOptions on = options_;
      on.from = &begun.state;
      std::size_t next = i + 1;  // it goes the same way
      on.keep = [&](const SearchState& state) {
        ASSERT_LT(next, texts.size());
        EXPECT_EQ(to_json(BegunSearch{state, 1.5}).dump(), texts[next++]);
      };
      const SearchResult found = search(parts_, on);
      EXPECT_EQ(next, texts.size());
      EXPECT_EQ(found.lnl, expected.lnl);
      EXPECT_TRUE(found.tree == expected.tree);
      EXPECT_TRUE(found.models == expected.models);
      EXPECT_EQ(found.counts.rounds, expected.counts.rounds);
    }
  }
  for (const bool stage : all_stages) EXPECT_TRUE(stage);
}

TEST_P(Begun, WhatIsNoStateOfThisRunIsRefused) {
  json whole;
  options_.keep = [&](const SearchState& state) { whole = to_json(BegunSearch{state, 0}); };
  search(parts_, options_);
  const auto refused = [&](const std::function<void(json&)>& change) {
    json changed = whole;
    change(changed);
    EXPECT_THROW(to_begun_search(changed, parts_), input_error) << changed.dump();
  };
  refused([](json& j) { j["stage"] = 4; });
  refused([](json& j) { j["nearest"] = 0; });
  refused([](json& j) { j["farthest"] = 0; });
  refused([](json& j) { j["models"].push_back(j["models"][0]); });
  refused([](json& j) { j["curvatures"] = json::array(); });
  refused([](json& j) { j["models"][0]["rates"].push_back(1); });
  refused([](json& j) { j["models"][0]["frequencies"][1] = -0.1; });
  refused([](json& j) { j["models"][0]["invariant"] = 1; });
  refused([](json& j) { j["models"][0]["speed"] = 0; });
  refused([](json& j) { j["tree"]["partners"][0] = 1; });
  refused([](json& j) { j["tree"]["partners"].erase(0); });
  refused([](json& j) { j["tree"]["lengths"].erase(0); });
  const auto unreadable = [&](const std::function<void(json&)>& change) {
    json changed = whole;
    change(changed);
    EXPECT_THROW(to_begun_search(changed, parts_), json::exception) << changed.dump();
  };
  unreadable([](json& j) { j.erase("judged"); });
  unreadable([](json& j) { j["judged"] = 1.8446744073709552e19; });  // is no number of steps
  unreadable([](json& j) { j["judged"] = -1; });
  unreadable([](json& j) { j["nearest"] = std::int64_t{1} << 40; });
  unreadable([](json& j) { j["stage"] = 1.5; });
  unreadable([](json& j) { j["tree"]["partners"][0] = 1e30; });
}

INSTANTIATE_TEST_SUITE_P(Models, Begun,
                         testing::Values(Case{"gamma", {"GTR+G"}, false}, Case{"free_rates", {"HKY+R3"}, false},
                                         Case{"ascertained", {"HKY+F+ASC_FELS{30}"}, false},
                                         Case{"partitions", {"GTR+G+I", "JC+G"}, false},
                                         Case{"unlinked", {"HKY+G", "JC"}, true}),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace phylo
