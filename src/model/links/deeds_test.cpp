#include "model/links/deeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "checkout.hpp"
#include "maslin/error.hpp"
#include "spec_file.hpp"

namespace maslin::links {
namespace {

using kind = deed::kind;
using pattern = call_of_ranks::pattern;

constexpr std::int64_t us = 1'000'000, ns = 1000;

/// Two nodes of two workers each, joined by links of 1 us and 1 GB/s; within a node messages take no time.
network two_nodes() {
  const spec_file file(R"(name = "two nodes"
nodes = 2
[workers]
kind = "cpu"
count = 2
source = "a test"
[[link]]
between = "nodes"
bandwidth_gb_per_s = 1
latency_us = 1
source = "a test"
)");
  return network_of(file.path());
}

ranks_on one_each(std::size_t ranks) {
  ranks_on how;
  how.eager_bytes = 256;
  how.workers.resize(ranks);
  std::iota(how.workers.begin(), how.workers.end(), 0U);
  return how;
}

void send(std::vector<deed>& by, std::uint32_t m) {
  by.push_back({kind::start_send, m, 0});
  by.push_back({kind::wait_sent, m, 0});
}
void receive(std::vector<deed>& by, std::uint32_t m) {
  by.push_back({kind::start_receive, m, 0});
  by.push_back({kind::wait_received, m, 0});
}

TEST(Deeds, LinksOfADescriptionJoinItsNodes) {
  const network n = two_nodes();
  ASSERT_EQ(n.routes.size(), 2u);
  EXPECT_EQ(n.between(0, 1).name, "node");
  EXPECT_EQ(n.between(1, 2).name, "machine");
  EXPECT_EQ(n.hops.at(0).takes_ps(1000), 2 * us);
}

TEST(Deeds, AMachineWithoutLinksIsAnErrorThatNamesTheFile) {
  const spec_file file("name = \"bare\"\n[workers]\nkind = \"cpu\"\ncount = 2\nsource = \"a test\"\n");
  try {
    network_of(file.path());
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find(file.path() + ": no [[route]] and no [[link]]"), std::string::npos)
        << e.what();
  }
}

/// Loops of 100 and 300 us of two ranks, the second of which then sends to the first; two or more workers make a loop
/// twice as fast.
std::int64_t two_loops(std::uint32_t workers, std::int64_t alone = 0, double speed = 1) {
  recording program{{{{kind::loop, 0, 100 * us}}, {{kind::loop, 0, 300 * us}}}, {{1, 0, 8}}, {{{{1, 1}, {2, 2}}}}};
  if (alone > 0) program.ranks[0].push_back(deed::compute(alone));
  receive(program.ranks[0], 0);
  send(program.ranks[1], 0);
  ranks_on how = one_each(2);
  how.sharing = workers;
  how.speed = speed;
  return take_on(without_links(2), program, how);
}

TEST(Deeds, LoopsHaveTheWorkersOfRanksThatWait) {
  EXPECT_EQ(two_loops(1), 300 * us);
  EXPECT_EQ(two_loops(2), 200 * us);           // 200 us are left when the first rank waits, for two workers
  EXPECT_EQ(two_loops(2, 50 * us), 225 * us);  // which come 50 us later
  EXPECT_EQ(two_loops(2, 500 * us), 600 * us);
  EXPECT_NEAR(static_cast<double>(two_loops(3)), 166'666'667, 1);  // one and a half each, then all for the second
  EXPECT_EQ(two_loops(4), 150 * us);
  EXPECT_EQ(two_loops(100), 150 * us);  // more are of no use
  EXPECT_EQ(two_loops(2, 50 * us, 2), 112'500 * ns);
}

TEST(Deeds, LoopsOfManyRanksLeaveNothingUndone) {
  // However they come and go, all workers are busy until the longest is alone, and its speed-up has no end here.
  recording program{{}, {}, {{{{1, 1}, {8, 8}}}}};
  std::int64_t sum = 0;
  for (std::int64_t rank = 0; rank < 8; ++rank) {
    const std::int64_t ps = (rank * rank + 1) * 7'654'321;
    program.ranks.push_back({{kind::loop, 0, ps}, {kind::loop, 0, ps}});
    sum += 2 * ps;
  }
  ranks_on how = one_each(8);
  how.sharing = 8;
  EXPECT_NEAR(static_cast<double>(take_on(without_links(8), program, how)), static_cast<double>(sum) / 8, 32);
}

TEST(Deeds, NodesThatNothingJoinsAreAnError) {
  const spec_file file(R"(name = "apart"
nodes = 3
[workers]
kind = "cpu"
count = 2
groups = 2
source = "a test"
[[link]]
between = "groups"
bandwidth_gb_per_s = 1
source = "a test"
)");
  EXPECT_THROW(network_of(file.path()), error);
}

TEST(Deeds, ALongMessageWaitsForItsReceiverAndItsSenderForTheEnd) {
  recording program{{{deed::compute(1 * us)}, {}, {deed::compute(5 * us)}}, {{0, 2, 3000}}};
  send(program.ranks[0], 0);
  program.ranks[0].push_back(deed::compute(10 * us));
  receive(program.ranks[2], 0);
  // Both are there at 5 us; 1 us and 3000 bytes at 1 GB/s; then 10 us more.
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), (5 + 1 + 3 + 10) * us);
}

