// What ranks have started: taking it back, waiting for one of several or for all, sends that wait for their receive.

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks.hpp"

namespace {

class RankRequests : public Promise {};

TEST_P(RankRequests, AReceiveThatNobodyHasMatchedIsTakenBack) {
  ms::ranks(2, [](ms::communicator& world) {
    const int other = 1 - world.rank();
    int never = 17, got = 0;
    ms::request first = world.start_receive(never, other, 1);
    EXPECT_TRUE(first.cancel());
    EXPECT_FALSE(first.cancel());  // it is empty
    EXPECT_TRUE(first.test());
    world.barrier();
    world.send(5, other, 1);
    world.receive(got, other, 1);  // it would have been the first one's
    EXPECT_EQ(got, 5);
    EXPECT_EQ(never, 17);
  });
}

TEST_P(RankRequests, ASendThatNobodyHasMatchedIsTakenBackWhateverItsSize) {
  ms::ranks(2, [](ms::communicator& world) {
    for (const std::size_t extent : {1U, 1000U}) {
      std::vector<int> data(extent, 3);
      if (world.rank() == 0) {
        ms::request back = world.start_send(data, 1, 1);
        EXPECT_TRUE(back.cancel());
        data.assign(extent, 4);
        ms::request synchronous = world.start_synchronous_send(data, 1, 1);
        EXPECT_TRUE(synchronous.cancel());
        data.assign(extent, 5);
        world.barrier();
        world.send(data, 1, 1);
      } else {
        world.barrier();
        world.receive(data, 0, 1);
        EXPECT_EQ(data, std::vector<int>(extent, 5));
        EXPECT_FALSE(world.look());
      }
      world.barrier();
    }
  });
}

TEST_P(RankRequests, WhatHasBeenMatchedIsNotTakenBack) {
  ms::ranks(2, [](ms::communicator& world) {
    for (const std::size_t extent : {1U, 1000U}) {
      std::vector<int> data(extent, 3);
      if (world.rank() == 0) {
        ms::request sent = world.start_send(data, 1);
        world.barrier();
        EXPECT_FALSE(sent.cancel());
        EXPECT_EQ(sent.wait().extent, extent);
      } else {
        std::vector<int> got(extent);
        ms::request received = world.start_receive(got, 0);
        world.barrier();
        EXPECT_FALSE(received.cancel());
        received.wait();
        EXPECT_EQ(got, data);
      }
    }
  });
}

TEST_P(RankRequests, AReceiveIsNotTakenBackWhereTheMessageWasSentBefore) {
  ms::ranks(2, [](ms::communicator& world) {
    for (int i = 0; i < 200; ++i) {
      int got = -1;
      ms::request received;
      if (world.rank() == 1) received = world.start_receive(got, 0);
      world.barrier();
      if (world.rank() == 0) world.send(i, 1);
      world.barrier();
      if (world.rank() == 0) continue;
      EXPECT_FALSE(received.cancel()) << i;
      received.wait();
      EXPECT_EQ(got, i);
    }
  });
}

TEST_P(RankRequests, AReceiverThatTestsAndTakesNothingKeepsFewMessages) {
  ms::ranks(2, [](ms::communicator& world) {
    constexpr int most = 2000;
    int other = 0, count = 0;
    if (world.rank() == 1) {
      ms::request last = world.start_receive(other, 0, 9);
      while (!last.test()) continue;
      world.receive(count, 0, 8);
      for (int i = 0, got = 0; i < count; ++i) world.receive(got, 0, 1);
      return;
    }
    std::vector<ms::request> sent;
    while (count < most && (sent.push_back(world.start_send(other, 1, 1)), sent.back().test())) ++count;
    EXPECT_LT(count, most);  // 64, and what a ring has; none with MASLIN_EAGER=0
    if (!sent.back().cancel()) ++count;
    world.synchronous_send(other, 1, 9);
    world.synchronous_send(count, 1, 8);
  });
}

TEST_P(RankRequests, ACopyThatIsTakenBackMakesRoomForOthers) {
  ms::ranks(2, [](ms::communicator& world) {
    if (world.rank() == 0) {
      int never = 7;
      for (int i = 0; i < 1000; ++i) EXPECT_TRUE(world.start_send(never, 1, 2).cancel()) << i;
      for (int i = 0; i < 60; ++i) world.send(i, 1, 3);  // there is room for so many
      world.send(-1, 1, 4);
    }
    int got = 0;
    if (world.rank() == 1) {
      world.receive(got, 0, 4);
      EXPECT_EQ(got, -1);
      for (int i = 0; i < 60; ++i) {
        world.receive(got, 0, 3);
        EXPECT_EQ(got, i);
      }
    }
  });
}

TEST_P(RankRequests, ASynchronousSendWaitsForItsReceiveAlsoIfItIsSmall) {
  std::atomic<bool> receives{false};
  ms::ranks(2, [&](ms::communicator& world) {
    int got = 0;
    if (world.rank() == 0) {
      world.synchronous_send(7, 1);
      EXPECT_TRUE(receives);
      int eight = 8;
      ms::request sent = world.start_synchronous_send(eight, 1);
      EXPECT_FALSE(sent.test());  // the other waits for a message first
      world.send(0, 1, 9);
      sent.wait();
      EXPECT_EQ(world.all_reduce(1, std::plus{}), 2);
    } else {
      dawdle();
      receives = true;
      world.receive(got, 0);
      EXPECT_EQ(got, 7);
      world.receive(got, 0, 9);
      world.receive(got, 0);
      EXPECT_EQ(got, 8);
      EXPECT_EQ(world.all_reduce(1, std::plus{}), 2);
    }
  });
}

TEST_P(RankRequests, SynchronousSendsInACircleAreTold) {
  const std::string what =
      complaint([] { ms::ranks(2, [](ms::communicator& world) { world.synchronous_send(1, 1 - world.rank(), 6); }); });
  EXPECT_NE(what.find("rank 0 waits to send to rank 1 with tag 6"), std::string::npos) << what;
}

TEST_P(RankRequests, WaitAnyGivesWhatIsCompleteFirst) {
  constexpr int count = 6;
  ms::ranks(count, [](ms::communicator& world) {
    if (world.rank() > 0) {
      int turn = 0;
      world.receive(turn, 0);
      return world.send(std::vector<int>(700, world.rank()), 0, 1);
    }
    std::vector<std::vector<int>> data(count, std::vector<int>(700));
    std::vector<ms::request> all(count);  // the first stands for nothing
    for (int r = 1; r < count; ++r)
      all[static_cast<std::size_t>(r)] = world.start_receive(data[static_cast<std::size_t>(r)], r, 1);
    for (int r = count - 1; r >= 1; --r) {
      world.send(0, r);
      const std::size_t found = ms::wait_any(all);
      EXPECT_EQ(found, static_cast<std::size_t>(r));
      EXPECT_EQ(all[found].wait().source, r);
      EXPECT_EQ(data[found].back(), r);
    }
    EXPECT_NE(complaint([&] { ms::wait_any(all); }).find("none of 6 requests stands for anything"), std::string::npos);
  });
}

TEST_P(RankRequests, WaitAnyWaitsForSendsReceivesAndCallsOfAll) {
  ms::ranks(3, [](ms::communicator& world) {
    struct nothing : ms::joint_call {
      bool meet(std::span<ms::joint_call* const>) override { return false; }
    } mine;
    const int me = world.rank();
    std::vector<int> large(1000, me), got(1000);
    std::array<ms::request, 3> all{world.start_send(large, (me + 1) % 3), world.start_receive(got, (me + 2) % 3),
                                   world.start_together(mine)};
    const std::vector<ms::request*> places{&all[2], &all[0], &all[1]};
    int seen = 0;
    for (int i = 0; i < 3; ++i) {
      const std::size_t one = ms::wait_any(places);
      seen |= 1 << one;
      places[one]->wait();
    }
    EXPECT_EQ(seen, 7);
    EXPECT_EQ(got, std::vector<int>(1000, (me + 2) % 3));
  });
}

TEST_P(RankRequests, RanksThatAllWaitForOneOfSeveralAreTold) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      std::array<int, 2> never{};
      std::array<ms::request, 2> all{world.start_receive(never[0], 1 - world.rank(), 1),
                                     world.start_receive(never[1], 1 - world.rank(), 2)};
      if (world.rank() == 1) all[0] = {};
      ms::wait_any(all);
    });
  });
  EXPECT_NE(what.find("rank 0 waits to complete one of 2 requests, at "), std::string::npos) << what;
  EXPECT_NE(what.find(":\n    to receive from rank 1 with tag 1, begun at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n    to receive from rank 1 with tag 2, begun at "), std::string::npos) << what;
  EXPECT_NE(what.find("rank 1 waits to receive from rank 0 with tag 2, begun at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n  a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

TEST_P(RankRequests, WhoWaitsForOneOfTwoRanksIsInNoCycleOfOneOfThem) {
  const auto with = [](bool has_rank_2_ended) {
    return complaint([=] {
      ms::ranks(3, [=](ms::communicator& world) {
        std::array<int, 2> never{};
        const int me = world.rank();
        if (me == 2 && has_rank_2_ended) return;
        if (me > 0) {
          world.receive(never[0], 0);
          return;
        }
        std::array<ms::request, 2> all{world.start_receive(never[0], 1), world.start_receive(never[1], 2)};
        ms::wait_any(all);
      });
    });
  };
  const std::string both = with(false), one = with(true);
  EXPECT_NE(both.find("\n  none of ranks 0, 1 and 2 goes on before another of them does"), std::string::npos) << both;
  // Nothing comes from rank 2 any more.
  EXPECT_NE(one.find("\n  rank 2 has ended"), std::string::npos) << one;
  EXPECT_NE(one.find("\n  a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << one;
}

/// Rank 0 waits for two messages of a rank that fails, after so many of them.
template <class Wait>
void expect_that_a_failure_ends(int come, const Wait& wait) {
  int told = 0;
  EXPECT_THROW(ms::ranks(2,
                         [&](ms::communicator& world) {
                           int a = 0, b = 0;
                           if (world.rank() == 1) {
                             world.receive(a, 0);
                             for (int tag = 1; tag <= come; ++tag) world.send(a, 0, tag);
                             throw std::domain_error("enough");
                           }
                           std::array<ms::request, 2> all{world.start_receive(a, 1, 1), world.start_receive(b, 1, 2)};
                           world.send(a, 1);
                           try {
                             wait(all);
                           } catch (const ms::error& e) {
                             told += std::string(e.what()).find("another rank has failed: enough") != std::string::npos;
                           }
                         }),
               std::domain_error);
  EXPECT_EQ(told, 1);
}

TEST_P(RankRequests, AFailureEndsTheWaitForOneOfSeveral) {
  expect_that_a_failure_ends(0, [](auto& all) { ms::wait_any(all); });
}

TEST_P(RankRequests, WaitAllWaitsForSendsReceivesAndCallsOfAll) {
  ms::ranks(3, [](ms::communicator& world) {
    struct nothing : ms::joint_call {
      bool meet(std::span<ms::joint_call* const>) override { return false; }
    } mine;
    const int me = world.rank();
    std::vector<int> large(1000, me), got(1000), more(1);
    std::array<ms::request, 5> all{world.start_send(large, (me + 1) % 3), world.start_receive(got, (me + 2) % 3),
                                   world.start_together(mine), ms::request{}, world.start_receive(more, me, 7)};
    world.send(me, me, 7);
    ms::wait_all(all);
    EXPECT_EQ(got, std::vector<int>(1000, (me + 2) % 3));
    EXPECT_EQ(more.front(), me);
    EXPECT_EQ(all[1].wait().source, (me + 2) % 3);
    ms::wait_all(all);  // what is complete, what was waited for, what stands for nothing
    const std::vector<ms::request*> twice{&all[0], &all[0]};
    ms::wait_all(twice);
    for (const std::size_t i : {0U, 2U, 4U}) EXPECT_TRUE(all[i].test());
  });
}

TEST_P(RankRequests, ACommunicatorMayGoBeforeWhatItHasStarted) {
  ms::ranks(3, [](ms::communicator& world) {
    struct nothing : ms::joint_call {
      bool meet(std::span<ms::joint_call* const>) override { return false; }
    } mine;
    const int me = world.rank();
    const std::vector<int> large(1000, me);
    std::vector<int> got(1000), never(1);
    std::vector<ms::request> all;
    {
      ms::communicator part = world.split(0, me);
      all.push_back(part.start_receive(got, (me + 2) % 3, 1));
      all.push_back(part.start_together(mine));
      all.push_back(part.start_send(large, (me + 1) % 3, 1));
      all.push_back(part.start_receive(never, me, 2));
    }
    const ms::communicator another = world.split(0, me);  // where that one was, if it is gone
    EXPECT_EQ(all[0].wait().source, (me + 2) % 3);
    EXPECT_EQ(got, std::vector<int>(1000, (me + 2) % 3));
    all[1].wait();
    all[2].wait();
    world.barrier();
    if (me == 1) {
      EXPECT_TRUE(all[3].cancel());  // the others' is taken back at its end
    }
  });
}

TEST_P(RankRequests, WaitAllReturnsWhenTheLastOfManyMessagesHasCome) {
  constexpr int many = 100, senders = 3;
  ms::ranks(senders + 1, [](ms::communicator& world) {
    for (int round = 0; round < 20; ++round) {
      if (world.rank() > 0) {
        for (int i = 0; i < many; ++i) world.send(std::vector<int>(i % 3 == 0 ? 1 : 300, round + i), 0, i);
        continue;
      }
      std::vector<std::vector<int>> got(senders * many, std::vector<int>(300, -1));
      std::vector<ms::request> all;
      for (int i = 0; i < senders * many; ++i)
        all.push_back(world.start_receive(got[static_cast<std::size_t>(i)], 1 + i % senders, i / senders));
      if (round % 2) std::reverse(all.begin(), all.end());
      ms::wait_all(all);
      for (int i = 0; i < senders * many; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)].front(), round + i / senders);
      for (ms::request& one : all) one.wait();
    }
  });
}

TEST_P(RankRequests, RanksThatAllWaitForAllOfSeveralAreTold) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      std::array<int, 3> never{};
      const int other = 1 - world.rank();
      std::array<ms::request, 3> all{world.start_receive(never[0], other, 1), world.start_receive(never[1], other, 2),
                                     world.start_receive(never[2], other, 3)};
      world.send(1, other, world.rank() == 0 ? 3 : 1);
      world.barrier();
      ms::wait_all(all);
    });
  });
  for (const char* rank : {"0", "1"})
    EXPECT_NE(what.find(std::string("rank ") + rank + " waits to complete 2 requests, at "), std::string::npos) << what;
  for (const char* one : {"rank 1 with tag 2", "rank 1 with tag 3", "rank 0 with tag 1", "rank 0 with tag 2"})
    EXPECT_NE(what.find(std::string("\n    to receive from ") + one + ", begun at "), std::string::npos) << what;
  EXPECT_EQ(what.find("rank 1 with tag 1"), std::string::npos) << what;  // that has come
  EXPECT_NE(what.find("\n  a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

TEST_P(RankRequests, OfManyRequestsThatAreAlikeOneIsTold) {
  const std::string what = complaint([] {
    ms::ranks(2, [](ms::communicator& world) {
      std::vector<int> never(70);
      std::vector<ms::request> all;
      for (int i = 0; i < 70; ++i)
        all.push_back(world.start_receive(never[static_cast<std::size_t>(i)], 1 - world.rank(), i < 60 ? 0 : i));
      ms::wait_all(all);
    });
  });
  EXPECT_NE(what.find("rank 0 waits to complete 70 requests, at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n    60 times to receive from rank 1 with tag 0, begun at "), std::string::npos) << what;
  EXPECT_NE(what.find("\n    to receive from rank 1 with tag 66, begun at "), std::string::npos) << what;
  EXPECT_EQ(what.find("tag 67"), std::string::npos) << what;
  EXPECT_NE(what.find("\n    and 3 more"), std::string::npos) << what;
}

TEST_P(RankRequests, AFailureEndsTheWaitForAllOfSeveral) {
  expect_that_a_failure_ends(1, [](auto& all) { ms::wait_all(all); });
}

/// Pairs of messages of which some are taken back: each is received or taken back, never both.
TEST_P(RankRequests, WhatIsTakenBackWhileItIsReceivedIsOneOfBoth) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    constexpr int many = 60;
    ms::ranks(2, [&](ms::communicator& world) {
      std::mt19937 random(seed * 2 + static_cast<unsigned>(world.rank()));
      if (world.rank() == 0) {
        std::vector<std::vector<int>> data;
        std::vector<ms::request> all;
        data.reserve(many);
        for (int i = 0; i < many; ++i) {
          data.emplace_back(random() % 2 ? 1 : 600, i);
          all.push_back(world.start_send(data.back(), 1, i));
        }
        std::vector<int> back(many);
        for (int i = many; i-- > 0;)
          if (random() % 2) back[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(i)].cancel();
        world.send(back, 1, many);
        for (ms::request& one : all)
          if (!one.test()) one.wait();
      } else {
        std::vector<int> got(600), back(many), received(many);
        const int first = static_cast<int>(random() % many);
        for (int i = first; i < many; ++i) {
          ms::request one = world.start_receive(got, 0, i);
          received[static_cast<std::size_t>(i)] = !one.cancel();
          if (received[static_cast<std::size_t>(i)]) {
            EXPECT_EQ(one.wait().tag, i);
          }
        }
        world.receive(back, 0, many);
        for (int i = 0; i < many; ++i) {
          const auto at = static_cast<std::size_t>(i);
          if (back[at]) {
            EXPECT_FALSE(received[at]);
          }
          if (!back[at] && !received[at]) {
            EXPECT_EQ(world.receive(got, 0, i).tag, i);
          }
        }
        EXPECT_FALSE(world.look());
      }
    });
  }
}

MASLIN_ON_EVERY_EXECUTOR(RankRequests);

}  // namespace
