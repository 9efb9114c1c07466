#include "sched/place/bundles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "sched/place/chains.hpp"

namespace maslin::place {
namespace {

/// A graph that is known as far as `reveal` says, and from which what is done is taken out.
class small_graph {
 public:
  struct node {
    bundle_mark mark;
    std::uint32_t outstanding = 0;
    bool done = false;
    std::vector<task_number> parents;
    std::vector<task_number> successors;
    std::vector<co_parent> co_parents;
    std::vector<data_number> data;
  };

  bundle_mark& mark(task_number t) { return nodes_[t].mark; }
  std::uint32_t outstanding(task_number t) const { return nodes_[t].outstanding; }
  const std::vector<task_number>& successors(task_number t) const { return nodes_[t].successors; }
  const std::vector<co_parent>& co_parents(task_number t) const { return nodes_[t].co_parents; }
  const std::vector<data_number>& data(task_number t) const { return nodes_[t].data; }

  /// Adds a task; its edges come with its revelation.
  task_number add(std::vector<task_number> parents, std::vector<data_number> data = {}) {
    nodes_.push_back({});
    nodes_.back().parents = std::move(parents);
    nodes_.back().data = std::move(data);
    return static_cast<task_number>(nodes_.size() - 1);
  }
  /// The program creates the next task. Gives whether it is ready at once.
  bool reveal() {
    const task_number t = known_++;
    task_number before = no_task;
    for (const task_number p : nodes_[t].parents) {
      if (nodes_[p].done) continue;
      nodes_[p].successors.push_back(t);
      ++nodes_[t].outstanding;
      if (before != no_task) {
        nodes_[before].co_parents.push_back({p, t});
        nodes_[p].co_parents.push_back({before, t});
      }
      before = p;
    }
    return nodes_[t].outstanding == 0;
  }
  task_number known() const { return known_; }
  task_number size() const { return static_cast<task_number>(nodes_.size()); }
  const node& at(task_number t) const { return nodes_[t]; }

  /// Gives the tasks that wait for nothing any more and are in no bundle.
  std::vector<task_number> finish(task_number t) {
    std::vector<task_number> now_ready;
    nodes_[t].done = true;
    for (const task_number s : nodes_[t].successors)
      if (--nodes_[s].outstanding == 0 && !nodes_[s].mark.scheduled) now_ready.push_back(s);
    return now_ready;
  }

 private:
  std::vector<node> nodes_;
  task_number known_ = 0;
};

std::vector<task_number> tasks_of(const std::vector<bundled_task>& bundle) {
  std::vector<task_number> all;
  all.reserve(bundle.size());
  for (const bundled_task& b : bundle) all.push_back(b.task);
  return all;
}

using order = std::vector<task_number>;

template <class Policy>
void reveal_all(small_graph& g, Policy& policy) {
  while (g.known() < g.size())
    if (const task_number t = g.known(); g.reveal()) policy.ready(t);
}

/// Figure 6: eight leaves are combined in pairs, level by level; numbered from 0 as they are created.
small_graph reduction_tree() {
  small_graph g;
  for (int leaf = 0; leaf < 8; ++leaf) g.add({});
  for (const task_number first : {0u, 2u, 4u, 6u, 8u, 10u, 12u}) g.add({first, first + 1});
  return g;
}

TEST(Bundles, JoinsAreBundledByCoParents) {
  small_graph g = reduction_tree();
  bundles policy(g, {.bound = 7});
  reveal_all(g, policy);
  // 0 and its co-parent 1, their child 8, whose co-parent 9 waits; then the same of 2 and 3, and what joins both.
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 1, 8, 2, 3, 9, 12}));
}

/// Eight leaves of which the first half is combined with the second, level by level.
small_graph folded_tree() {
  small_graph g;
  for (int leaf = 0; leaf < 8; ++leaf) g.add({});
  for (const task_number first : {0u, 1u, 2u, 3u}) g.add({first, first + 4});
  for (const task_number first : {8u, 9u}) g.add({first, first + 2});
  g.add({12, 13});
  return g;
}

TEST(Bundles, CoParentsFindTheOtherParentOfAChildWhereverItStands) {
  small_graph g = folded_tree();
  bundles policy(g, {.bound = 7});
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 4, 8, 1, 5, 9, 2}));
}

TEST(Bundles, WithoutCoParentsAChildComesBackWithItsLastParent) {
  small_graph g = folded_tree();
  bundles policy(g, {.bound = 7, .co_parents = false});
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 1, 2, 3, 4, 8, 5}));
}

