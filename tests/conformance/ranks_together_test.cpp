// Calls of all ranks that the program defines, and communicators of some ranks.

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class RanksTogether : public Promise {};

/// Each rank gets all ranks' numbers.
struct gathering : ms::joint_call {
  explicit gathering(int number, bool in_parts = true) : brings(number), has_parts(in_parts) {}

  bool meet(std::span<ms::joint_call* const> all) override {
    for (ms::joint_call* one : all) static_cast<gathering*>(one)->got.assign(all.size(), -1);
    if (has_parts) return true;
    for (std::size_t rank = 0; rank < all.size(); ++rank) do_part(all, static_cast<int>(rank));
    return false;
  }
  void do_part(std::span<ms::joint_call* const> all, int rank) override {
    auto& its = static_cast<gathering&>(*all[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(its.parts++, 0);
    for (std::size_t i = 0; i < all.size(); ++i) its.got[i] = static_cast<const gathering*>(all[i])->brings;
  }
  void expect(int first, int size) const {
    ASSERT_EQ(got.size(), static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], first + i);
    EXPECT_EQ(parts, 1);
  }

  int brings;
  bool has_parts;
  std::vector<int> got;
  std::atomic<int> parts{0};
};

TEST_P(RanksTogether, AllRanksMeetOnceAndEachPartIsDoneOnce) {
  for (const int count : {1, 2, 7, 40})
    ms::ranks(count, [&](ms::communicator& world) {
      for (int turn = 0; turn < 20; ++turn) {
        gathering mine(turn + world.rank(), turn % 2);
        world.together(mine);
        mine.expect(turn, count);
      }
    });
}

TEST_P(RanksTogether, StartedCallsGoOnUntilTheyAreWaitedFor) {
  constexpr int count = 5, many = 12;
  ms::ranks(count, [&](ms::communicator& world) {
    std::vector<std::unique_ptr<gathering>> calls;
    std::vector<ms::request> all;
    for (int i = 0; i < many; ++i) {
      calls.push_back(std::make_unique<gathering>(100 * i + world.rank(), i % 3 != 0));
      all.push_back(world.start_together(*calls.back()));
      if (i % 4 == 1) {
        EXPECT_EQ(world.all_reduce(1, std::plus{}), count);  // others may lie between
      }
    }
    std::mt19937 random(static_cast<unsigned>(world.rank()));
    std::vector<std::size_t> order(many);
    std::iota(order.begin(), order.end(), 0U);
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      EXPECT_FALSE(all[i].cancel());
      if (i % 2)
        while (!all[i].test()) {
        }
      EXPECT_EQ(all[i].wait().extent, 0U);
      calls[i]->expect(100 * static_cast<int>(i), count);
    }
  });
}

TEST_P(RanksTogether, ACallIsCompleteAlsoIfARankDoesNotWaitForIt) {
  ms::ranks(3, [](ms::communicator& world) {
    gathering mine(world.rank());
    ms::request started = world.start_together(mine);
    int go = 0;
    if (world.rank() == 0) {
      for (int other : {1, 2}) world.receive(go, other);  // they send when theirs is complete
    } else {
      started.wait();
      world.send(go, 0);
    }
    if (world.rank() == 0) started.wait();
    mine.expect(0, 3);
  });
}

/// Each rank's part takes a millisecond of its own time.
struct long_parts : ms::joint_call {
  bool meet(std::span<ms::joint_call* const>) override { return true; }
  void do_part(std::span<ms::joint_call* const>, int) override { ms::cost(1ms); }
};

// What the messages of a call take at most, or of a barrier that ranks leave one after another.
constexpr double messages_s = 3e-5;

TEST_P(RanksTogether, PartsAreDoneSideBySideInVirtualTime) {
  if (!GetParam().described || GetParam().host) GTEST_SKIP() << "times are exact on described cores alone";
  const int count = std::min(GetParam().workers, 4);
  for (int way = 0; way < 3; ++way) {
    std::vector<double> took(static_cast<std::size_t>(count));
    ms::ranks(count, [&](ms::communicator& world) {
      ms::cost(1ms);  // each rank is on a worker of its own, and its code is not measured
      world.barrier();
      const auto begin = ms::time();
      long_parts mine;
      if (way == 0) {
        world.together(mine);
      } else {
        ms::request started = world.start_together(mine);
        if (way == 2) ms::wait_any(std::span(&started, 1));
        started.wait();
      }
      took[static_cast<std::size_t>(world.rank())] = (ms::time() - begin).count();
    });
    for (const double its : took) EXPECT_NEAR(its, 1e-3, messages_s) << way;
  }
}

