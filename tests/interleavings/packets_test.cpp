// Packets between processes: a ring that is nearly full, and readers that sleep; and reports of how ranks are
// (src/exec/ranks/ACROSS.md).

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "comm/report.hpp"
#include "two_processes.hpp"
#include "well.hpp"

namespace maslin::node {

void sleep_at(explorer::atomic<std::uint32_t>& bell, std::uint32_t seen) { bell.wait(seen); }

}  // namespace maslin::node

namespace maslin::comm {
namespace {

using explorer::explore;
using explorer::fail;
using explorer::scenario;

enum class writers { one_thread, rank_and_thread };

/// Threads that the explorer interleaves.
struct explored_processes : scenario, two_processes<false> {
  explored_processes(rank with, mistake m, writers who) : two_processes(m) {
    write_first();
    if (who == writers::one_thread) {
      threads.push_back([this, with] { write_all(with != rank::waits); });
    } else {
      threads.push_back([this] { send_all(); });
      threads.push_back([this] { write_rest(); });
    }
    threads.push_back([this] { receive(); });
    if (with == rank::looks) threads.push_back([this] { look(); });
    if (with == rank::waits) threads.push_back([this] { wait(); });
  }
  void came(std::uint64_t id, std::uint64_t in_place_of) override {
    if (id != in_place_of)
      fail("packet " + std::to_string(id) + " came in the place of " + std::to_string(in_place_of));
  }
  void check() override {
    if (read_count() != all) fail(std::to_string(read_count()) + " packets were read");
  }
};

explorer::result explored(int preemptions, rank with, mistake m = mistake::none, writers who = writers::one_thread) {
  return explore([=] { return std::make_unique<explored_processes>(with, m, who); }, preemptions);
}

/// A process that tells thrice what the time is, and another one that looks.
struct explored_reports : scenario {
  report of;
  explorer::atomic<std::uint64_t> time{1};

  explored_reports() {
    threads.push_back([this] {
      for (int i = 0; i < 3; ++i)
        of.tell([this] {
          const std::uint64_t now = time.load();
          return ranks_found{ranks_found::how{static_cast<std::uint32_t>(now)}, now, now};
        });
    });
    threads.push_back([this] {
      const std::uint64_t then = time.fetch_add(1) + 1, number = of.number();
      const auto seen = of.look();
      if (!seen) return;
      const auto& [are, sleeps, handled] = seen->found;
      if (sleeps != handled || static_cast<std::uint64_t>(are) != sleeps) fail("parts of two reports are seen as one");
      if (seen->is_well_behind(number) && sleeps < then) fail("a report of before is taken for one of after");
    });
  }
  void check() override {
    const auto last = of.look();
    if (!last || last->number != 6) fail("not all reports are there");
  }
};

TEST(Interleavings, ReportsAreSeenAsAWhole) {
  expect_well(explore([] { return std::make_unique<explored_reports>(); }, 4));
}

TEST(Interleavings, EveryPacketIsReadAlsoWhereThereIsNoRoom) { expect_well(explored(3, rank::none)); }

TEST(Interleavings, EveryPacketIsReadByThoseWhoLook) { expect_well(explored(2, rank::looks)); }

TEST(Interleavings, EveryPacketIsReadBeforeARankWaitsForEver) { expect_well(explored(2, rank::waits)); }

TEST(Interleavings, WhatARankLeavesIsWritten) {
  expect_well(explored(2, rank::none, mistake::none, writers::rank_and_thread));
}

TEST(Interleavings, MistakesWithPacketsAreFound) {
  EXPECT_NE(explored(3, rank::none, mistake::rings_before_it_writes).failure, "");
  EXPECT_NE(explored(3, rank::none, mistake::sleeps_without_a_look).failure, "");
  EXPECT_NE(explored(3, rank::looks, mistake::leaves_without_a_look).failure, "");
  EXPECT_NE(explored(3, rank::waits, mistake::waits_without_a_look).failure, "");
  EXPECT_NE(explored(3, rank::waits, mistake::waits_in_secret).failure, "");
  EXPECT_NE(explored(3, rank::none, mistake::waits_for_room_without_a_look).failure, "");
  EXPECT_NE(explored(3, rank::none, mistake::forgets_who_waits_for_room).failure, "");
  EXPECT_NE(explored(2, rank::none, mistake::leaves_without_a_second_try, writers::rank_and_thread).failure, "");
}

}  // namespace
}  // namespace maslin::comm