TEST(Bundles, AChainIsFollowed) {
  small_graph g;
  g.add({});
  g.add({});
  g.add({0});
  g.add({2});
  bundles policy(g, {.bound = 3});
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 2, 3}));
  EXPECT_EQ(tasks_of(policy.next()), (order{1}));
  EXPECT_TRUE(policy.next().empty());
}

TEST(Bundles, OfSeveralSuccessorsTheOneWithTheFewestOpenDependencesFollows) {
  small_graph g;
  g.add({});
  g.add({});
  g.add({0, 1});
  g.add({0});
  g.add({0});
  bundles policy(g, {.bound = 2, .co_parents = false});
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 3}));
}

TEST(Bundles, AnEarlyCallBackFollowsATaskWithSeveralSuccessors) {
  small_graph g;
  g.add({});
  g.add({0});
  g.add({0});
  g.add({1});
  bundles policy(g, {.bound = 4});
  reveal_all(g, policy);
  EXPECT_EQ(policy.next(), (std::vector<bundled_task>{{0, true}, {1, false}, {3, false}}));
}

TEST(Bundles, HintsMoveTasksUpAndStaleOnesMoveThemDown) {
  small_graph g;
  g.add({}, {0});
  g.add({}, {1});
  g.add({}, {1, 2});
  bundles policy(g, {.bound = 1});
  policy.entered(2);
  reveal_all(g, policy);  // the last one's data is already there
  policy.entered(1);
  policy.left(2);  // now the last two have one datum each; the last one moved last
  EXPECT_EQ(tasks_of(policy.next()), (order{2}));
  policy.left(1);
  EXPECT_EQ(tasks_of(policy.next()), (order{1}));
  EXPECT_EQ(tasks_of(policy.next()), (order{0}));
}

TEST(Bundles, DataThatTwoWorkersHoldIsStaleWhenBothHaveLostIt) {
  small_graph g;
  g.add({}, {0});
  g.add({}, {1});
  bundles policy(g, {.bound = 1});
  reveal_all(g, policy);
  policy.entered(1);
  policy.entered(1);
  policy.left(1);
  EXPECT_EQ(tasks_of(policy.next()), (order{1}));
}

TEST(Bundles, HintsCanBeSwitchedOff) {
  small_graph g;
  g.add({}, {0});
  g.add({}, {1});
  bundles policy(g, {.bound = 1, .hints = false});
  reveal_all(g, policy);
  policy.entered(1);
  EXPECT_EQ(tasks_of(policy.next()), (order{0}));
}

TEST(Bundles, ATaskThatDoesNotFitAnyMoreStaysInItsList) {
  small_graph g = reduction_tree();
  bundles policy(g, {.bound = 3});
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 1, 8}));
  EXPECT_EQ(tasks_of(policy.next()), (order{2, 3, 9}));  // 9 in the same bundle as its parents; 12 waits for 8
}

TEST(Chains, FollowOnlySuccessorsThatWaitForNothingElse) {
  small_graph g;
  g.add({});
  g.add({0});
  g.add({1});
  g.add({1});
  g.add({});
  chains policy(g, 4);
  reveal_all(g, policy);
  EXPECT_EQ(tasks_of(policy.next()), (order{0, 1, 4}));
}

TEST(ProgramOrder, WaitsForTheNextTask) {
  small_graph g;
  g.add({});
  g.add({0});
  g.add({});
  program_order policy(g);
  reveal_all(g, policy);
  policy.known(g.known());
  EXPECT_EQ(tasks_of(policy.next()), (order{0}));
  EXPECT_TRUE(policy.next().empty());
  for (const task_number t : g.finish(0)) policy.ready(t);
  EXPECT_EQ(tasks_of(policy.next()), (order{1}));
  EXPECT_EQ(tasks_of(policy.next()), (order{2}));
}

unsigned below(std::mt19937& r, unsigned bound) { return static_cast<unsigned>(r() % bound); }

/// A random graph whose tasks have up to `most_parents` parents among the tasks shortly before them.
small_graph random_graph(std::mt19937& r) {
  small_graph g;
  const task_number tasks = 1 + below(r, 120);
  const unsigned most_parents = below(r, 5);
  const unsigned reach = 1 + below(r, 40);
  for (task_number t = 0; t < tasks; ++t) {
    std::set<task_number> parents;
    if (t > 0)
      for (unsigned i = below(r, most_parents + 1); i > 0; --i) parents.insert(t - 1 - below(r, std::min(t, reach)));
    std::set<data_number> data;
    for (unsigned i = below(r, 4); i > 0; --i) data.insert(below(r, 20));
    g.add({parents.begin(), parents.end()}, {data.begin(), data.end()});
  }
  return g;
}

