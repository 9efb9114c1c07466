// Ranks that run on a machine whose links and hops are described: their messages take the times that are said there.
// Each time was worked out by hand.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "on_machine.hpp"

namespace {

namespace ms = maslin;
using namespace std::chrono_literals;

/// Two hosts with two workers each. Messages between workers of a host pass a bus (1 us, 1 GB/s); others both hosts'
/// queues, one at a time (2 us, and 1 GB/s).
constexpr const char* two_hosts = R"(
name = "two hosts"
[workers]
kind = "cpu"
count = 4
source = "this test"
[[hop]]
name = "bus"
shared_by = 2
startup_us = 1
bandwidth_gb_per_s = 1
source = "this test"
[[hop]]
name = "queue"
shared_by = 2
startup_us = 2
bandwidth_gb_per_s = 1
source = "this test"
[[route]]
name = "host"
within = 2
across = ["bus"]
source = "this test"
[[route]]
name = "all"
within = 4
out = ["queue"]
in = ["queue"]
source = "this test"
)";

/// Two nodes of one worker each, joined by 1 us and 1 GB/s.
constexpr const char* two_nodes = R"(
name = "two nodes"
nodes = 2
[workers]
kind = "cpu"
count = 1
source = "this test"
[[link]]
between = "nodes"
bandwidth_gb_per_s = 1
latency_us = 1
source = "this test"
)";

/// Since the runtime began, in microseconds.
double now() { return 1e6 * ms::time().count(); }
void until(std::chrono::microseconds then) { ms::cost(std::chrono::duration<double>(then) - ms::time()); }

using body = std::function<void(ms::communicator&)>;

/// Runs ranks, for which only declared time passes, and gives when each has ended.
std::vector<double> ends_of(const std::string& machine, int ranks, const body& run, const char* eager = "16384") {
  std::vector<double> ends(static_cast<std::size_t>(ranks));
  const variable declared("MASLIN_DURATIONS", "declared"), most("MASLIN_EAGER", eager);
  run_on(machine, [&] {
    const double begin = now();
    ms::ranks(ranks, [&](ms::communicator& world) {
      run(world);
      ends[static_cast<std::size_t>(world.rank())] = now() - begin;
    });
  });
  return ends;
}

void expect_near(const std::vector<double>& are, const std::vector<double>& wanted) {
  ASSERT_EQ(are.size(), wanted.size());
  for (std::size_t i = 0; i < are.size(); ++i) EXPECT_NEAR(are[i], wanted[i], 1e-6) << "rank " << i;
}

TEST(OverLinks, ASmallMessageIsPutAndAFlagBehindIt) {
  // 1 us and 8 ns of data, 1 us and 4 ns of the flag. The sender goes on at once.
  expect_near(ends_of(two_hosts, 2,
                      [](ms::communicator& world) {
                        double data = 0;
                        if (world.rank() == 0) world.send(1.0, 1);
                        if (world.rank() == 1) world.receive(data, 0);
                      }),
              {0, 2.012});
}

TEST(OverLinks, ALongMessageWaitsForItsReceiversDescriptor) {
  const auto exchange = [](ms::communicator& world) {
    std::vector<std::byte> data(1'000'000);
    if (world.rank() == 0) world.send(data, 1);
    if (world.rank() == 1) ms::cost(10us);
    if (world.rank() == 1) world.receive(data, 0);
  };
  // From 10 us on: the descriptor 1.064 us, the data 1,001 us, the flag 1.004 us.
  expect_near(ends_of(two_hosts, 2, exchange), {1013.068, 1013.068});
  // So does one that may be sent before it is received if its sender waits for its receive.
  expect_near(ends_of(two_hosts, 2,
                      [](ms::communicator& world) {
                        double data = 0;
                        if (world.rank() == 0) world.synchronous_send(1.0, 1);
                        if (world.rank() == 1) ms::cost(10us);
                        if (world.rank() == 1) world.receive(data, 0);
                      }),
              {13.076, 13.076});
}