TEST(Deeds, ASmallMessageIsOnItsWayBeforeItIsReceived) {
  recording program{{{}, {}, {deed::compute(5 * us)}}, {{0, 2, 200}}};
  send(program.ranks[0], 0);
  program.ranks[0].push_back(deed::compute(2 * us));
  receive(program.ranks[2], 0);
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), 5 * us);
  ranks_on none_early = one_each(3);
  none_early.eager_bytes = 100;
  EXPECT_EQ(take_on(two_nodes(), program, none_early), (5 + 1 + 2) * us + 200 * ns);
  program.messages[0].is_synchronous = true;
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), (5 + 1 + 2) * us + 200 * ns);
}

TEST(Deeds, WhatWasStartedGoesOnWhileItsRankComputes) {
  recording program{{{}, {}, {}}, {{0, 2, 9000}}};
  auto &sender = program.ranks[0], &receiver = program.ranks[2];
  sender = {{kind::start_send, 0, 0}, deed::compute(12 * us), {kind::wait_sent, 0, 0}};
  receiver = {{kind::start_receive, 0, 0}, deed::compute(8 * us), {kind::wait_received, 0, 0}, deed::compute(1 * us)};
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), 12 * us);
}

/// Adds the parts of a call, of which the first one's number is given; the others follow it.
std::uint32_t add_parts(recording& to, const call_of_ranks& call) {
  const auto first = static_cast<std::uint32_t>(to.parts.size());
  for (std::vector<deed>& part : carried_out(call, to)) to.parts.push_back(std::move(part));
  return first;
}

TEST(Deeds, CallsOfAllThatWereStartedAreWaitedForInAnyOrder) {
  recording program{{{}, {}, {}}, {}};
  const call_of_ranks sum{pattern::reduce_to_all, {0, 2}, 0, {8, 8}};
  const std::uint32_t one = add_parts(program, sum), other = add_parts(program, sum);
  program.ranks[0] = {
      {kind::start_part, one}, {kind::start_part, other}, {kind::wait_part, one}, {kind::wait_part, other}};
  program.ranks[2] = {{kind::start_part, one + 1},
                      {kind::start_part, other + 1},
                      {kind::wait_part, other + 1},
                      {kind::wait_part, one + 1}};
  // The second one's messages follow the first one's.
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), 1 * us + 16 * ns);
}