TEST_P(RanksTogether, WhatMeetTakesIsOverForAllAtItsEnd) {
  if (!GetParam().described || GetParam().host) GTEST_SKIP() << "times are exact on described cores alone";
  struct long_meeting : ms::joint_call {
    bool meet(std::span<ms::joint_call* const>) override { return ms::cost(1ms), false; }
  };
  const int count = std::min(GetParam().workers, 4);
  std::vector<double> took(static_cast<std::size_t>(count));
  ms::ranks(count, [&](ms::communicator& world) {
    ms::cost(1ms);
    world.barrier();
    const auto begin = ms::time();
    if (world.rank() == 0) ms::cost(250us);  // so it meets
    long_meeting mine;
    ms::request started = world.start_together(mine);
    if (world.rank() > 0) {
      ms::cost(750us);
      EXPECT_FALSE(started.test());
    }
    started.wait();
    took[static_cast<std::size_t>(world.rank())] = (ms::time() - begin).count();
  });
  for (const double its : took) EXPECT_NEAR(its, 1.25e-3, messages_s);
}

TEST_P(RanksTogether, AThrowingPartIsThrownInItsRank) {
  struct throwing : ms::joint_call {
    bool meet(std::span<ms::joint_call* const>) override { return true; }
    void do_part(std::span<ms::joint_call* const>, int rank) override {
      if (rank != 1) throw std::domain_error(std::to_string(rank));
    }
  };
  std::vector<std::string> told(4);
  ms::ranks(4, [&](ms::communicator& world) {
    for (const bool started : {false, true}) {
      throwing mine;
      try {
        if (started)
          world.start_together(mine).wait();
        else
          world.together(mine);
      } catch (const std::domain_error& e) {
        told[static_cast<std::size_t>(world.rank())] += e.what();
      }
    }
  });
  EXPECT_EQ(told, (std::vector<std::string>{"00", "", "22", "33"}));
}

TEST_P(RanksTogether, WhatMeetThrowsEndsAllRanks) {
  struct throwing : ms::joint_call {
    bool meet(std::span<ms::joint_call* const>) override { throw std::domain_error("no meeting"); }
  };
  for (const bool started : {false, true})
    EXPECT_THROW(ms::ranks(3,
                           [&](ms::communicator& world) {
                             throwing mine;
                             if (started)
                               world.start_together(mine).wait();
                             else
                               world.together(mine);
                           }),
                 std::domain_error);
}

TEST_P(RanksTogether, CallsOfDifferentKindsAreAnErrorOfAll) {
  struct other : ms::joint_call {
    bool meet(std::span<ms::joint_call* const>) override { return false; }
  };
  std::atomic<int> told{0};
  for (const bool is_own : {false, true}) {
    const std::string what = complaint([&] {
      ms::ranks(3, [&](ms::communicator& world) {
        gathering mine(0);
        other another;
        try {
          if (world.rank() < 2) return world.together(mine);
          if (is_own) return world.barrier();
          world.together(another);
        } catch (const ms::error&) {
          ++told;
          throw;
        }
      });
    });
    EXPECT_NE(what.find("do not go together: rank 0 calls together with a "), std::string::npos) << what;
    EXPECT_NE(what.find(is_own ? "; rank 2 calls one that ms::communicator has" : "; rank 2 calls together with a "),
              std::string::npos)
        << what;
  }
  EXPECT_EQ(told, 6);
}

TEST_P(RanksTogether, WhoNeverComesToACallIsSaid) {
  const std::string what = complaint([] {
    ms::ranks(3, [](ms::communicator& world) {
      gathering mine(0);
      if (world.rank() > 0) world.start_together(mine).wait();
    });
  });
  EXPECT_NE(what.find("rank 0 has ended"), std::string::npos) << what;
  EXPECT_NE(what.find("rank 1 waits for rank 0 to come to a call of all ranks, at "), std::string::npos) << what;
}

TEST_P(RanksTogether, WhoHasNotComeToACallIsInTheCycle) {
  for (const bool is_brief : {true, false}) {
    const std::string what = complaint([&] {
      ms::ranks(4, [&](ms::communicator& world) {
        // The ranks of the other one are told by their numbers in all.
        ms::communicator part = world.split(world.rank() % 2, -world.rank());
        int never = 0;
        std::vector<int> many(1000);
        if (world.rank() == 1) part.receive(never, 0, 7);
        if (is_brief)
          part.barrier();
        else
          part.broadcast(many);
        world.barrier();
      });
    });
    const std::string call = is_brief ? "in barrier at " : "in broadcast at ";
    for (const std::string& part :
         {"rank 0 waits for ranks 1 and 3 to come to a call of all ranks, in barrier at "s,
          "rank 1 waits to receive from rank 3 with tag 7 of the communicator made at "s,
          "rank 2 waits for ranks 1 and 3 to come to a call of all ranks, in barrier at "s,
          "rank 3 waits for rank 1 to come to a call of all ranks of the communicator made at "s, call,
          "\n  a cycle: rank 1 waits for rank 3 waits for rank 1"s})
      EXPECT_NE(what.find(part), std::string::npos) << part << " is not in\n" << what;
  }
}

