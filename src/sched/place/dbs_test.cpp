#include "sched/place/dbs.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include "sched/loop/share.hpp"

namespace maslin::place {
namespace {

/// Plain queues of a team, as exec/virtual will have them; what a search does to them is written down.
struct plain_queues {
  using work = std::string;

  int self;
  std::vector<std::deque<std::string>>& local;
  std::deque<std::string>& centre;
  std::vector<std::string>& steps;

  std::optional<std::string> take(std::deque<std::string>& from) {
    if (from.empty()) return std::nullopt;
    std::string head = from.front();
    from.pop_front();
    return head;
  }
  std::optional<std::string> take_own() {
    steps.push_back("own");
    return take(local[static_cast<std::size_t>(self)]);
  }
  std::optional<std::string> take_centre() {
    steps.push_back("centre");
    return take(centre);
  }
  int next_victim(int victim) {
    const int workers = static_cast<int>(local.size());
    for (int at = (victim < 0 ? self : victim) + 1; at % workers != self; ++at)
      if (!local[static_cast<std::size_t>(at % workers)].empty()) return at % workers;
    return -1;
  }
  bool bisect(int victim) {
    steps.push_back("bisect " + std::to_string(victim));
    auto& from = local[static_cast<std::size_t>(victim)];
    auto& to = local[static_cast<std::size_t>(self)];
    const std::size_t half = (from.size() + 1) / 2;
    to.insert(to.begin(), from.end() - static_cast<std::ptrdiff_t>(half), from.end());
    from.resize(from.size() - half);
    return half > 0;
  }
};

struct Dbs : testing::Test {
  std::vector<std::deque<std::string>> local{4};
  std::deque<std::string> centre;
  std::vector<std::string> steps;

  std::optional<std::string> next(int self) {
    plain_queues q{self, local, centre, steps};
    return dbs(q);
  }
};

TEST_F(Dbs, LooksIntoTheOwnQueueFirst) {
  local[1] = {"mine", "later"};
  centre = {"central"};
  EXPECT_EQ(next(1), "mine");
  EXPECT_EQ(steps, std::vector<std::string>{"own"});
}

TEST_F(Dbs, ThenIntoTheCentre) {
  local[0] = {"others"};
  centre = {"central"};
  EXPECT_EQ(next(1), "central");
}

TEST_F(Dbs, ThenTakesHalfOfTheNextInTheCircle) {
  local[0] = {"a", "b", "c", "d", "e"};
  local[3] = {"x"};
  EXPECT_EQ(next(1), "x") << "3 comes before 0 for worker 1";
  EXPECT_EQ(next(1), "c");
  EXPECT_EQ(local[0], (std::deque<std::string>{"a", "b"}));
  EXPECT_EQ(local[1], (std::deque<std::string>{"d", "e"}));
}

TEST_F(Dbs, FindsNothingWhereAllAreEmpty) {
  EXPECT_EQ(next(2), std::nullopt);
  EXPECT_EQ(steps, (std::vector<std::string>{"own", "centre"}));
}

TEST(Circle, BeginsBehindTheWorkerAndEndsBeforeIt) {
  const auto every = [](int from, int to) { return from < to ? from : -1; };  // all hold work
  const auto walk = [&](int own, int first, int last) {
    std::vector<int> seen;
    for (int v = next_in_circle(own, first, last, -1, every); v >= 0; v = next_in_circle(own, first, last, v, every))
      seen.push_back(v);
    return seen;
  };
  EXPECT_EQ(walk(4, 2, 7), (std::vector<int>{5, 6, 2, 3}));
  EXPECT_EQ(walk(2, 2, 7), (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(walk(6, 2, 7), (std::vector<int>{2, 3, 4, 5}));
  EXPECT_TRUE(walk(3, 3, 4).empty());
  EXPECT_TRUE(walk(7, 2, 7).empty());  // no longer of the team
}

TEST(Share, IsOnePthOfWhatIsLeftAndAtLeastOne) {
  EXPECT_EQ(loop_policy::share(100, 4), 25);
  EXPECT_EQ(loop_policy::share(7, 4), 2);
  EXPECT_EQ(loop_policy::share(1, 64), 1);
  EXPECT_EQ(loop_policy::share(0, 8), 0);
  EXPECT_EQ(loop_policy::share(100, 4, 30), 30);
  EXPECT_EQ(loop_policy::share(100, 4, 20), 25);
  EXPECT_EQ(loop_policy::share(7, 4, 20), 7);
}

}  // namespace
}  // namespace maslin::place