/// A barrier of ranks 0 and 2, which compute for so long beside it, or before it.
std::int64_t with_barrier(std::int64_t first, std::int64_t second, bool is_started) {
  recording program{{{}, {}, {}}, {}};
  const call_of_ranks call{pattern::meet, {0, 2}, 0, {0, 0}};
  if (is_started) {
    const std::uint32_t part = add_parts(program, call);
    program.ranks[0] = {{kind::start_part, part}, deed::compute(first), {kind::wait_part, part}};
    program.ranks[2] = {deed::compute(second), {kind::start_part, part + 1}, {kind::wait_part, part + 1}};
  } else {
    const auto deeds = carried_out(call, program);
    program.ranks[0] = {deed::compute(first)};
    program.ranks[2] = {deed::compute(second)};
    program.ranks[0].insert(program.ranks[0].end(), deeds[0].begin(), deeds[0].end());
    program.ranks[2].insert(program.ranks[2].end(), deeds[1].begin(), deeds[1].end());
  }
  return take_on(two_nodes(), program, one_each(3));
}

TEST(Deeds, ACallOfAllThatWasStartedTakesNoTimeBesideLongerComputing) {
  EXPECT_EQ(with_barrier(10 * us, 3 * us, true), 10 * us);
  EXPECT_EQ(with_barrier(10 * us, 3 * us, false), 11 * us);  // rank 0 comes at 10 us
  EXPECT_EQ(with_barrier(10 * us, 9500 * ns, true), 10 * us + 500 * ns);
  EXPECT_EQ(with_barrier(10 * us, 20 * us, true), 21 * us);
}

TEST(Deeds, TurnsOfACallOfAllGoOnWhileItsRanksCompute) {
  // Rank 2 hears of rank 1 at 1 us, and of rank 0 at 2 us: that has heard of rank 3 at 1 us.
  recording program{{{}, {}, {}, {}}, {}};
  const std::uint32_t part = add_parts(program, {pattern::meet, {0, 1, 2, 3}, 0, {0, 0, 0, 0}});
  for (std::uint32_t rank = 0; rank < 4; ++rank)
    program.ranks[rank] = {{kind::start_part, part + rank}, deed::compute(1500 * ns), {kind::wait_part, part + rank}};
  EXPECT_EQ(take_on(two_nodes(), program, one_each(4)), 2 * us);
}

TEST(Deeds, WhoWaitsForACallThatSomebodyDoesNotStartIsNamed) {
  recording program{{{}, {}, {}}, {}};
  const std::uint32_t part = add_parts(program, {pattern::meet, {0, 2}, 0, {0, 0}});
  program.ranks[2] = {{kind::start_part, part + 1}, {kind::wait_part, part + 1}};
  EXPECT_THROW(take_on(two_nodes(), program, one_each(3)), error);
}

TEST(Deeds, MessagesThatMeetOnALinkFollowEachOther) {
  recording program{{{}, {}, {}, {}}, {{0, 2, 5000}, {1, 3, 5000}}};
  send(program.ranks[0], 0);
  send(program.ranks[1], 1);
  receive(program.ranks[2], 0);
  receive(program.ranks[3], 1);
  EXPECT_EQ(take_on(two_nodes(), program, one_each(4)), (5 + 1 + 5) * us);
  EXPECT_EQ(take_on(with_other_links(two_nodes(), 2, 1), program, one_each(4)), 6 * us);
  EXPECT_EQ(take_on(with_other_links(two_nodes(), 1, 0.5), program, one_each(4)), 10 * us + us / 2);
  EXPECT_EQ(take_on(without_links(4), program, one_each(4)), 0);
}

TEST(Deeds, RanksOfOneWorkerTakeTurnsAndTheirMessagesTakeNoTime) {
  recording program{{{deed::compute(3 * us)}, {deed::compute(4 * us)}}, {{0, 1, 100000}}};
  send(program.ranks[0], 0);
  program.ranks[0].push_back(deed::compute(2 * us));
  receive(program.ranks[1], 0);
  program.ranks[1].push_back(deed::compute(1 * us));
  ranks_on how;
  how.workers = {0, 0};
  EXPECT_EQ(take_on(two_nodes(), program, how), 10 * us);
  how.speed = 2;
  EXPECT_EQ(take_on(two_nodes(), program, how), 5 * us);
}

TEST(Deeds, RanksThatWaitForWhatDoesNotComeAreAnErrorThatNamesOne) {
  recording program{{{}, {}}, {{0, 1, 8}}};
  receive(program.ranks[1], 0);
  try {
    take_on(two_nodes(), program, one_each(2));
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("rank 1 waits for what does not come"), std::string::npos);
  }
}

