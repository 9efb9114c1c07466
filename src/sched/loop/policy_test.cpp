#include "sched/loop/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/place/dbs.hpp"

namespace maslin::loop_policy {
namespace {

constexpr schedule policies[] = {schedule::dbs, schedule::static_, schedule::gss, schedule::afs};
constexpr schedule with_queues[] = {schedule::gss, schedule::afs};

/// Plain queues of one loop, as exec/virtual will have them.
struct plain_queues {
  plain_queues(schedule policy, std::int64_t blocks, int team) : workers(team) {
    const int queue_total = queue_count(policy, team);
    for (int queue = 0; queue < queue_total; ++queue) parts.push_back(equal_part(blocks, queue_total, queue));
  }

  int workers;
  std::vector<part> parts;

  part& at(int queue) { return parts[static_cast<std::size_t>(queue)]; }
  int count() const { return static_cast<int>(parts.size()); }
  std::int64_t left(int queue) { return at(queue).size(); }
  std::optional<part> take_front(int queue, amount rule) {
    if (left(queue) == 0) return std::nullopt;
    const std::int64_t from = at(queue).first;
    at(queue).first += rule(left(queue), workers);
    return part{from, at(queue).first};
  }
  std::optional<part> take_back(int queue, amount rule) {
    if (left(queue) == 0) return std::nullopt;
    const std::int64_t to = at(queue).last;
    at(queue).last -= rule(left(queue), workers);
    return part{at(queue).last, to};
  }
};

/// The centre and the local queues of a team that runs one loop under dbs, as worker `self` sees them. What is
/// dispatched from the centre becomes local work.
struct dbs_queues {
  using work = part;

  std::vector<part> local;
  part centre;
  int self = 0;