TEST(OverLinks, HostsForwardOneMessageAtATime) {
  // Rank 0's message has passed its host's queue after 2.008 us, and rank 1's after 4.016 us. The receivers' host has
  // heard of both receives by then, and lets the messages pass for 2.008 us each.
  const auto both = [](ms::communicator& world) {
    double data = 0;
    if (world.rank() % 2 == 1) ms::cost(500ns);
    if (world.rank() < 2)
      world.send(1.0, world.rank() + 2);
    else
      world.receive(data, world.rank() - 2);
  };
  // The second of two receives has been told to the host after 4.128 us.
  expect_near(ends_of(two_hosts, 4, both), {2.008, 4.016, 4.072, 6.136});
  // Receivers that have begun to wait before, for any rank: their host has heard of them.
  expect_near(ends_of(two_hosts, 4,
                      [](ms::communicator& world) {
                        double data = 0;
                        if (world.rank() % 2 == 1) ms::cost(500ns);
                        if (world.rank() < 2) ms::cost(1us);
                        if (world.rank() < 2)
                          world.send(1.0, world.rank() + 2);
                        else
                          world.receive(data, ms::any_source);
                      }),
              {3.008, 5.016, 5.016, 7.024});
}

TEST(OverLinks, LinksOfADescriptionJoinItsNodes) {
  // Rank 1 is begun by a signal over the link. Data that came before it asked are there at once.
  expect_near(ends_of(two_nodes, 2,
                      [](ms::communicator& world) {
                        until(100us);
                        double data = 0;
                        if (world.rank() == 0) world.send(1.0, 1);
                        if (world.rank() == 1) world.receive(data, 0);
                        until(200us);
                        if (world.rank() == 0) world.send(1.0, 1);
                        if (world.rank() == 1) ms::cost(50us);
                        if (world.rank() == 1) world.receive(data, 0);
                      }),
              {200, 250});
}

TEST(OverLinks, WhatWasStartedGoesOnBesideItsRank) {
  expect_near(ends_of(two_hosts, 2,
                      [](ms::communicator& world) {
                        std::vector<std::byte> data(1'000'000);
                        ms::request one = world.rank() == 0 ? world.start_send(data, 1) : world.start_receive(data, 0);
                        ms::cost(world.rank() == 0 ? 500us : 2000us);
                        one.wait();
                      }),
              {1003.068, 2000});
  // Who looks again and again sees it soon: a look takes 0.1 us.
  const std::vector<double> ends = ends_of(two_hosts, 2, [](ms::communicator& world) {
    double data = 0;
    if (world.rank() == 0) world.send(1.0, 1);
    ms::request one = world.rank() == 1 ? world.start_receive(data, 0) : ms::request();
    while (!one.test()) continue;
  });
  EXPECT_NEAR(ends[1], 2.1, 1e-6);
}

TEST(OverLinks, AMessageTakesNoSignal) {
  // That is what other work takes that is handed over.
  const std::string machine = std::string(two_hosts) + "[dispatch]\nhandover_us = 5\nsource = \"this test\"\n";
  expect_near(ends_of(machine, 2,
                      [](ms::communicator& world) {
                        double data = 0;
                        until(100us);
                        if (world.rank() == 0) world.send(1.0, 1);
                        if (world.rank() == 1) world.receive(data, 0);
                        until(200us);
                        world.barrier();
                      }),
              {204.008, 202.004});
}

TEST(OverLinks, WhatCopyingTakesHereIsNoTimeThere) {
  // A copy of 64 MB takes milliseconds, and the hop has no bandwidth.
  std::string machine = two_hosts;
  for (std::size_t at = 0; (at = machine.find("bandwidth_gb_per_s = 1\n")) != std::string::npos;)
    machine.erase(at, machine.find('\n', at) - at + 1);
  std::array<double, 5> took_us{};  // each time, the rank that took longer
  run_on(machine, [&] {
    ms::ranks(2, [&](ms::communicator& world) {
      std::vector<std::byte> data(64'000'000, std::byte{1});
      for (double& its : took_us) {
        world.barrier();
        const double begin = now();
        if (world.rank() == 0) world.send(data, 1);
        if (world.rank() == 1) world.receive(data, 0);
        its = std::max(its, now() - begin);
      }
    });
  });
  const double shortest_us = *std::ranges::min_element(took_us);  // others may have this machine now and then
  EXPECT_GT(shortest_us, 2);
  EXPECT_LT(shortest_us, 1000);
}

