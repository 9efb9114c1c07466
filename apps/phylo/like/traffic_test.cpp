#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>

#include "maslin/maslin.hpp"
#include "maslin/trace.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/like/state.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/tree/grown_tree.hpp"

namespace {

namespace ms = maslin;
using phylo::Engine;
using phylo::Patterns;

Patterns random_patterns(int taxa, int count) {
  std::mt19937_64 random(1);
  Patterns p;
  p.taxa = taxa;
  p.count = count;
  for (int i = 0; i < taxa * count; ++i) p.codes.push_back(static_cast<std::uint8_t>(1U << random() % 4));
  p.weights.assign(static_cast<std::size_t>(count), 1);
  for (int taxon = 0; taxon < taxa; ++taxon) p.names.push_back("t" + std::to_string(taxon));
  return p;
}

constexpr int taxa = 20, groups = 64;
const Patterns patterns = random_patterns(taxa, groups* phylo::lanes);
const phylo::Model model = phylo::parse_model("JC");
/// Of a CLV, with its counts.
constexpr std::int64_t clv_bytes = groups * phylo::lanes * (4 * sizeof(double) + sizeof(std::int32_t));

phylo::Tree caterpillar() {
  std::mt19937_64 random(2);
  return phylo::grown_tree(
      taxa, random, [] { return 0.1; }, true);
}

struct Said {
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
};

/// Gives what the program's loops say that they move.
template <class Program>
Said said_by(Program&& program) {
  const std::string path = testing::TempDir() + "traffic.mtrace";
  setenv("MASLIN_TRACE", path.c_str(), 1);
  {
    const ms::Runtime runtime(ms::Runtime::options{.workers = 2, .serial = false});
    program();
  }
  unsetenv("MASLIN_TRACE");
  Said said;
  ms::trace::file(path).each_event([&](const ms::trace::event& e) {
    if (e.kind != ms::trace::event_kind::traffic) return;
    said.bytes += static_cast<std::int64_t>(e.argument);
    ++said.blocks;
  });
  return said;
}

constexpr std::int64_t blocks = groups / phylo::block_groups(4);

TEST(Traffic, VectorsThatAreComputedForTheFirstTimeAreFetched) {
  std::int64_t vectors = 0;
  const Said said = said_by([&] {
    Engine engine(patterns, model);
    engine.evaluate(caterpillar());
    vectors = engine.computed().vectors;
  });
  ASSERT_GT(vectors, taxa / 2);
  EXPECT_EQ(said.bytes, vectors * clv_bytes);  // what the evaluation reads is there by then
  EXPECT_EQ(said.blocks, blocks);
}

TEST(Traffic, VectorsThatStayInACacheDoNotMove) {
  const auto said = [](int times) {
    return said_by([&] {
      Engine engine(patterns, model);
      phylo::Tree tree = caterpillar();
      for (int i = 0; i < times; ++i) {
        tree.set_length(0, 0.2 + 0.1 * i);
        engine.changed(tree, 0);
        engine.evaluate(tree, 0);
        engine.makenewz(tree, 0);
      }
    });
  };
  const Said once = said(1), thrice = said(3);
  EXPECT_EQ(thrice.bytes, once.bytes);
  EXPECT_GT(thrice.blocks, 2 * once.blocks);  // each says so
}

TEST(Traffic, WhereManyEnginesShareACacheVectorsMoveEachTime) {
  std::int64_t first = 0, then = 0;
  const auto said = [&](bool again) {
    return said_by([&] {
      std::deque<Engine> others;
      const Patterns few = random_patterns(4, 1);
      while (phylo::cache_of_an_engine() >= clv_bytes) others.emplace_back(few, model);
      Engine engine(patterns, model);
      const phylo::Tree tree = caterpillar();
      engine.evaluate(tree, 0);
      first = engine.computed().vectors;
      if (!again) return;
      engine.evaluate(tree, 2 * taxa);  // elsewhere: some vectors are there already, others are not
      then = engine.computed().vectors - first;
    });
  };
  const std::int64_t once = said(false).bytes, twice = said(true).bytes;
  EXPECT_EQ(once, 2 * first * clv_bytes);  // fetched and written back
  // Each is fetched and written back, and its children are fetched, of which one is made in the same loop. So are the
  // ends of the branch, of which one is there from before.
  ASSERT_GT(then, 1);
  EXPECT_GT(twice - once, 2 * then * clv_bytes);
  EXPECT_LE(twice - once, (3 * then + 2) * clv_bytes);
}

}  // namespace