/// Runs a graph on workers that finish their tasks in a random order, each its bundle from front to back, while the
/// program creates tasks as the window lets it.
template <class Policy>
void expect_valid(small_graph& g, Policy& policy, std::mt19937& r, unsigned workers, const std::string& what) {
  const task_number window = 1 + below(r, 60);
  std::vector<std::vector<task_number>> running(workers);  // the next one last
  std::vector<std::set<data_number>> memories(workers);
  std::vector<bool> started(g.size()), done(g.size());
  task_number finished = 0;
  constexpr bool takes_hints = requires(Policy & p) { p.entered(data_number{}); };
  while (finished < g.size()) {
    while (g.known() < g.size() && g.known() < finished + window)
      if (const task_number t = g.known(); g.reveal()) policy.ready(t);
    if constexpr (requires(Policy & p) { p.known(task_number{}); }) policy.known(g.known());
    bool idle = true;
    for (unsigned w = 0; w < workers; ++w) {
      if (!running[w].empty()) {
        idle = false;
        continue;
      }
      std::set<task_number> before;
      const bool something = policy.any_ready();
      for (const bundled_task& b : policy.next()) {
        ASSERT_LT(b.task, g.known()) << what;
        ASSERT_FALSE(started[b.task]) << what << ": task " << b.task << " twice";
        started[b.task] = true;
        for (const task_number p : g.at(b.task).parents)
          ASSERT_TRUE(done[p] || before.count(p)) << what << ": task " << b.task << " before its data of " << p;
        constexpr bool calls_back_early = !std::is_same_v<Policy, program_order<small_graph>>;
        ASSERT_EQ(b.early_call_back, calls_back_early && g.successors(b.task).size() > 1);
        before.insert(b.task);
        running[w].insert(running[w].begin(), b.task);
      }
      ASSERT_EQ(running[w].empty(), !something) << what << ": a worker idles while tasks are ready";
      idle &= running[w].empty();
    }
    ASSERT_FALSE(idle) << what << ": " << g.size() - finished << " tasks were lost";
    const unsigned w = below(r, workers);
    if (running[w].empty()) continue;
    const task_number t = running[w].back();
    running[w].pop_back();
    done[t] = true;
    ++finished;
    if constexpr (takes_hints) {
      for (const data_number d : g.data(t))
        if (memories[w].insert(d).second) policy.entered(d);
      if (!memories[w].empty() && below(r, 2)) {
        const data_number d = *memories[w].begin();
        memories[w].erase(d);
        policy.left(d);
      }
    }
    for (const task_number s : g.finish(t)) policy.ready(s);
  }
}

TEST(Bundles, EveryTaskRunsOnceAndNoneBeforeItsDataOnAnyGraph) {
  for (unsigned seed = 1; seed <= 3000 && !::testing::Test::HasFatalFailure(); ++seed) {
    std::mt19937 r(seed);
    small_graph g = random_graph(r);
    bundle_settings s;
    s.bound = 1 + static_cast<int>(below(r, 40));
    s.lists = 1 + static_cast<int>(below(r, 6));
    s.co_parents = below(r, 4) != 0;
    s.hints = below(r, 4) != 0;
    bundles policy(g, s);
    expect_valid(g, policy, r, 1 + below(r, 4), "seed " + std::to_string(seed));
  }
}

TEST(Chains, EveryTaskRunsOnceAndNoneBeforeItsDataOnAnyGraph) {
  for (unsigned seed = 1; seed <= 500 && !::testing::Test::HasFatalFailure(); ++seed) {
    std::mt19937 r(seed);
    small_graph g = random_graph(r);
    chains policy(g, 1 + static_cast<int>(below(r, 40)));
    expect_valid(g, policy, r, 1 + below(r, 4), "seed " + std::to_string(seed));
  }
}

TEST(ProgramOrder, EveryTaskRunsOnceAndNoneBeforeItsDataOnAnyGraph) {
  for (unsigned seed = 1; seed <= 500 && !::testing::Test::HasFatalFailure(); ++seed) {
    std::mt19937 r(seed);
    small_graph g = random_graph(r);
    program_order policy(g);
    expect_valid(g, policy, r, 1 + below(r, 4), "seed " + std::to_string(seed));
  }
}

}  // namespace
}  // namespace maslin::place
