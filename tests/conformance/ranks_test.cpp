// What ms::ranks promises: messages, calls that all ranks make, and how everything ends when something is wrong.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ranks.hpp"

namespace {

class Ranks : public Promise {};

TEST_P(Ranks, EachRunsOnceAndKnowsItsNumber) {
  std::vector<std::atomic<int>> runs(20);
  ms::ranks(20, [&](ms::communicator& world) {
    EXPECT_EQ(world.size(), 20);
    ++runs[static_cast<std::size_t>(world.rank())];
  });
  for (const auto& one : runs) EXPECT_EQ(one, 1);
}

TEST_P(Ranks, MoreThanThereAreWorkersSendInARing) {
  constexpr int count = 50, rounds = 20;
  std::vector<int> sums(count);
  ms::ranks(count, [&](ms::communicator& world) {
    const int me = world.rank(), next = (me + 1) % count, before = (me + count - 1) % count;
    int token = me;
    for (int round = 0; round < rounds; ++round) {
      int got = -1;
      const ms::message m = world.exchange(token, next, got, before);
      EXPECT_EQ(m.source, before);
      EXPECT_EQ(m.extent, 1U);
      token = got + 1;
    }
    sums[static_cast<std::size_t>(me)] = token;
  });
  for (int i = 0; i < count; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], (i + count - rounds) % count + rounds);
}