TEST(OverLinks, DataAreThoseThatWereSent) {
  // Of all sizes, of any rank, before and after they are received.
  std::array<int, 4> sums{};
  ends_of(two_hosts, 4, [&](ms::communicator& world) {
    const int rank = world.rank();
    std::vector<ms::request> all;
    std::array<std::vector<int>, 4> sent, got;
    for (int size = 0; size < 4; ++size) {
      const auto s = static_cast<std::size_t>(size);
      sent[s].assign(std::size_t{1} << (5 * size), rank + size);
      got[s].resize(sent[s].size());
      if (rank % 2 == 1) all.push_back(world.start_receive(got[s], ms::any_source, size));
      all.push_back(world.start_send(sent[s], (rank + 1) % 4, size));
    }
    if (rank % 2 == 0) ms::cost(30us);
    for (int size = 3; size >= 0 && rank % 2 == 0; --size)
      world.receive(got[static_cast<std::size_t>(size)], (rank + 3) % 4, size);
    for (ms::request& one : all) one.wait();
    for (const auto& one : got)
      for (const int value : one) sums[static_cast<std::size_t>(rank)] += value;
  });
  const int each = 1 + 32 + 1024 + 32768, more = 32 + 2 * 1024 + 3 * 32768;
  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(sums[static_cast<std::size_t>(rank)], (rank + 3) % 4 * each + more) << rank;
}