TEST(Deeds, AWorkerThatIsNotThereIsAnError) {
  EXPECT_THROW(take_on(two_nodes(), recording{{{}, {}, {}, {}, {}}, {}}, one_each(5)), error);
}

TEST(Deeds, OverHostsASmallMessageLeavesItsSenderBehindTheFirstHop) {
  const network n = network_of((checkout() / "specs/triblade.toml").string());
  // To the other blade: over both hosts. The receiver comes late, and asks its host then.
  recording program{{{}}, {{0, 16, 0}}};
  program.ranks.resize(17);
  send(program.ranks[0], 0);
  EXPECT_EQ(take_on(n, program, one_each(17)), 1'265'000);
  receive(program.ranks[16], 0);
  EXPECT_EQ(take_on(n, program, one_each(17)), 11'770'000);
  program.ranks[16].insert(program.ranks[16].begin(), deed::compute(100 * us));
  // Its descriptor passes its host, 64 bytes at 25.6 GB/s, then the message does.
  EXPECT_EQ(take_on(n, program, one_each(17)), 100 * us + 2 * 1'265'000 + 2500);
}

/// Who has a part of what at the end of a call: each message carries all that its sender knows.
std::vector<std::vector<bool>> known_after(const call_of_ranks& call) {
  recording program;
  program.ranks = carried_out(call, program);
  const std::size_t n = call.ranks.size();
  std::vector<std::vector<bool>> known(n, std::vector<bool>(n)), carried(program.messages.size());
  for (std::size_t i = 0; i < n; ++i) known[i][i] = true;
  std::vector<std::size_t> next(n);
  const auto place_of = [&](std::uint32_t rank) {
    return static_cast<std::size_t>(std::find(call.ranks.begin(), call.ranks.end(), rank) - call.ranks.begin());
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < n; ++i) {
      for (; next[i] < program.ranks[i].size(); ++next[i], moved = true) {
        const deed& d = program.ranks[i][next[i]];
        const bool is_sent = !carried[d.number].empty();
        if (d.is == kind::start_send) {
          EXPECT_EQ(place_of(program.messages[d.number].from), i);
          carried[d.number] = known[i];
        } else if (d.is == kind::wait_received) {
          if (!is_sent) break;
          EXPECT_EQ(place_of(program.messages[d.number].to), i);
          for (std::size_t k = 0; k < n; ++k)
            if (carried[d.number][k]) known[i][k] = true;
        }
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(next[i], program.ranks[i].size()) << "rank " << i << " waits";
  return known;
}

TEST(Calls, WhoIsToKnowSomethingGetsItByMessages) {
  for (std::uint32_t n : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 13U, 16U}) {
    for (const std::uint32_t root : {0U, n / 2, n - 1}) {
      call_of_ranks call{pattern::meet, {}, root, std::vector<std::int64_t>(n, 80)};
      for (std::uint32_t i = 0; i < n; ++i) call.ranks.push_back(3 * i + 1);
      for (const pattern one : {pattern::meet, pattern::reduce_to_all, pattern::gather_to_all, pattern::all_to_all}) {
        call.is = one;
        for (const std::int64_t bytes : {80, 200'000}) {
          std::fill(call.bytes.begin(), call.bytes.end(), bytes);
          for (const auto& of_one : known_after(call)) EXPECT_EQ(std::ranges::count(of_one, true), n) << n;
        }
      }
      for (const pattern one : {pattern::broadcast, pattern::scatter}) {
        call.is = one;
        for (const auto& of_one : known_after(call)) EXPECT_TRUE(of_one[root]) << n;
      }
      for (const pattern one : {pattern::reduce, pattern::gather}) {
        call.is = one;
        EXPECT_EQ(std::ranges::count(known_after(call)[root], true), n) << n;
      }
    }
  }
}

TEST(Calls, ALongReductionIsCutAndPassedRoundTwice) {
  const call_of_ranks call{pattern::reduce_to_all, {0, 1, 2, 3}, 0, std::vector<std::int64_t>(4, 1 << 20)};
  recording program;
  program.ranks = carried_out(call, program);
  EXPECT_EQ(program.messages.size(), 2 * 3 * 4u);
  for (const sent_message& m : program.messages) EXPECT_EQ(m.bytes, 1 << 18);
}

TEST(Calls, EachGivesItsOwnBytes) {
  recording program;
  program.ranks = carried_out({pattern::gather, {5, 6, 7}, 1, {10, 20, 30}}, program);
  ASSERT_EQ(program.messages.size(), 2u);
  EXPECT_EQ(program.messages[0].bytes, 10);
  EXPECT_EQ(program.messages[1].bytes, 30);
  EXPECT_EQ(program.messages[1].from, 7u);
  EXPECT_EQ(program.messages[1].to, 6u);
}

TEST(Calls, NeighboursWaitForEachOtherAlone) {
  call_of_ranks call{pattern::neighbours, {0, 2, 1}, 0, {0, 0, 0}};
  call.edges = {{0, 1, 3000}, {1, 0, 1000}, {0, 0, 500}};
  recording program;
  program.ranks = carried_out(call, program);
  ASSERT_EQ(program.messages.size(), 3u);
  EXPECT_TRUE(program.ranks[2].empty());
  std::swap(program.ranks[1], program.ranks[2]);  // by place; and now by rank
  program.ranks[0].insert(program.ranks[0].begin(), deed::compute(2 * us));
  // 3000 bytes from rank 0, which comes at 2 us. Those from rank 2 go the other way, and those to itself take no time.
  EXPECT_EQ(take_on(two_nodes(), program, one_each(3)), (2 + 1 + 3) * us);
}

TEST(Calls, ABarrierTakesAsManyTurnsAsRanksHaveDoublings) {
  const auto barrier = [](std::size_t ranks) {
    call_of_ranks call{pattern::meet, {}, 0, std::vector<std::int64_t>(ranks)};
    for (std::uint32_t i = 0; i < ranks; ++i) call.ranks.push_back(i);
    recording program;
    program.ranks = carried_out(call, program);
    network n = two_nodes();
    n.workers = static_cast<std::uint32_t>(ranks);
    n.hops[0].shared_by = 1;
    n.routes = {{"all", n.workers, {}, {0}, {}, true}};
    return take_on(n, program, one_each(ranks));
  };
  EXPECT_EQ(barrier(2), 1 * us);
  EXPECT_EQ(barrier(5), 3 * us);
  EXPECT_EQ(barrier(64), 6 * us);
}

TEST(Deeds, RanksBeginWhenTheyCome) {
  // Both send to the other node over one link, which carries one message at a time; so does somebody else, at 3 us.
  const network on = two_nodes();
  journeys moving(on);
  recording program{std::vector<std::vector<deed>>(4), {{0, 2, 1000}, {1, 3, 1000}}};
  for (std::uint32_t m = 0; m < 2; ++m) {
    send(program.ranks[m], m);
    receive(program.ranks[m + 2], m);
  }
  const ranks_on how = [] {
    ranks_on each = one_each(4);
    each.eager_bytes = 1000;
    return each;
  }();
  doing them(on, moving, program, how);
  const std::int64_t begin[] = {2 * us, 2500 * ns, 0, 10 * us};
  for (std::uint32_t rank = 0; rank < 4; ++rank) them.begin(rank, begin[rank]);
  std::vector<std::int64_t> ended(4);
  journey other{0, 2, 500, true};
  bool is_sent = false;
  while (const auto now = them.next()) {
    if (!is_sent && *now >= 3 * us) is_sent = moving.send(other, 3 * us).is_sent;
    for (const std::uint32_t rank : them.step()) ended[rank] = *now;
  }
  EXPECT_EQ(ended, (std::vector<std::int64_t>{2 * us, 2500 * ns, 4 * us, 10 * us}));
  EXPECT_TRUE(is_sent);
  // Behind both, 500 bytes have left the link free at 4.5 us.
  journey last{1, 3, 0, true};
  EXPECT_EQ(moving.send(last, 3 * us).next, 5500 * ns);
}

}  // namespace
}  // namespace maslin::links