  int workers() const { return static_cast<int>(local.size()); }
  part& of(int worker) { return local[static_cast<std::size_t>(worker)]; }
  static std::optional<part> take(part& from, std::int64_t blocks) {
    if (blocks == 0) return std::nullopt;
    from.first += blocks;
    return part{from.first - blocks, from.first};
  }
  std::optional<part> take_own() { return take(of(self), share(of(self).size(), workers())); }
  std::optional<part> take_centre() {
    const auto dispatched = take(centre, share(centre.size(), workers()));
    if (!dispatched) return std::nullopt;
    of(self) = *dispatched;
    return take_own();
  }
  int next_victim(int victim) {
    for (int at = (victim < 0 ? self : victim) + 1; at % workers() != self; ++at)
      if (of(at % workers()).size() > 0) return at % workers();
    return -1;
  }
  bool bisect(int victim) {
    part& from = of(victim);
    const std::int64_t taken = half(from.size());
    of(self) = {from.last - taken, from.last};
    from.last -= taken;
    return taken > 0;
  }
};

/// Gives a function that says what a worker runs next, on queues of its own.
std::function<std::optional<part>(int)> dispatcher(schedule policy, std::int64_t blocks, int workers) {
  if (policy == schedule::dbs)
    return [q = dbs_queues{std::vector<part>(static_cast<std::size_t>(workers)), {0, blocks}}](int worker) mutable {
      q.self = worker;
      return place::dbs(q);
    };
  if (policy == schedule::static_)
    return [blocks, asked = std::vector<bool>(static_cast<std::size_t>(workers))](int worker) mutable {
      const part own = static_part(blocks, static_cast<int>(asked.size()), worker);
      const bool again = asked[static_cast<std::size_t>(worker)];
      asked[static_cast<std::size_t>(worker)] = true;
      return again || own.size() == 0 ? std::nullopt : std::optional(own);
    };
  return [policy, q = plain_queues(policy, blocks, workers)](int worker) mutable { return next(policy, q, worker); };
}

struct dispatch {
  int worker;
  part blocks;
};

struct simulated_run {
  std::vector<dispatch> order;
  std::vector<std::int64_t> ends;  // when each worker was done
};

/// Runs a loop on workers in virtual time: whoever is free first, the lowest number among equals, asks next.
simulated_run simulate(schedule policy, std::int64_t blocks, int workers,
                       const std::function<std::int64_t(std::int64_t)>& cost) {
  auto next_of = dispatcher(policy, blocks, workers);
  simulated_run run{{}, std::vector<std::int64_t>(static_cast<std::size_t>(workers))};
  std::vector<std::pair<std::int64_t, int>> busy;  // until when, who
  for (int worker = 0; worker < workers; ++worker) busy.emplace_back(0, worker);
  while (!busy.empty()) {
    const auto first = std::min_element(busy.begin(), busy.end());
    const auto [now, worker] = *first;
    if (const auto taken = next_of(worker)) {
      run.order.push_back({worker, *taken});
      for (std::int64_t block = taken->first; block < taken->last; ++block) first->first += cost(block);
    } else {
      run.ends[static_cast<std::size_t>(worker)] = now;
      busy.erase(first);
    }
  }
  return run;
}

std::int64_t even(std::int64_t) { return 1; }

/// What one worker that asks again and again is given: sizes only.
std::vector<std::int64_t> sizes(schedule policy, std::int64_t blocks, int workers, int worker) {
  std::vector<std::int64_t> all;
  auto next_of = dispatcher(policy, blocks, workers);
  while (const auto taken = next_of(worker)) all.push_back(taken->size());
  return all;
}

using counts = std::vector<std::int64_t>;

TEST(LoopPolicy, HasTheNameOfTheSetting) {
  EXPECT_EQ(name(schedule::dbs), "dbs");
  EXPECT_EQ(name(schedule::static_), "static");
  EXPECT_EQ(name(schedule::gss), "gss");
  EXPECT_EQ(name(schedule::afs), "afs");
  for (const schedule policy : policies) {
    setenv("MASLIN_LOOP", std::string(name(policy)).c_str(), 1);
    EXPECT_EQ(of_the_run(), policy);
  }
  unsetenv("MASLIN_LOOP");
}

TEST(LoopPolicy, EqualPartsFollowEachOtherAndDifferByOneBlock) {
  EXPECT_EQ(equal_part(10, 4, 0), (part{0, 3}));
  EXPECT_EQ(equal_part(10, 4, 1), (part{3, 6}));
  EXPECT_EQ(equal_part(10, 4, 2), (part{6, 8}));
  EXPECT_EQ(equal_part(10, 4, 3), (part{8, 10}));
  constexpr std::int64_t longest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t blocks : {std::int64_t{0}, std::int64_t{1}, std::int64_t{63}, std::int64_t{512}, longest})
    for (const int queues : {1, 2, 3, 64}) {
      std::int64_t at = 0;
      for (int queue = 0; queue < queues; ++queue) {
        const part own = equal_part(blocks, queues, queue);
        EXPECT_EQ(own.first, at);
        const std::int64_t over = own.size() - blocks / queues;
        EXPECT_TRUE(over == 0 || over == 1) << over;
        at = own.last;
      }
      EXPECT_EQ(at, blocks);
    }
}

TEST(LoopPolicy, DispatchesEveryBlockExactlyOnce) {
  const std::pair<const char*, std::function<std::int64_t(std::int64_t)>> costs[] = {
      {"even", even},
      {"rising", [](std::int64_t block) { return block + 1; }},
      {"falling", [](std::int64_t block) { return 2000 - block; }},
      {"uneven", [](std::int64_t block) { return block * 7919 % 101; }}};
  for (const schedule policy : policies)
    for (const int workers : {1, 2, 3, 4, 5, 7, 8, 16, 63, 64})
      for (const std::int64_t blocks : {0, 1, 2, 3, 5, 8, 13, 64, 100, 511, 512, 1000})
        for (const auto& [shape, cost] : costs) {
          std::vector<int> times(static_cast<std::size_t>(blocks));
          for (const auto& [worker, taken] : simulate(policy, blocks, workers, cost).order) {
            ASSERT_GT(taken.size(), 0);
            for (std::int64_t block = taken.first; block < taken.last; ++block)
              ++times.at(static_cast<std::size_t>(block));
          }
          EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(blocks), 1))
              << name(policy) << ", " << blocks << " blocks, " << workers << " workers, " << shape;
        }
}