TEST(OverLinks, ASendThatIsTakenBackIsNotReceived) {
  double got = 0;
  const std::vector<double> ends = ends_of(two_hosts, 4, [&](ms::communicator& world) {
    std::vector<double> data(100'000, 1);
    if (world.rank() == 0) {
      // To a rank of the same host, and of the other one; small ones and long ones.
      for (const int to : {1, 2})
        for (const std::size_t size : {std::size_t{1}, data.size()}) {
          const std::span some(data.data(), size);
          ms::request one = world.start_send(some, to, 5);
          EXPECT_TRUE(one.cancel());
        }
      for (const int to : {1, 2}) world.send(2.0, to, 5);
    }
    if (world.rank() == 1 || world.rank() == 2) {
      until(5000us);
      world.receive(got, 0, 5);
      EXPECT_EQ(got, 2);
    }
  });
  EXPECT_NEAR(ends[1], 5000, 1e-6);
}

TEST(OverLinks, RanksOfOneWorkerTakeTurnsWhileMessagesAreUnderWay) {
  // Ranks 0 to 3 are on worker 0, and 4 to 7 on worker 1: each computes for 10 us. The others of a worker begin before
  // one that has waited goes on.
  const auto ring = [](ms::communicator& world) {
    double data = 0;
    ms::cost(10us);
    if (world.rank() < 4)
      world.send(1.0, world.rank() + 4);
    else
      world.receive(data, world.rank() - 4);
  };
  const variable two("MASLIN_WORKERS", "2");
  expect_near(ends_of(two_hosts, 8, ring), {10, 20, 30, 40, 40, 40, 40, 42.012});
}

TEST(OverLinks, ATaskThatAnotherMakesReadyRunsThoughARankBeginsThere) {
  // Some worker has begun with the first task, and begins its rank when that has ended.
  int data = 0;
  const variable declared("MASLIN_DURATIONS", "declared");
  run_on(two_hosts, [&] {
    ms::task(
        [](ms::view<int> its) {
          ms::cost(100us);
          its[0] = 1;
        },
        ms::inout(data));
    ms::task([](ms::view<int> its) { its[0] += 1; }, ms::inout(data));
    ms::cost(10us);
    ms::ranks(4, [](ms::communicator&) {});
    ms::wait();
  });
  EXPECT_EQ(data, 2);
}

TEST(OverLinks, AFailedRankEndsWaitsWhileMessagesAreUnderWay) {
  std::string said;
  try {
    ends_of(two_hosts, 4, [&](ms::communicator& world) {
      std::vector<double> data(100'000);
      if (world.rank() == 0) world.send(data, 1);
      if (world.rank() == 1) world.receive(data, 0);
      if (world.rank() == 2) ms::cost(100us);
      if (world.rank() == 2) throw std::runtime_error("it fell over");
      if (world.rank() == 3) world.receive(data, 0);
    });
  } catch (const std::exception& e) {
    said = e.what();
  }
  EXPECT_EQ(said, "it fell over");
}

TEST(OverLinks, RanksThatWaitForEachOtherAreTold) {
  const auto wait = [](ms::communicator& world) {
    double data = 0;
    world.receive(data, 1 - world.rank());
  };
  EXPECT_THROW(ends_of(two_hosts, 2, wait), ms::error);
}

TEST(OverLinks, RanksThatWaitForMessagesUnderWayAreNot) {
  // All sleep while each gives each something: that is for longer than it takes to look twice whether they do.
  constexpr int ranks = 800;
  const std::vector<double> ends = ends_of(two_hosts, ranks, [](ms::communicator& world) {
    std::vector<int> all(std::size_t{25} * ranks, world.rank()), parts(all.size());
    world.all_to_all(all, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_EQ(parts[i], static_cast<int>(i / 25));
  });
  EXPECT_GT(ends[0], 1000);
}

TEST(OverLinks, MoreWorkersThanAreDescribedAreAnError) {
  const variable more("MASLIN_WORKERS", "8");
  EXPECT_THROW(ends_of(two_hosts, 8, [](ms::communicator&) {}), ms::error);
}

TEST(CallsOverLinks, ABarrierIsAsManyTurnsAsItNeeds) {
  // One turn, in which each tells the other. The last one comes at 100 us, and has been told.
  expect_near(ends_of(two_nodes, 2,
                      [](ms::communicator& world) {
                        until(world.rank() == 0 ? 100us : 50us);
                        world.barrier();
                      }),
              {100, 101});
}

TEST(CallsOverLinks, AReductionToAllTakesItsTurns) {
  // One turn, too. Data and flag of rank 1's message pass the bus behind those of rank 0's.
  double sum = 0;
  expect_near(ends_of(two_hosts, 2,
                      [&](ms::communicator& world) {
                        if (world.rank() == 1) ms::cost(500ns);
                        const double all = world.all_reduce(world.rank() + 1.0, std::plus{});
                        if (world.rank() == 0) sum = all;
                      }),
              {4.024, 2.012});
  EXPECT_EQ(sum, 3);
}

TEST(CallsOverLinks, NobodyLeavesBeforeAllHaveCome) {
  // The root's message of a broadcast has been there since 1.008 us.
  expect_near(ends_of(two_nodes, 2,
                      [](ms::communicator& world) {
                        double data = 1;
                        until(world.rank() == 0 ? 50us : 100us);
                        world.broadcast(data, 0);
                      }),
              {100, 100});
  // From the other one it comes when that has come.
  expect_near(ends_of(two_nodes, 2,
                      [](ms::communicator& world) {
                        double data = 1;
                        until(world.rank() == 0 ? 50us : 100us);
                        world.broadcast(data, 1);
                      }),
              {101.008, 100});
}

/// A call of all with a part for each rank.
struct parts final : ms::joint_call {
  bool meet(std::span<ms::joint_call* const>) override { return true; }
  void do_part(std::span<ms::joint_call* const> all, int rank) override {
    ++static_cast<parts&>(*all[static_cast<std::size_t>(rank)]).done;
    if (rank == 1) throw std::runtime_error("part 1");
  }
  int done = 0;
};

TEST(CallsOverLinks, WhatWasStartedGoesOnBesideItsRank) {
  std::array<int, 2> done{};
  expect_near(ends_of(two_nodes, 2,
                      [&](ms::communicator& world) {
                        until(50us);
                        parts mine;
                        ms::request all = world.start_together(mine);
                        ms::cost(world.rank() == 0 ? 20us : 0us);
                        if (world.rank() == 0)
                          all.wait();
                        else
                          EXPECT_THROW(all.wait(), std::runtime_error);
                        done[static_cast<std::size_t>(world.rank())] = mine.done;
                      }),
              {70, 51});
  EXPECT_EQ(done, (std::array{1, 1}));
}

TEST(CallsOverLinks, ACallOfFewRanksDoesNotCostHereWhatALargeMachineDoes) {
  // If each call looked at all 100,000 workers, these would take minutes.
  std::string machine = two_nodes;
  machine.replace(machine.find("nodes = 2"), 9, "nodes = 100000");
  const variable two("MASLIN_WORKERS", "2");
  expect_near(ends_of(machine, 2,
                      [](ms::communicator& world) {
                        until(100us);
                        for (int i = 0; i < 5000; ++i) world.barrier();
                      }),
              {5100, 5100});
}

TEST(CallsOverLinks, GroupsCallBesideEachOther) {
  // Each host's two ranks, four times: their bus is their own.
  expect_near(ends_of(two_hosts, 4,
                      [](ms::communicator& world) {
                        ms::communicator half = world.among(world.rank() < 2 ? std::array{0, 1} : std::array{2, 3});
                        if (world.rank() % 2 == 1) ms::cost(500ns);
                        for (int i = 0; i < 4; ++i) half.barrier();
                      }),
              {14.028, 16.032, 14.028, 16.032});
}

}  // namespace
