// A grid that ranks divide: the states of one process, in groups of chains × segments of any number.

#include <algorithm>
#include <optional>

#include "maslin/ranks.hpp"
#include "phylo/io/error.hpp"
#include "phylo/mcmc/small_grid.hpp"

namespace phylo {
namespace {

/// Ranks of Maslin's own, in this process.
class OwnRanks : public Ranks {
 public:
  explicit OwnRanks(maslin::communicator& world) : world_(world) {}
  int rank() const override { return world_.rank(); }
  int size() const override { return world_.size(); }
  void divide(int segments) override {
    segments_ = segments;
    group_.emplace(world_.split(Ranks::group()));
  }
  void broadcast(std::span<double> numbers) override { world_.broadcast(numbers); }
  void broadcast(std::span<unsigned char> bytes) override { world_.broadcast(bytes); }
  void gather(std::span<const double> mine, std::span<const int> counts, std::span<double> all) override {
    gather_among(world_, mine, counts, all);
  }
  void gather_in_group(std::span<const double> mine, std::span<const int> counts, std::span<double> all) override {
    gather_among(*group_, mine, counts, all);
  }
  void send(std::span<const double> numbers, int to) override { world_.send(numbers, to); }
  void receive(std::span<double> numbers, int from) override { world_.receive(numbers, from); }
  void exchange(std::span<const double> mine, std::span<double> theirs, int with) override {
    world_.exchange(mine, with, theirs, with);
  }

 private:
  static void gather_among(maslin::communicator& ranks, std::span<const double> mine, std::span<const int> counts,
                           std::span<double> all) {
    ASSERT_EQ(mine.size(), static_cast<std::size_t>(counts[static_cast<std::size_t>(ranks.rank())]));
    const auto most = static_cast<std::size_t>(*std::ranges::max_element(counts));
    std::vector<double> equally_many(mine.begin(), mine.end()), gathered(most * counts.size());
    equally_many.resize(most);
    ranks.all_gather(equally_many, gathered);
    auto to = all.begin();
    for (std::size_t rank = 0; rank < counts.size(); ++rank)
      to = std::copy_n(gathered.begin() + static_cast<std::ptrdiff_t>(rank * most), counts[rank], to);
  }

  maslin::communicator& world_;
  std::optional<maslin::communicator> group_;
};

/// Several blocks of patterns.
Patterns many_patterns() {
  Random random(3);
  std::vector<std::string> rows(7);
  for (int site = 0; site < 400; ++site) {
    char base = "ACGT"[random.below(4)];
    for (std::string& row : rows) row += random.below(3) == 0 ? "ACGT"[random.below(4)] : base;
  }
  return patterns_of(rows);
}

/// Rank 0 works with a grid of so many ranks, which goes on from `state` if there is one.
template <class Work>
void with_ranks(int count, int segments, const Patterns& patterns, const GridSetup& setup,
                const std::optional<GridState>& state, Work&& work) {
  maslin::ranks(count, [&](maslin::communicator& world) {
    OwnRanks ranks(world);
    ranks.divide(segments);
    GridSetup own = setup;
    own.ranks = &ranks;
    if (segments > 1) own.chain.segment = segment_of(ranks, segments, patterns, own.chain.model);
    if (world.rank() > 0) return Grid(own).follow();
    if (state) {
      Grid grid(own, *state);
      work(grid);
    } else {
      Grid grid(own);
      work(grid);
    }
  });
}

TEST(GridOfRanks, HasTheStatesOfOneProcess) {
  const Patterns patterns = many_patterns();
  const GridSetup setup = setup_of(patterns);
  Grid alone(setup);
  std::vector<GridState> expected;
  std::vector<double> lnls, errors;
  constexpr std::int64_t stops[] = {0, 95, 100, 1000};
  for (const std::int64_t stop : stops) {
    alone.advance(stop);
    expected.push_back(alone.state());
    lnls.push_back(alone.cold(1).lnl);
    errors.push_back(alone.largest_error());
  }
  EXPECT_GT(alone.swaps_accepted(0)[1], 0);
  for (const auto& [ranks, segments] : {std::pair{1, 1}, {2, 1}, {2, 2}, {3, 3}, {4, 2}, {6, 1}, {8, 4}, {12, 2}}) {
    SCOPED_TRACE(testing::Message() << ranks << " ranks, " << segments << " segments");
    with_ranks(ranks, segments, patterns, setup, std::nullopt, [&](Grid& grid) {
      for (std::size_t i = 0; i < expected.size(); ++i) {
        grid.advance(stops[i]);
        expect_equal(grid.state(), expected[i]);
        EXPECT_EQ(grid.cold(1).lnl, lnls[i]);
        EXPECT_EQ(grid.largest_error(), errors[i]);
        for (int run = 0; run < setup.runs; ++run)
          EXPECT_EQ(grid.records(run)[0].tried,
                    expected[i].runs[static_cast<std::size_t>(run)].tunings[0].moves[0].tried);
      }
      EXPECT_EQ(grid.computed().likelihoods, alone.computed().likelihoods);
    });
  }
}

TEST(GridOfRanks, GoesOnAtAnotherOne) {
  const Patterns patterns = many_patterns();
  const GridSetup setup = setup_of(patterns);
  Grid undisturbed(setup);
  undisturbed.advance(600);
  GridState state = Grid(setup).state();
  std::int64_t stop = 0;
  for (const auto& [ranks, segments] : {std::pair{6, 3}, {1, 1}, {4, 1}, {3, 3}, {6, 2}})
    with_ranks(ranks, segments, patterns, setup, state, [&](Grid& grid) {
      grid.advance(stop += 97);
      state = grid.state();
    });
  Grid last(setup, state);
  last.advance(600);
  expect_equal(last.state(), undisturbed.state());
}

TEST(GridOfRanks, StopsTogether) {
  const Patterns patterns = many_patterns();
  const GridSetup setup = setup_of(patterns);
  Grid alone(setup);
  alone.advance(100);
  with_ranks(4, 2, patterns, setup, std::nullopt, [&](Grid& grid) {
    grid.advance(500, [&] { return grid.generation() >= 100; });
    expect_equal(grid.state(), alone.state());
    grid.advance(500, [] { return true; });
    EXPECT_EQ(grid.generation(), 100);
  });
}

TEST(GridOfRanks, HasAsFewSegmentsAsLeaveNoGroupWithoutAChain) {
  EXPECT_EQ(choose_segments(0, 1, 8), 1);
  EXPECT_EQ(choose_segments(0, 8, 8), 1);
  EXPECT_EQ(choose_segments(0, 12, 8), 2);
  EXPECT_EQ(choose_segments(0, 11, 8), 11);
  EXPECT_EQ(choose_segments(4, 8, 8), 4);
  for (const auto& [wanted, ranks] : {std::pair{3, 8}, {1, 9}, {16, 8}}) {
    try {
      choose_segments(wanted, ranks, 8);
      ADD_FAILURE() << wanted << " segments of " << ranks << " ranks";
    } catch (const input_error& refused) {
      EXPECT_NE(std::string(refused.what()).find("it can be " + std::string(ranks == 8 ? "1, 2, 4, 8" : "3, 9")),
                std::string::npos)
          << refused.what();
    }
  }
}

}  // namespace
}  // namespace phylo