TEST_P(RanksTogether, WhoHasStartedACallHasCome) {
  const std::string what = complaint([] {
    ms::ranks(3, [](ms::communicator& world) {
      gathering mine(0), next(0);
      int never = 0;
      if (world.rank() == 2) world.receive(never, 1);
      ms::request first = world.start_together(mine);
      if (world.rank() == 1) {
        ms::request second = world.start_together(next);
        world.receive(never, 0);
      }
      first.wait();
    });
  });
  EXPECT_NE(what.find("rank 0 waits for rank 2 to come to a call of all ranks, begun at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n  a cycle: rank 0 waits for rank 2 waits for rank 1 waits for rank 0"), std::string::npos)
      << what;
}

TEST_P(RanksTogether, AFailureEndsCallsThatHaveBegun) {
  int told = 0;
  EXPECT_THROW(ms::ranks(2,
                         [&](ms::communicator& world) {
                           if (world.rank() == 1) {
                             int got = 0;
                             world.receive(got, 0);
                             throw std::domain_error("enough");
                           }
                           gathering mine(0);
                           ms::request started = world.start_together(mine);
                           world.send(1, 1);
                           for (int call = 0; call < 2; ++call) try {
                               if (call == 0)
                                 while (!started.test()) {
                                 }
                               else
                                 started.wait();
                             } catch (const ms::error&) {
                               ++told;
                             }
                         }),
               std::domain_error);
  EXPECT_EQ(told, 2);
}

TEST_P(RanksTogether, AStartedCallThatIsDroppedIsSaid) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      int go = 0;
      if (world.rank() == 1) {
        world.receive(go, 0);
        return world.barrier();
      }
      gathering mine(0);
      { const ms::request dropped = world.start_together(mine); }
      world.send(go, 1);
      world.barrier();
    });
  });
  EXPECT_NE(what.find("rank 0 dropped a call of all ranks, started at "), std::string::npos) << what;
  EXPECT_NE(what.find("ranks_together_test.cpp:"), std::string::npos) << what;
}

TEST_P(RanksTogether, AStartedCallThatIsDroppedByAnExceptionThatIsCaughtIsSaid) {
  for (const bool goes_on : {false, true}) {
    const std::string what = complaint([&] {
      ms::ranks(2, [&](ms::communicator& world) {
        int go = 0;
        if (world.rank() == 1) {
          world.receive(go, 0);
          if (goes_on) world.barrier();
          return;
        }
        gathering mine(0);
        try {
          const ms::request dropped = world.start_together(mine);
          throw std::domain_error("enough");
        } catch (const std::domain_error&) {
        }
        world.send(go, 1);
        if (goes_on) world.barrier();
      });
    });
    EXPECT_NE(what.find("rank 0 dropped a call of all ranks, started at "), std::string::npos) << what;
  }
}

TEST_P(RanksTogether, ACallThatAllHaveComeToMayBeDropped) {
  ms::ranks(3, [](ms::communicator& world) {
    gathering mine(world.rank());
    {
      const ms::request started = world.start_together(mine);
      // Messages tell that all have come.
      int got = 0;
      for (int other : {1, 2}) {
        if (world.rank() == other) world.send(got, 0), world.receive(got, 0, 1);
        if (world.rank() == 0) world.receive(got, other);
      }
      for (int other : {1, 2})
        if (world.rank() == 0) world.send(got, other, 1);
    }
    mine.expect(0, 3);
    world.barrier();
  });
}

TEST_P(RanksTogether, WhoThrowsWhileACallHasBegunIsHeard) {
  EXPECT_THROW(ms::ranks(3,
                         [&](ms::communicator& world) {
                           gathering mine(0);
                           if (world.rank() == 2) {
                             int never = 0;
                             world.receive(never, 0);
                           }
                           ms::request started = world.start_together(mine);
                           if (world.rank() == 0) throw std::domain_error("enough");
                           started.wait();
                         }),
               std::domain_error);
}

