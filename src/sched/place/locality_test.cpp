#include "sched/place/locality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <vector>

namespace maslin::place {
namespace {

struct task {
  int number = 0;
  std::vector<piece> pieces;
  std::vector<int> successors;
  int waits_for = 0;
};
using tasks = local_tasks<const task>;

piece block(int number, std::size_t bytes = 1024) { return {(static_cast<std::uintptr_t>(number) + 1) << 20, bytes}; }

void add(tasks& to, const task& one) {
  to.make_room(1, one.pieces.size());
  to.add(&one, one.pieces);
}

std::vector<int> drain(tasks& from) {
  std::vector<int> order;
  while (const task* one = from.next()) order.push_back(one->number);
  return order;
}

TEST(Locality, GoesOnWithTasksWhoseDataAreThere) {
  const std::vector<task> all = {
      {0, {block(0), block(1)}, {}}, {1, {block(2), block(3)}, {}}, {2, {block(0)}, {}}, {3, {block(2), block(1)}, {}}};
  tasks near({.cache = 64 * 1024, .bundle = 1024});  // a task at a time
  for (const task& one : all) add(near, one);
  // The smallest first; then what shares most with what was there.
  EXPECT_EQ(drain(near), (std::vector<int>{2, 0, 3, 1}));
}

TEST(Locality, WithoutHintsTheLatestGoesFirst) {
  std::vector<task> all(5);
  tasks near({.cache = 64 * 1024, .bundle = 1024, .hints = false});
  for (int i = 0; i < 5; ++i) {
    all[static_cast<std::size_t>(i)] = {i, {block(i % 2)}, {}};
    add(near, all[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(drain(near), (std::vector<int>{4, 3, 2, 1, 0}));
}

TEST(Locality, WhatTheBundleMakesReadyComesAfterIt) {
  const task a{0, {block(0)}, {}}, b{1, {block(1)}, {}}, follows{2, {block(0), block(2)}, {}};
  tasks near({.cache = 64 * 1024, .bundle = 4 * 1024});
  add(near, b);
  add(near, a);
  EXPECT_EQ(near.next(), &a);
  add(near, follows);
  EXPECT_EQ(near.next_of_bundle(), &b);
  EXPECT_EQ(near.next_of_bundle(), nullptr);
  EXPECT_EQ(near.next(), &follows);
  EXPECT_EQ(near.size(), 0U);
}

TEST(Locality, WhatNeedsNothingNewBelongsToTheBundle) {
  const task a{0, {block(0)}, {}}, b{1, {block(1)}, {}}, follows{2, {block(0), block(1)}, {}};
  tasks near({.cache = 64 * 1024, .bundle = 4 * 1024});
  add(near, b);
  add(near, a);
  EXPECT_EQ(near.next(), &a);
  add(near, follows);
  EXPECT_EQ(near.next_of_bundle(), &follows);
  EXPECT_EQ(near.next_of_bundle(), &b);
  EXPECT_EQ(near.size(), 0U);
}

TEST(Locality, TheDataOfABundleAreBounded) {
  std::vector<task> all(10);
  tasks near({.cache = 8 * 1024, .bundle = 4 * 1024});
  for (int i = 0; i < 10; ++i) {
    all[static_cast<std::size_t>(i)] = {i, {block(2 * i), block(2 * i + 1)}, {}};
    add(near, all[static_cast<std::size_t>(i)]);
  }
  ASSERT_TRUE(near.next());
  EXPECT_TRUE(near.next_of_bundle());
  EXPECT_FALSE(near.next_of_bundle()) << "two tasks of two blocks each fill four";
}

TEST(Locality, TasksInABundleAreBounded) {
  std::vector<task> all(10);
  tasks near({.cache = 8 * 1024, .bundle = 4 * 1024, .bound = 3, .hints = false});
  for (task& one : all) {
    one.pieces = {block(0)};
    add(near, one);
  }
  ASSERT_TRUE(near.next());
  EXPECT_TRUE(near.next_of_bundle());
  EXPECT_TRUE(near.next_of_bundle());
  EXPECT_FALSE(near.next_of_bundle());
}

TEST(Locality, DataLargerThanTheCacheAreNeverThere) {
  const task large{0, {block(0, 1 << 20)}, {}}, again{1, {block(0, 1 << 20)}, {}}, small{2, {block(1)}, {}};
  tasks near({.cache = 8 * 1024, .bundle = 4 * 1024});
  add(near, large);
  EXPECT_EQ(near.next(), &large);
  add(near, again);
  add(near, small);
  EXPECT_EQ(drain(near), (std::vector<int>{2, 1}));
}

TEST(Locality, WhatATaskNamesAgainCountsOnce) {
  const task twice{0, {block(0), block(0), block(0)}, {}}, two{1, {block(1), block(2)}, {}};
  tasks near({.cache = 8 * 1024, .bundle = 1024});
  add(near, twice);
  add(near, two);
  EXPECT_EQ(drain(near), (std::vector<int>{0, 1}));
}

TEST(Locality, WhoWaitsGetsWhatItWaitsFor) {
  std::vector<task> all(6);
  tasks near({.cache = 8 * 1024, .bundle = 3 * 1024});
  for (int i = 0; i < 6; ++i) {
    all[static_cast<std::size_t>(i)] = {i, {block(i)}, {}};
    add(near, all[static_cast<std::size_t>(i)]);
  }
  const auto given = [&](auto&& suits) {
    const task* one = near.next_if(suits);
    return one ? one->number : -1;
  };
  EXPECT_EQ(given([](const task&) { return false; }), -1);
  EXPECT_EQ(given([](const task&) { return true; }), 5) << "the first of the bundle of 5, 4 and 3";
  EXPECT_EQ(given([](const task& t) { return t.number == 3; }), 3) << "of the bundle";
  EXPECT_EQ(given([](const task& t) { return t.number == 1; }), 1) << "of a list";
  EXPECT_EQ(given([](const task& t) { return t.number == 3; }), -1);
  EXPECT_EQ(drain(near), (std::vector<int>{4, 2, 0}));
}

TEST(Locality, AThiefGetsWhatTheWorkerWantsLeast) {
  const task held{0, {block(0)}, {}}, one{1, {block(1)}, {}}, two{2, {block(2), block(3)}, {}};
  const task first{3, {block(0)}, {}};
  tasks near({.cache = 8 * 1024, .bundle = 1024});
  add(near, first);
  ASSERT_EQ(near.next(), &first);
  add(near, two);
  add(near, held);
  add(near, one);
  const task* stolen[4];
  ASSERT_EQ(near.give_half(stolen, 4), 2U);
  EXPECT_EQ(stolen[0], &two);
  EXPECT_EQ(stolen[1], &one);
  EXPECT_EQ(near.size(), 1U);
}

TEST(Locality, AThiefGetsHalfOfABundleFromItsTail) {
  std::vector<task> all(7);
  tasks near({.cache = 8 * 1024, .bundle = 4 * 1024});
  for (int i = 6; i >= 0; --i) {
    all[static_cast<std::size_t>(i)] = {i, {block(0)}, {}};
    add(near, all[static_cast<std::size_t>(i)]);
  }
  ASSERT_EQ(near.next()->number, 0);
  const task* stolen[8];
  ASSERT_EQ(near.give_half(stolen, 8), 3U);
  EXPECT_EQ(stolen[0]->number, 6);
  EXPECT_EQ(stolen[2]->number, 4);
  EXPECT_EQ(drain(near), (std::vector<int>{1, 2, 3}));
}

/// How many blocks come into an LRU cache of so many.
class cache {
 public:
  explicit cache(std::size_t blocks) : blocks_(blocks) {}
  void use(const task& one) {
    for (const piece& p : one.pieces) {
      const auto at = std::find(held_.begin(), held_.end(), p.at);
      misses += at == held_.end();
      if (at != held_.end()) held_.erase(at);
      held_.push_front(p.at);
      if (held_.size() > blocks_) held_.pop_back();
    }
  }
  int misses = 0;

 private:
  std::size_t blocks_;
  std::deque<std::uintptr_t> held_;
};

/// C(i, j) += A(i, k) B(k, j); the products for a block of C follow each other.
std::vector<task> product(int n) {
  std::vector<task> all;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        const int number = static_cast<int>(all.size());
        all.push_back({number, {block(i * n + k), block((n + k) * n + j), block((2 * n + i) * n + j)}, {}, k > 0});
        if (k > 0) all[static_cast<std::size_t>(number) - 1].successors.push_back(number);
      }
  return all;
}

/// Runs them on one worker; gives how many blocks came.
int blocks_that_come(std::vector<task> all, std::size_t cache_blocks, bool hints) {
  cache of_worker(cache_blocks);
  tasks near({.cache = cache_blocks * 1024, .bundle = cache_blocks * 512, .hints = hints});
  for (const task& one : all)
    if (one.waits_for == 0) add(near, one);
  while (const task* one = near.next()) {
    of_worker.use(*one);
    for (const int s : one->successors)
      if (--all[static_cast<std::size_t>(s)].waits_for == 0) add(near, all[static_cast<std::size_t>(s)]);
  }
  return of_worker.misses;
}

TEST(Locality, ProductsOfBlocksMeetInSquares) {
  constexpr int n = 12;
  int in_order = 0;
  {
    cache of_worker(24);
    for (const task& one : product(n)) of_worker.use(one);
    in_order = of_worker.misses;
  }
  EXPECT_EQ(in_order, 2 * n * n * n + n * n) << "only the block of C is still there";
  EXPECT_LT(blocks_that_come(product(n), 24, true), in_order / 2);
  EXPECT_LT(blocks_that_come(product(n), 24, true), blocks_that_come(product(n), 24, false));
}

// Whatever the graph: each task runs once, after those that it waits for, and none is lost.
TEST(Locality, AnyGraphIsRunWholeAndInOrder) {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int count = 1 + below(200), data = 1 + below(40), workers = 1 + below(4);
    std::vector<task> all(static_cast<std::size_t>(count));
    std::vector<int> writer(static_cast<std::size_t>(data), -1);
    for (int i = 0; i < count; ++i) {
      task& one = all[static_cast<std::size_t>(i)];
      one.number = i;
      std::set<int> from;
      for (int p = below(11); p > 0; --p) {
        const int d = below(data);
        one.pieces.push_back(block(d, static_cast<std::size_t>(1 + below(3) * (d % 7) * 400)));
        if (writer[static_cast<std::size_t>(d)] >= 0) from.insert(writer[static_cast<std::size_t>(d)]);
        if (below(2) == 0) writer[static_cast<std::size_t>(d)] = i;
      }
      from.erase(i);
      one.waits_for = static_cast<int>(from.size());
      for (const int f : from) all[static_cast<std::size_t>(f)].successors.push_back(i);
    }
    const locality_settings settings{.cache = static_cast<std::size_t>(500 + below(20000)),
                                     .bundle = static_cast<std::size_t>(below(10000)),
                                     .bound = static_cast<std::size_t>(1 + below(9)),
                                     .hints = below(4) != 0};
    std::deque<tasks> near;
    for (int w = 0; w < workers; ++w) near.emplace_back(settings);
    for (const task& one : all)
      if (one.waits_for == 0) add(near[static_cast<std::size_t>(below(workers))], one);
    std::vector<int> runs(static_cast<std::size_t>(count), 0);
    std::deque<const task*> running;
    const auto size = [&] {
      std::size_t sum = 0;
      for (const tasks& one : near) sum += one.size();
      return sum;
    };
    int done = 0;
    const auto begin = [&](const task* one) {
      EXPECT_EQ(one->waits_for, 0);
      ++runs[static_cast<std::size_t>(one->number)];
      running.push_back(one);
    };
    while (size() > 0 || !running.empty()) {
      tasks& own = near[static_cast<std::size_t>(below(workers))];
      switch (below(5)) {
        case 0: {  // a thief
          tasks& to = near[static_cast<std::size_t>(below(workers))];
          const task* stolen[16];
          for (std::size_t n = own.give_half(stolen, 16); n > 0; --n) add(to, *stolen[n - 1]);
          break;
        }
        case 1: {
          const int wanted = below(count);
          const auto is_wanted = [&](const task& t) { return t.number == wanted; };
          if (const task* one = below(2) == 0 ? own.take_if(is_wanted) : own.next_if(is_wanted)) {
            EXPECT_EQ(one->number, wanted);
            begin(one);
          }
          break;
        }
        case 2:
          if (!running.empty()) {  // an end
            for (const int s : running.front()->successors)
              if (--all[static_cast<std::size_t>(s)].waits_for == 0) add(own, all[static_cast<std::size_t>(s)]);
            running.pop_front();
            ++done;
          }
          break;
        default:
          if (const task* one = below(2) == 0 ? own.next() : own.next_of_bundle()) begin(one);
      }
    }
    EXPECT_EQ(done, count) << "seed " << seed;
    EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), count) << "seed " << seed;
  }
}

}  // namespace
}  // namespace maslin::place