TEST_P(Ranks, MessagesOfOneRankArriveInTheirOrderWhateverTheirSize) {
  const std::vector<std::size_t> sizes{1, 5000, 2, 0, 64, 65, 100'000, 3};
  ms::ranks(2, [&](ms::communicator& world) {
    for (int round = 0; round < 30; ++round)
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::vector<int> data(world.rank() == 0 ? sizes[i] : 100'000);
        if (world.rank() == 0) {
          std::iota(data.begin(), data.end(), round);
          world.send(data, 1, 7);
          continue;
        }
        const ms::message m = world.receive(data, ms::any_source, round % 2 ? 7 : ms::any_tag);
        ASSERT_EQ(m.extent, sizes[i]);
        for (std::size_t k = 0; k < m.extent; ++k) ASSERT_EQ(data[k], round + static_cast<int>(k));
      }
  });
}

TEST_P(Ranks, AReceiveChoosesBySourceAndTag) {
  ms::ranks(3, [&](ms::communicator& world) {
    if (world.rank() > 0) {
      for (int tag : {1, 2, 3}) world.send(10 * world.rank() + tag, 0, tag);
      return;
    }
    int got = 0;
    for (const auto& [from, tag] : std::vector<std::pair<int, int>>{{2, 3}, {1, 2}, {2, 1}, {1, 3}, {2, 2}, {1, 1}}) {
      const ms::message m = world.receive(got, from, tag);
      EXPECT_EQ(got, 10 * from + tag);
      EXPECT_EQ(m.source, from);
      EXPECT_EQ(m.tag, tag);
    }
    EXPECT_FALSE(world.look());
  });
}

TEST_P(Ranks, AReceiveFromAnyRankTakesFromEachInTurn) {
  if (!meets() || GetParam().workers < 3) GTEST_SKIP() << "needs three workers that run at the same time";
  constexpr int many = 20;
  std::atomic<int> have_sent{0};
  ms::ranks(3, [&](ms::communicator& world) {
    if (world.rank() > 0) {
      for (int i = 0; i < many; ++i) world.send(i, 0);
      ++have_sent;
      return;
    }
    while (have_sent < 2) std::this_thread::yield();
    std::array<int, 3> came_from{};
    for (int i = 0; i < 2 * many; ++i) {
      int got = -1;
      int& before = came_from.at(static_cast<std::size_t>(world.receive(got).source));
      EXPECT_EQ(got, before++);
      EXPECT_LE(std::abs(came_from[1] - came_from[2]), 1);
    }
  });
}

TEST_P(Ranks, ManySmallMessagesWaitForTheirReceiver) {
  constexpr int many = 1000;
  ms::ranks(3, [&](ms::communicator& world) {
    if (world.rank() == 1) {
      for (int i = 0; i < many; ++i) world.send(i, 0);
      world.send(many, 2);
    } else if (world.rank() == 0) {
      for (int i = 0; i < many; ++i) {
        int got = -1;
        world.receive(got, 1);
        ASSERT_EQ(got, i);
      }
    } else {
      int got = 0;
      world.receive(got);
      EXPECT_EQ(got, many);
    }
  });
}

TEST_P(Ranks, StartedMessagesCompleteInAnyOrder) {
  constexpr int count = 8;
  ms::ranks(count, [&](ms::communicator& world) {
    const auto n = static_cast<std::size_t>(count);
    std::vector<std::vector<double>> in(n, std::vector<double>(700)), out = in;
    std::vector<ms::request> all;
    for (int r = 0; r < count; ++r) all.push_back(world.start_receive(in[static_cast<std::size_t>(r)], r));
    for (int r = 0; r < count; ++r) {
      auto& data = out[static_cast<std::size_t>(r)];
      std::fill(data.begin(), data.end(), 100 * world.rank() + r);
      all.push_back(world.start_send(data, r));
    }
    for (auto one = all.rbegin(); one != all.rend(); ++one) one->wait();
    for (int r = 0; r < count; ++r)
      for (const double value : in[static_cast<std::size_t>(r)]) ASSERT_EQ(value, 100 * r + world.rank());
  });
}

TEST_P(Ranks, AskingForAMessageAgainAndAgainLetsItsSenderRun) {
  ms::ranks(3, [](ms::communicator& world) {
    if (world.rank() == 2) return world.send(5, 0, 4);
    if (world.rank() == 1) return;
    while (!world.look(2, 4)) {
    }
    int got = 0;
    ms::request started = world.start_receive(got, 2);
    while (!started.test()) {
    }
    EXPECT_EQ(got, 5);
  });
}

TEST_P(Ranks, AskingAgainAndAgainLetsTheTasksAndStreamsOfOthersRun) {
  if (GetParam().described) GTEST_SKIP() << "only ranks run in between there (docs/ranks.md)";
  constexpr int count = 9;  // more than there are workers, or nearly
  ms::ranks(count, [](ms::communicator& world) {
    if (world.rank() < count - 1) {
      while (!world.look(count - 1)) {
      }
      int got = 0;
      world.receive(got);
      return;
    }
    std::atomic<int> ran{0};
    ms::phase("streams", 4, [&](std::int64_t) { ++ran; });
    ms::group some;
    for (int i = 0; i < 100; ++i) some.task([&] { ++ran; });
    some.wait();
    int x = 0;
    ms::task([](ms::view<int> v) { v[0] = 1; }, ms::out(x));
    ms::wait();
    for (int rank = 0; rank < count - 1; ++rank) world.send(ran + x, rank);
  });
}

TEST_P(Ranks, AProbeWaitsForAMessageAndLeavesIt) {
  ms::ranks(2, [](ms::communicator& world) {
    std::vector<int> data(300, 9);
    if (world.rank() == 1) return world.send(data, 0, 6);
    const ms::message there = world.probe(ms::any_source, 6);
    EXPECT_EQ(there.source, 1);
    ASSERT_EQ(there.extent, 300U);
    std::vector<int> got(there.extent);
    world.receive(got, there.source, there.tag);
    EXPECT_EQ(got, data);
  });
}

TEST_P(Ranks, WhatWasStartedAndIsNotWaitedForIsTakenBack) {
  ms::ranks(2, [](ms::communicator& world) {
    int never = 3;
    std::vector<int> large(10'000);
    if (world.rank() == 0) {
      { const ms::request receive = world.start_receive(never, 1, 99); }
      { const ms::request send = world.start_send(large, 1, 98); }
    }
    world.barrier();
    EXPECT_FALSE(world.look(ms::any_source, 98));
    if (world.rank() == 1) world.send(1, 0, 99);
    world.barrier();
    EXPECT_EQ(never, 3);
    if (world.rank() == 0) world.receive(never, 1, 99);
  });
}

TEST_P(Ranks, NobodyPassesABarrierBeforeAllHaveCome) {
  constexpr int count = 13;
  std::atomic<int> came{0};
  ms::ranks(count, [&](ms::communicator& world) {
    for (int round = 1; round <= 20; ++round) {
      ++came;
      world.barrier();
      EXPECT_GE(came, round * count);
      world.barrier();
    }
  });
}

TEST_P(Ranks, CallsOfAllGiveWhatTheyPromise) {
  constexpr int count = 7;
  ms::ranks(count, [](ms::communicator& world) {
    const int me = world.rank();
    std::vector<int> some(10, me == 3 ? 5 : 0);
    world.broadcast(some, 3);
    EXPECT_EQ(some, std::vector<int>(10, 5));

    const std::array<long, 2> mine{me, 10 * me};
    std::array<long, 2> sum{};
    world.all_reduce(mine, sum, std::plus{});
    EXPECT_EQ(sum, (std::array<long, 2>{21, 210}));
    world.reduce(
        mine, sum, [](long a, long b) { return std::max(a, b); }, 2);
    if (me == 2) {
      EXPECT_EQ(sum, (std::array<long, 2>{6, 60}));
    }
    EXPECT_EQ(world.all_reduce(me, std::plus{}), 21);
    int up_to_me = 0;
    world.scan(me, up_to_me, std::plus{});
    EXPECT_EQ(up_to_me, me * (me + 1) / 2);

    std::vector<int> all(2 * count);
    world.all_gather(std::array<int, 2>{me, -me}, all);
    for (int r = 0; r < count; ++r) {
      EXPECT_EQ(all[static_cast<std::size_t>(2 * r)], r);
      EXPECT_EQ(all[static_cast<std::size_t>(2 * r + 1)], -r);
    }
    int part = -1;
    world.scatter(std::vector<int>(all.begin(), all.begin() + (me == 1 ? count : 0)), part, 1);
    EXPECT_EQ(part, all[static_cast<std::size_t>(me)]);

    std::vector<int> to(count), from(count);
    for (int r = 0; r < count; ++r) to[static_cast<std::size_t>(r)] = 100 * me + r;
    world.all_to_all(to, from);
    for (int r = 0; r < count; ++r) EXPECT_EQ(from[static_cast<std::size_t>(r)], 100 * r + me);
  });
}

TEST_P(Ranks, LongCombinationsAreTheSameToTheLastBit) {
  constexpr int count = 5;
  constexpr std::size_t length = 60'000;
  std::vector<std::vector<double>> all(count, std::vector<double>(length));
  for (std::size_t r = 0; r < count; ++r)
    for (std::size_t i = 0; i < length; ++i) all[r][i] = 1.0 / static_cast<double>(3 + i * (r + 1));
  std::vector<double> expected = all[0];
  for (std::size_t r = 1; r < count; ++r)
    for (std::size_t i = 0; i < length; ++i) expected[i] += all[r][i];
  ms::ranks(count, [&](ms::communicator& world) {
    std::vector<double>& mine = all[static_cast<std::size_t>(world.rank())];
    world.all_reduce(mine, mine, std::plus{});  // in place
    EXPECT_EQ(mine, expected);
  });
}

TEST_P(Ranks, SmallerCommunicatorsHaveMessagesOfTheirOwn) {
  constexpr int count = 9;
  ms::ranks(count, [](ms::communicator& world) {
    ms::communicator third = world.split(world.rank() % 3, -world.rank());
    ASSERT_EQ(third.size(), 3);
    EXPECT_EQ(third.rank(), 2 - world.rank() / 3);
    if (third.rank() == 0) {
      third.send(1, 1);
      world.send(2, (world.rank() + count - 3) % count);
    } else if (third.rank() == 1) {
      int got = 0;
      world.receive(got);
      EXPECT_EQ(got, 2);
      third.receive(got);
      EXPECT_EQ(got, 1);
    }
    EXPECT_EQ(third.all_reduce(world.rank(), std::plus{}), 3 * (world.rank() % 3) + 9);
  });
}

TEST_P(Ranks, HaveTasksAndLoopsOfTheirOwn) {
  constexpr int count = 6;
  std::vector<long> sums(count);
  ms::ranks(count, [&](ms::communicator& world) {
    int x = 0;
    for (int i = 0; i < 50; ++i) ms::task([](ms::view<int> v) { ++v[0]; }, ms::inout(x));
    const long loop = ms::parallel_reduce(0, 1000, 0L, std::plus{},
                                          [](ms::range r) { return std::accumulate(r.begin(), r.end(), 0L); });
    ms::wait();
    sums[static_cast<std::size_t>(world.rank())] = world.all_reduce(x + loop, std::plus{});
  });
  for (const long sum : sums) EXPECT_EQ(sum, count * (50 + 499'500));
}

/// How many threads run a loop of 16 elements, each of which takes a millisecond.
std::size_t threads_of_a_loop() {
  std::mutex lock;
  std::set<std::thread::id> threads;
  ms::parallel_for(
      0, 16,
      [&](ms::range part) {
        std::this_thread::sleep_for(std::chrono::milliseconds(part.size()));
        const std::lock_guard held(lock);
        threads.insert(std::this_thread::get_id());
      },
      ms::schedule::dbs);
  return threads.size();
}

TEST_P(Ranks, ALoopGetsTheWorkersWhoseRanksWaitAndNoOthers) {
  if (!meets() || GetParam().workers > 8) GTEST_SKIP() << "needs some workers that run at the same time";
  constexpr int tries = 200;
  std::size_t while_they_wait = 0, while_they_compute = 0, while_they_wait_again = 0;
  const auto until_shared = [](std::size_t& threads) {
    for (int i = 0; i < tries && threads < 2; ++i) threads = threads_of_a_loop();
  };
  std::atomic<int> computing{0};
  std::atomic<bool> done{false};
  ms::ranks(GetParam().workers, [&](ms::communicator& world) {
    world.barrier();
    if (world.rank() == 0) until_shared(while_they_wait);
    world.barrier();
    if (world.rank() > 0) {
      ++computing;
      while (!done) std::this_thread::yield();
    } else {
      while (computing < world.size() - 1) std::this_thread::yield();
      while_they_compute = threads_of_a_loop();
      done = true;
    }
    world.barrier();
    if (world.rank() == 0) until_shared(while_they_wait_again);
    world.barrier();
  });
  EXPECT_GT(while_they_wait, 1U);
  EXPECT_EQ(while_they_compute, 1U);
  EXPECT_GT(while_they_wait_again, 1U);
}

TEST_P(Ranks, MayBeCalledInRanksAndStreams) {
  std::atomic<int> sum{0};
  ms::phase("ranks", 3, [&](std::int64_t) {
    ms::ranks(4, [&](ms::communicator& outer) {
      if (outer.rank() == 0)
        ms::ranks(3, [&](ms::communicator& inner) { sum += inner.all_reduce(inner.rank(), std::plus{}); });
      outer.barrier();
    });
  });
  EXPECT_EQ(sum, 3 * 3 * 3);
}

TEST_P(Ranks, TheExceptionOfARankEndsTheOthersWaitsAndIsRethrown) {
  std::atomic<int> begun{0}, ended{0};  // a rank need not begin any more
  const std::string what = complaint([&] {
    ms::ranks(6, [&](ms::communicator& world) {
      ++begun;
      const struct counted {
        std::atomic<int>& of;
        ~counted() { ++of; }
      } at_end{ended};
      int never = 0;
      std::vector<int> large(10'000);
      if (world.rank() == 4) throw ms::error("rank 4 has had enough");
      if (world.rank() == 1) world.send(large, 2);
      if (world.rank() == 3) world.barrier();
      world.receive(never, 4);
    });
  });
  EXPECT_EQ(what, "rank 4 has had enough");
  EXPECT_GE(begun, 5);
  EXPECT_EQ(ended, begun);
}

TEST_P(Ranks, TheExceptionOfARankEndsWhatOthersHaveStarted) {
  std::atomic<int> told{0};
  const std::string what = complaint([&] {
    ms::ranks(5, [&](ms::communicator& world) {
      int never = 0;
      std::vector<int> large(10'000);
      if (world.rank() == 4) {
        for (int rank = 0; rank < 4; ++rank) world.receive(never, rank, 1);
        throw ms::error("rank 4 has had enough");
      }
      try {
        ms::request started = world.rank() == 0 ? world.start_send(large, 4, 2) : world.start_receive(never, 4, 2);
        world.send(0, 4, 1);
        if (world.rank() < 2) started.wait();
        while (!started.test()) {
        }
      } catch (const ms::error& e) {
        EXPECT_NE(std::string(e.what()).find("since another rank has failed: rank 4 has had enough"), std::string::npos)
            << e.what();
        ++told;
        throw ms::error("a consequence");
      }
    });
  });
  EXPECT_EQ(what, "rank 4 has had enough");
  EXPECT_EQ(told, 4);
}

TEST_P(Ranks, ThatAllWaitForWhatTheyHaveStartedIsSaid) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      int never = 0;
      world.start_receive(never, 1 - world.rank()).wait();
    });
  });
  EXPECT_NE(what.find("a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

TEST_P(Ranks, AnExchangeWithAnyoneReceivesItsTag) {
  ms::ranks(2, [](ms::communicator& world) {
    const int me = world.rank();
    if (me == 0) world.send(-1, 1, 3);
    int got = -2;
    EXPECT_EQ(world.exchange(me, 1 - me, got).tag, 0);
    EXPECT_EQ(got, 1 - me);
    if (me == 1) {
      world.receive(got, 0, 3);
      EXPECT_EQ(got, -1);
    }
  });
}

int larger_of(int a, int b) { return std::max(a, b); }

TEST_P(Ranks, AFunctionMayCombine) {
  ms::ranks(5, [](ms::communicator& world) {
    EXPECT_EQ(world.all_reduce(10 * world.rank(), larger_of), 40);
    EXPECT_EQ(world.all_reduce(10 * world.rank(), &larger_of), 40);
  });
}

TEST_P(Ranks, WhatIsGivenMayLieWhereItsResultBelongs) {
  ms::ranks(3, [](ms::communicator& world) {
    const auto me = static_cast<std::size_t>(world.rank());
    std::vector<int> all(6, -1);
    all[2 * me] = all[2 * me + 1] = world.rank();
    world.all_gather(std::span(all).subspan(2 * me, 2), all);
    EXPECT_EQ(all, (std::vector{0, 0, 1, 1, 2, 2}));
    world.scan(all, all, std::plus{});
    EXPECT_EQ(all[5], 2 * (world.rank() + 1));
  });
}

TEST_P(Ranks, WhatIsGivenMustNotBeOverwrittenBeforeItIsRead) {
  const auto with = [](auto call) {
    return complaint([&] {
      ms::ranks(3, [&](ms::communicator& world) {
        std::vector<int> all(6);
        call(world, std::span(all));
      });
    });
  };
  const std::string gathered =
      with([](ms::communicator& world, std::span<int> all) { world.gather(all.first(2), all, 2); });
  EXPECT_NE(gathered.find("overlap: rank 2 calls gather with root 2"), std::string::npos) << gathered;
  const std::string scanned =
      with([](ms::communicator& world, std::span<int> all) { world.scan(all.first(4), all.last(4), std::plus{}); });
  EXPECT_NE(scanned.find("overlap: rank 0 calls scan by std::plus<void>"), std::string::npos) << scanned;
}

TEST_P(Ranks, ThatAllWaitForEachOtherIsSaid) {
  const std::string what = complaint([] {
    ms::ranks(4, [](ms::communicator& world) {
      int never = 0;
      std::vector<int> large(10'000);
      if (world.rank() == 0) world.receive(never, 1, 5);
      if (world.rank() == 1) world.send(large, 2, 6);
      if (world.rank() == 2) world.receive(never, 0);
    });
  });
  for (const char* part :
       {"all ranks of ms::ranks wait for each other", "rank 0 waits to receive from rank 1 with tag 5, at ",
        "rank 1 waits to send to rank 2 with tag 6, at ", "rank 2 waits to receive from rank 0 with any tag, at ",
        "ranks_test.cpp:", "rank 3 has ended", "a cycle: rank 0 waits for rank 1 waits for rank 2 waits for rank 0"})
    EXPECT_NE(what.find(part), std::string::npos) << part << " is not in\n" << what;
}

TEST_P(Ranks, ThoseOfTheCycleAreAmongTheFewOfManyThatAreTold) {
  const std::string what = complaint([] {
    ms::ranks(100, [](ms::communicator& world) {
      int never = 0;
      const int me = world.rank();
      if (me == 70 || me == 90) world.receive(never, 160 - me, 5);
      world.barrier();
    });
  });
  for (const char* part : {"\n  rank 0 waits for ranks 70 and 90 to come to a call of all ranks, in barrier at ",
                           "\n  rank 29 waits for ", "\n  rank 70 waits to receive from rank 90 with tag 5, at ",
                           "\n  rank 90 waits to receive from rank 70 with tag 5, at ", "\n  and 68 more",
                           "\n  a cycle: rank 70 waits for rank 90 waits for rank 70"})
    EXPECT_NE(what.find(part), std::string::npos) << part << " is not in\n" << what;
  EXPECT_EQ(what.find("rank 30 waits"), std::string::npos) << what;
}

TEST_P(Ranks, WhoReceivesFromAnyRankIsInACycleOfAllThatMaySend) {
  const std::string what = complaint([] {
    ms::ranks(3, [](ms::communicator& world) {
      ms::communicator pair = world.split(world.rank() / 2);
      int never = 0;
      if (world.rank() < 2) pair.receive(never, world.rank() == 0 ? ms::any_source : 0);
      if (world.rank() == 2) world.receive(never);
    });
  });
  EXPECT_NE(what.find("\n  rank 2 waits to receive from any rank with any tag, at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n  a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

TEST_P(Ranks, WhoMayReceiveFromOneOutsideIsInNoCycle) {
  const std::string what = complaint([] {
    ms::ranks(4, [](ms::communicator& world) {
      int never = 0;
      const int me = world.rank();
      if (me == 0) world.receive(never);
      if (me == 1) world.receive(never, 0);
      if (me == 2) world.receive(never, 3);
    });
  });
  EXPECT_NE(what.find("\n  rank 3 has ended"), std::string::npos) << what;
  EXPECT_EQ(what.find("a cycle"), std::string::npos) << what;
  EXPECT_EQ(what.find("none of"), std::string::npos) << what;
}

TEST_P(Ranks, WhatDoesNotFitIsAnErrorOfTheReceiver) {
  const auto with = [](auto sent, auto room) {
    return complaint([&] {
      ms::ranks(2, [&](ms::communicator& world) {
        if (world.rank() == 0) return world.send(sent, 1, 2);
        auto mine = room;
        world.receive(mine, 0);
      });
    });
  };
  EXPECT_EQ(with(std::vector<int>(3), std::vector<int>(3)), "");
  const std::string longer = with(std::vector<int>(4), std::vector<int>(3));
  EXPECT_NE(longer.find("rank 1 received a message of 4 x int from rank 0 with tag 2"), std::string::npos) << longer;
  EXPECT_NE(longer.find("receives 3 x int; make room for as many as are sent"), std::string::npos) << longer;
  const std::string other = with(std::vector<int>(2), std::vector<double>(3));
  EXPECT_NE(other.find("receives 3 x double; receive elements of the type that is sent"), std::string::npos) << other;
}

TEST_P(Ranks, CallsThatDoNotGoTogetherAreAnErrorOfAll) {
  std::atomic<int> told{0};
  const std::string what = complaint([&] {
    ms::ranks(3, [&](ms::communicator& world) {
      int x = 0;
      try {
        if (world.rank() == 2)
          world.barrier();
        else
          world.broadcast(x, 1);
      } catch (const ms::error&) {
        ++told;
        throw;
      }
    });
  });
  EXPECT_NE(what.find("do not go together: rank 0 calls broadcast with root 1 of 1 x int"), std::string::npos) << what;
  EXPECT_NE(what.find("; rank 2 calls barrier ("), std::string::npos) << what;
  EXPECT_EQ(told, 3);
}

TEST_P(Ranks, BadArgumentsAreErrors) {
  const auto in_rank = [](auto&& call) {
    return complaint([&] {
      ms::ranks(2, [&](ms::communicator& world) {
        if (world.rank() == 1) call(world);
      });
    });
  };
  int x = 0;
  EXPECT_NE(in_rank([&](ms::communicator& w) { w.send(x, 2); }).find("there is no rank 2; expected 0 to 1"),
            std::string::npos);
  EXPECT_NE(in_rank([&](ms::communicator& w) { w.receive(x, -2); }).find("there is no rank -2"), std::string::npos);
  EXPECT_NE(in_rank([&](ms::communicator& w) { w.send(x, 0, -1); }).find("tag -1; expected a number from 0"),
            std::string::npos);
  EXPECT_NE(in_rank([&](ms::communicator& w) { w.broadcast(x, 7); }).find("there is no rank 7"), std::string::npos);
  const std::string by_task = in_rank([&](ms::communicator& w) {
    ms::group tasks;
    tasks.task([&] { w.send(x, 0); });
    tasks.wait();
  });
  EXPECT_NE(by_task.find("expected the rank's own code"), std::string::npos) << by_task;
  EXPECT_NE(complaint([] { ms::ranks(0, [](ms::communicator&) {}); }).find("0 ranks; expected 1 or more"),
            std::string::npos);
}

/// A message of a random program. `number`: among those from its rank to that rank with that tag.
struct planned {
  int from, to, tag;
  std::size_t extent;
  int number;
};

int element_of(const planned& m, std::size_t i) { return m.from * 1000 + m.number * 10 + static_cast<int>(i % 10); }

/// Each rank starts its sends and receives in orders of its own, and waits for them in others. What a receive has got
/// is known: messages with one tag from one rank arrive in their order.
void run_random_messages(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const std::size_t count = 2 + below(7);
  std::vector<planned> all;
  std::map<std::array<int, 3>, int> numbers;
  for (std::size_t i = below(60); i > 0; --i) {
    planned m{static_cast<int>(below(count)), static_cast<int>(below(count)), static_cast<int>(below(3)), 0, 0};
    m.extent = std::array<std::size_t, 5>{0, 1, 60, 200, 3000}[below(5)];
    m.number = numbers[{m.from, m.to, m.tag}]++;
    all.push_back(m);
  }
  ms::ranks(static_cast<int>(count), [&](ms::communicator& world) {
    std::mt19937 own(seed * 100 + static_cast<unsigned>(world.rank()));
    std::vector<std::vector<int>> data;
    data.reserve(2 * all.size());
    std::vector<ms::request> sends;
    struct expected {
      ms::request started;
      const std::vector<int>* into;
      planned what;
    };
    std::vector<expected> receives;
    for (const planned& m : all) {
      const auto receive = [&] {
        if (m.to != world.rank()) return;
        data.emplace_back(m.extent + own() % 3);
        receives.push_back({world.start_receive(data.back(), m.from, m.tag), &data.back(), m});
      };
      const bool first = own() % 2;
      if (first) receive();
      if (m.from == world.rank()) {
        data.emplace_back(m.extent);
        for (std::size_t i = 0; i < m.extent; ++i) data.back()[i] = element_of(m, i);
        sends.push_back(world.start_send(data.back(), m.to, m.tag));
      }
      if (!first) receive();
    }
    std::shuffle(receives.begin(), receives.end(), own);
    for (expected& one : receives) {
      const ms::message got = one.started.wait();
      ASSERT_EQ(got.extent, one.what.extent);
      for (std::size_t i = 0; i < got.extent; ++i) ASSERT_EQ((*one.into)[i], element_of(one.what, i));
    }
    for (ms::request& one : sends) one.wait();
    const int sum = world.all_reduce(static_cast<int>(receives.size()), std::plus{});
    ASSERT_EQ(sum, static_cast<int>(all.size()));
  });
}

TEST_P(Ranks, WhatAnOperationThrowsComesOutWhoeverComesLast) {
  for (int round = 0; round < 10; ++round)
    EXPECT_THROW(ms::ranks(3,
                           [&](ms::communicator& world) {
                             if (world.rank() == round % 3) dawdle();
                             world.all_reduce(1, [](int, int) -> int { throw std::domain_error("no sum"); });
                           }),
                 std::domain_error);
}

TEST_P(Ranks, ARequestThatWasGivenUpIsSoForEachCall) {
  int given_up = 0;
  EXPECT_THROW(ms::ranks(2,
                         [&](ms::communicator& world) {
                           int v = 0;
                           if (world.rank() == 1) {
                             world.receive(v, 0);
                             throw std::domain_error("rank 1");
                           }
                           ms::request r = world.start_receive(v, 1);
                           world.send(v, 1);
                           try {
                             while (!r.test()) {
                             }
                           } catch (const ms::error&) {
                             ++given_up;
                           }
                           try {
                             r.wait();
                           } catch (const ms::error&) {
                             ++given_up;
                           }
                         }),
               std::domain_error);
  EXPECT_EQ(given_up, 2);
}

TEST_P(Ranks, ARequestIsTestedByItsRankOnly) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      int v = 0;
      ms::request r = world.start_receive(v, 1 - world.rank());
      std::string in_thread;
      if (world.rank() == 0) std::thread([&] { in_thread = complaint([&] { r.test(); }); }).join();
      world.send(v, 1 - world.rank());
      r.wait();
      if (!in_thread.empty()) throw ms::error(in_thread);
    });
  });
  EXPECT_NE(what.find("expected the rank's own code"), std::string::npos) << what;
}

TEST_P(Ranks, RandomProgramsReceiveWhatWasSent) {
  for (unsigned seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    run_random_messages(seed);
  }
}

MASLIN_ON_EVERY_EXECUTOR(Ranks);

}  // namespace