/// Ranks start calls and send messages in orders of their own, as far as calls are in one order.
TEST_P(RanksTogether, RandomProgramsMeetAsTheyStarted) {
  for (unsigned seed = 1; seed <= 30 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const int count = 1 + static_cast<int>(seed % 7);
    ms::ranks(count, [&](ms::communicator& world) {
      std::mt19937 random(seed * 100 + static_cast<unsigned>(world.rank()));
      ms::communicator half = world.split(world.rank() % 2);
      const int me = world.rank();
      std::vector<std::unique_ptr<gathering>> calls;
      std::vector<int> firsts, sizes, got(20, -1);
      std::vector<ms::request> open;
      for (int i = 0; i < 20; ++i) {
        if (i % 3 == 0) {
          const int next = (me + 1) % count, before = (me + count - 1) % count;
          got[static_cast<std::size_t>(i)] = -1;
          open.push_back(world.start_receive(got[static_cast<std::size_t>(i)], before, i));
          world.send(i, next, i);
        } else {
          ms::communicator& in = i % 3 == 1 ? world : half;
          calls.push_back(std::make_unique<gathering>(10 * i + in.rank(), i % 2));
          firsts.push_back(10 * i);
          sizes.push_back(in.size());
          open.push_back(in.start_together(*calls.back()));
        }
        while (!open.empty() && random() % 3 == 0) {
          const std::size_t one = random() % 2 ? ms::wait_any(open) : open.size() - 1;
          open[one].wait();
          open.erase(open.begin() + static_cast<std::ptrdiff_t>(one));
        }
      }
      for (ms::request& one : open) one.wait();
      for (std::size_t i = 0; i < calls.size(); ++i) calls[i]->expect(firsts[i], sizes[i]);
      for (int i = 0; i < 20; i += 3) ASSERT_EQ(got[static_cast<std::size_t>(i)], i);
    });
  }
}

TEST_P(RanksTogether, OnlySomeRanksFormACommunicator) {
  ms::ranks(7, [](ms::communicator& world) {
    const int me = world.rank();
    int number = me;
    if (me % 2 == 1) {
      ms::communicator odd = world.among(std::array{5, 1, 3});
      EXPECT_EQ(odd.size(), 3);
      EXPECT_EQ(odd.rank(), me == 5 ? 0 : me == 1 ? 1 : 2);
      EXPECT_EQ(odd.all_reduce(me, std::plus{}), 9);
      if (me == 5) odd.send(number, 2);
      if (me == 3) odd.receive(number, 0);
      EXPECT_EQ(number, me == 1 ? 1 : 5);
      if (odd.rank() != 1) {
        EXPECT_EQ(odd.among(std::array{2, 0}, 4).all_reduce(1, std::plus{}), 2);
      }
    }
    world.barrier();
  });
}

TEST_P(RanksTogether, ARankMayFormTheNextBeforeTheOthersFormTheFirst) {
  ms::ranks(3, [](ms::communicator& world) {
    const std::array all{2, 0, 1};
    if (world.rank() == 1) dawdle();
    std::vector<ms::communicator> made;
    for (int i = 0; i < 6; ++i) made.push_back(world.among(all, i % 2));
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (world.rank() == 2) made[i].send(static_cast<int>(i), 1);
      if (world.rank() == 0) {
        int got = -1;
        made[i].receive(got, 0);
        EXPECT_EQ(got, static_cast<int>(i));
      }
    }
    EXPECT_EQ(made[5].all_reduce(made[5].rank(), std::plus{}), 3);
  });
}

TEST_P(RanksTogether, CommunicatorsGiveTheirMemoryBack) {
  constexpr int rounds = 600;  // of which 100 are before it counts
  std::size_t before = 0, after = 0;
  ms::ranks(2, [&](ms::communicator& world) {
    for (int i = 0; i < rounds; ++i) {
      if (i == 100 && world.rank() == 0) before = mallinfo2().uordblks;
      std::optional<ms::communicator> half = world.split(0), both = world.among(std::array{1, 0});
      EXPECT_EQ(both->all_reduce(1, std::plus{}), 2);
      gathering mine(half->rank());
      ms::request started = half->start_together(mine);
      half.reset();
      started.wait();
      mine.expect(0, 2);
    }
    if (world.rank() == 0) after = mallinfo2().uordblks;
  });
  EXPECT_LT(after, before + 200 * rounds);
}

TEST_P(RanksTogether, RanksThatCannotFormACommunicatorAreErrors) {
  const auto of = [](std::vector<int> ranks) {
    return complaint([&] { ms::ranks(3, [&](ms::communicator& world) { world.among(ranks); }); });
  };
  EXPECT_NE(of({0, 1, 3}).find("there is no rank 3; expected 0 to 2"), std::string::npos);
  EXPECT_NE(of({0, 2, 1, 2}).find("rank 2 is named twice"), std::string::npos);
  EXPECT_NE(of({0, 1}).find("rank 2 is not among these ranks; only they call it"), std::string::npos);
}

MASLIN_ON_EVERY_EXECUTOR(RanksTogether);

}  // namespace