TEST(LoopPolicy, StaticGivesEachWorkerItsEqualPartAndNoMore) {
  for (int worker = 0; worker < 4; ++worker) EXPECT_EQ(sizes(schedule::static_, 100, 4, worker), counts{25});
  EXPECT_EQ(sizes(schedule::static_, 3, 4, 0), counts{1});
  EXPECT_EQ(sizes(schedule::static_, 3, 4, 3), counts{});
  const auto run = simulate(schedule::static_, 512, 4, [](std::int64_t column) { return column + 1; });
  ASSERT_EQ(run.order.size(), 4u);
  EXPECT_GT(run.ends[3], 6 * run.ends[0]) << "a triangular loop stays as uneven as it is";
}

TEST(LoopPolicy, GssGivesOnePthOfWhatRemains) {
  // The example of the paper that introduced it: 100 iterations, 5 processors.
  EXPECT_EQ(sizes(schedule::gss, 100, 5, 0), (counts{20, 16, 13, 11, 8, 7, 5, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1}));
  EXPECT_EQ(sizes(schedule::gss, 512, 1, 0), counts{512});
  EXPECT_EQ(sizes(schedule::gss, 3, 64, 5), (counts{1, 1, 1}));
}

TEST(LoopPolicy, GssGivesTheSameSequenceWhoeverAsks) {
  for (const int workers : {2, 3, 5, 16})
    for (const std::int64_t blocks : {7, 100, 512}) {
      counts given;
      std::int64_t at = 0;
      for (const auto& [worker, taken] :
           simulate(schedule::gss, blocks, workers, [](std::int64_t block) { return block % 7; }).order) {
        EXPECT_EQ(taken.first, at);
        at = taken.last;
        given.push_back(taken.size());
      }
      EXPECT_EQ(given, sizes(schedule::gss, blocks, workers, 0));
    }
}

TEST(LoopPolicy, GssEndsWithinOneIterationWhereIterationsAreEven) {
  for (const int workers : {2, 3, 4, 8, 16})
    for (const std::int64_t blocks : {100, 511, 512, 1000}) {
      const auto ends = simulate(schedule::gss, blocks, workers, even).ends;
      const auto [first, last] = std::minmax_element(ends.begin(), ends.end());
      EXPECT_LE(*last - *first, 1) << blocks << " blocks, " << workers << " workers";
    }
}

TEST(LoopPolicy, AfsTakesOnePthOfTheOwnQueueAndThenOfTheMostLoaded) {
  auto next_of = dispatcher(schedule::afs, 64, 4);
  // Its own 16 blocks, a quarter of what is left at a time.
  for (const part own :
       {part{16, 20}, part{20, 23}, part{23, 26}, part{26, 28}, part{28, 29}, part{29, 30}, part{30, 31}, part{31, 32}})
    EXPECT_EQ(next_of(1), own);
  // All others hold 16: the next in the circle is the victim, then whoever holds most.
  EXPECT_EQ(next_of(1), (part{44, 48}));
  EXPECT_EQ(next_of(1), (part{60, 64}));
  EXPECT_EQ(next_of(1), (part{12, 16}));
  EXPECT_EQ(next_of(1), (part{41, 44}));
  // The victim goes on at its own front.
  EXPECT_EQ(next_of(2), (part{32, 35}));
}

TEST(LoopPolicy, AfsNeverStealsWhereIterationsAreEven) {
  for (const auto& [worker, taken] : simulate(schedule::afs, 512, 4, even).order)
    EXPECT_EQ(taken.first / 128, worker) << "blocks " << taken.first << " to " << taken.last;
}

TEST(LoopPolicy, DbsDispatchesToTheLocalQueueAndBisectsAVictim) {
  auto next_of = dispatcher(schedule::dbs, 64, 4);
  // A quarter of the centre becomes local work, of which a quarter runs at a time.
  EXPECT_EQ(next_of(0), (part{0, 4}));
  EXPECT_EQ(next_of(1), (part{16, 19}));
  EXPECT_EQ(next_of(0), (part{4, 7}));
  EXPECT_EQ(sizes(schedule::dbs, 4, 2, 0), (counts{1, 1, 1, 1}));
  // One that comes late to an empty centre takes half of the next worker's rest.
  dbs_queues late{{{}, {10, 21}, {30, 40}}, {64, 64}, 0};
  EXPECT_EQ(place::dbs(late), (part{15, 17}));
  EXPECT_EQ(late.of(1), (part{10, 15}));
  EXPECT_EQ(late.of(0), (part{17, 21}));
}

TEST(LoopPolicy, ATriangularLoopIsBalancedBothWaysByDbsAndAfs) {
  constexpr std::int64_t columns = 512;
  const std::function<std::int64_t(std::int64_t)> light_first = [](std::int64_t column) { return column + 1; };
  const std::function<std::int64_t(std::int64_t)> heavy_first = [](std::int64_t column) { return columns - column; };
  const auto last_end = [](const simulated_run& run) { return *std::max_element(run.ends.begin(), run.ends.end()); };
  for (const int workers : {2, 3, 8}) {
    const std::int64_t even_share = columns * (columns + 1) / 2 / workers;
    for (const auto& shape : {light_first, heavy_first})
      for (const schedule policy : {schedule::dbs, schedule::afs})
        EXPECT_LE(last_end(simulate(policy, columns, workers, shape)), even_share + 2 * columns)
            << name(policy) << ", " << workers << " workers";
    // Guided self-scheduling gives the first workers too much where the work is at the front.
    EXPECT_LE(last_end(simulate(schedule::gss, columns, workers, light_first)), even_share + columns);
    EXPECT_GE(last_end(simulate(schedule::gss, columns, workers, heavy_first)), even_share * 5 / 4);
  }
}

TEST(LoopPolicy, AmountsFitHoweverManyBlocksThereAre) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(share(most, 1), most);
  EXPECT_EQ(share(most, 2), most / 2 + 1);
  EXPECT_EQ(share(most, 64), most / 64 + 1);
  EXPECT_EQ(share(most, 64, most), most);
  EXPECT_EQ(half(most), most / 2 + 1);
  for (const int queues : {1, 3, 64}) {
    std::int64_t at = 0;
    for (int q = 0; q < queues; ++q) {
      EXPECT_EQ(equal_part(most, queues, q).first, at);
      at = equal_part(most, queues, q).last;
    }
    EXPECT_EQ(at, most);
  }
}

TEST(LoopPolicy, AWorkerThatJoinsLateTakesWhatItsPolicyAllows) {
  plain_queues shared(schedule::gss, 12, 2);
  shared.workers = 3;
  EXPECT_EQ(next(schedule::gss, shared, 2), (part{0, 4})) << "P is read at each dispatch";
  plain_queues own(schedule::afs, 12, 2);
  own.workers = 3;
  EXPECT_EQ(next(schedule::afs, own, 2), (part{10, 12})) << "it has no queue of its own";
  EXPECT_EQ(next(schedule::afs, own, 2), (part{4, 6})) << "the back of the most loaded queue";
}

TEST(LoopPolicy, WhatALeaverLeftIsFoundInItsName) {
  for (const schedule policy : with_queues) {
    plain_queues q(policy, 100, 4);
    std::int64_t done = 0;
    for (int worker = 0; worker < 4; ++worker)
      while (const auto taken = next(policy, q, worker)) {
        done += taken->size();
        q.workers = 2;
      }
    EXPECT_EQ(done, 100) << name(policy);
  }
}

}  // namespace
}  // namespace maslin::loop_policy
