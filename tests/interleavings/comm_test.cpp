// Messages and calls of all (src/comm, src/exec/ranks) between ranks that are threads of their own: no worker takes
// steps beside them, so there are more of them here, and more pre-emptions, than in ranks_test.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "archetype.hpp"
#include "blocks.hpp"
#include "brief_calls.hpp"
#include "comm/bytes_as.hpp"
#include "complaint.hpp"
#include "ends.hpp"
#include "exec/ranks/eager.hpp"
#include "exec/ranks/world.hpp"
#include "summing.hpp"
#include "weighing.hpp"
#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;

/// Extents of messages in ints: one that is kept for its receiver, one whose sender waits, one that is copied without a
/// lock.
constexpr std::size_t small = 1, medium = 100, large = 1000;
/// One that takes several cells of a ring.
constexpr std::size_t some = 12;
constexpr std::size_t each_extent[] = {small, medium, large};

enum class tears { nothing, box, group };

struct rank_threads : explorer::scenario {
  using code = std::function<void(communicator&, rank_threads& here)>;

  archetype machine;
  std::optional<world> all;
  code of_rank;
  std::string ends_with;      ///< what ms::ranks would throw contains this; empty: it throws nothing
  std::array<int, 3> done{};  ///< by each rank; what ranks 0 and 1 have done is the same at the end

  rank_threads(int ranks, code what, std::string thrown, tears which, int workers = 1)
      : machine(workers), of_rank(std::move(what)), ends_with(std::move(thrown)) {
    forget_given_blocks();
    thread_locals = archetype::thread_locals();
    set_eager_bytes(256);  // also senders of short messages wait
    all.emplace(
        machine, ranks,
        [](void* self, communicator& mine) {
          auto& here = *static_cast<rank_threads*>(self);
          here.of_rank(mine, here);
        },
        this);
    if (which == tears::box) tear(all->at(0).lock);
    if (which == tears::group) tear(all->whole().lock);
    for (int i = 0; i < ranks; ++i)
      threads.push_back([this, i] { machine.from_outside([this, i] { all->run_rank(i); }); });
  }
  int& has_done(const communicator& mine) { return done.at(static_cast<std::size_t>(mine.rank())); }
  void check() override {
    const std::string thrown = thrown_by(*all);
    if (!is_expected_end(ends_with, thrown)) return;
    if (done[0] != done[1]) fail("something is done for one rank alone");
    for (int i = 0; i < all->size() && thrown.empty(); ++i) {
      rank_state& its = all->at(i);
      const base::locked held(its.lock);
      if (its.kept != 0) fail("copies are counted that are not there");
      if (its.box.find_message({any_source, any_tag, comm::mailbox::any_group})) fail("a message is left");
    }
    rank_group& whole = all->whole();
    const base::locked held(whole.lock);
    auto meetings = std::distance(whole.meetings.begin(), whole.meetings.end());
    for (const rank_meeting* one = whole.unused; one; one = one->next) --meetings;
    if (meetings != 1 && thrown.empty()) fail("a meeting that is over is not used again");
  }
};

explorer::result explored(int ranks, int preemptions, const rank_threads::code& what, const std::string& thrown = "",
                          tears torn = tears::nothing) {
  return explore([&] { return std::make_unique<rank_threads>(ranks, what, thrown, torn); }, preemptions);
}
/// Each rank has a worker, so that small messages go through rings, and brief calls through the slots of the group.
explorer::result explored_with_workers(int ranks, int preemptions, const rank_threads::code& what,
                                       const std::string& thrown = "") {
  return explore([&] { return std::make_unique<rank_threads>(ranks, what, thrown, tears::nothing, ranks); },
                 preemptions);
}

using numbers = std::vector<int>;
bool are(const numbers& data, std::size_t first, std::size_t extent, int value) {
  return std::all_of(data.begin() + static_cast<std::ptrdiff_t>(first),
                     data.begin() + static_cast<std::ptrdiff_t>(first + extent), [&](int x) { return x == value; });
}
/// Nothing came, or a whole message of that value.
void expect_all(const numbers& data, std::size_t extent, int value) {
  if (!are(data, 0, extent, value) || !are(data, extent, data.size() - extent, 0)) fail("data is not what was sent");
}

/// Ranks 1 and 2 each send two messages, of these extents, to rank 0, which receives from any.
rank_threads::code send_to_one(std::array<std::size_t, 2> extents, bool starts_all) {
  return [=](communicator& mine, rank_threads&) {
    if (mine.rank() > 0) {
      const std::array<numbers, 2> data{numbers(extents[0], 10 * mine.rank()),
                                        numbers(extents[1], 10 * mine.rank() + 1)};
      std::array<request, 2> sent{mine.start_send(data[0], 0, 0), mine.start_send(data[1], 0, 1)};
      for (request& one : sent) one.wait();
      return;
    }
    std::array<numbers, 4> into;
    std::array<message, 4> got;
    std::array<request, 4> started;
    for (numbers& one : into) one.assign(large, 0);
    for (std::size_t i = 0; i < 4; ++i) {
      if (starts_all)
        started[i] = mine.start_receive(into[i]);
      else
        got[i] = mine.receive(into[i]);
    }
    for (std::size_t i = 4; i-- > 0 && starts_all;) got[i] = started[i].wait();
    std::array<int, 3> next{};
    for (std::size_t i = 0; i < 4; ++i) {
      int& tag = next.at(static_cast<std::size_t>(got[i].source));
      if (got[i].tag != tag || got[i].extent != extents.at(static_cast<std::size_t>(tag)))
        return fail("messages of a rank came in another order");
      expect_all(into[i], got[i].extent, 10 * got[i].source + tag++);
    }
  };
}

TEST(Interleavings, MessagesOfEachOfTwoSendersStayInTheirOrder) {
  for (const bool starts_all : {false, true}) {
    for (const auto extents : {std::array{small, large}, {large, small}, {medium, small}})
      expect_well(explored(3, 1, send_to_one(extents, starts_all)));
    for (const auto extents : {std::array{small, small}, {small, medium}, {medium, small}, {some, small}})
      expect_well(explored_with_workers(3, 1, send_to_one(extents, starts_all)));
    EXPECT_NE(explored(3, 1, send_to_one({small, medium}, starts_all), "", tears::box).failure, "");
  }
}

/// Rank 1 sends more than a ring has room for; rank 0 receives it, by tags in that order, and then sends something.
rank_threads::code send_several(std::vector<int> tags, bool starts_all) {
  return [=](communicator& mine, rank_threads&) {
    int last = 0;
    if (mine.rank() == 1) {
      for (int i = 0; i < static_cast<int>(tags.size()); ++i) mine.send(i, 0, i);
      mine.receive(last, 0);
      if (last != 5) fail("data is not what was sent");
      return;
    }
    std::vector<int> got(tags.size(), -1);
    std::vector<request> started;
    for (const int tag : tags) {
      int& into = got[static_cast<std::size_t>(tag)];
      if (starts_all)
        started.push_back(mine.start_receive(into, 1, tag));
      else
        mine.receive(into, 1, tag);
    }
    wait_all(started);
    for (int i = 0; i < static_cast<int>(tags.size()); ++i)
      if (got[static_cast<std::size_t>(i)] != i) fail("data is not what was sent");
    mine.send(5, 1);
  };
}

TEST(Interleavings, MessagesThatFindNoRoomInARingComeBehindThoseThatDo) {
  for (const bool starts_all : {false, true}) {
    expect_well(explored_with_workers(2, 2, send_several({0, 1, 2, 3, 4, 5}, starts_all)));
    expect_well(explored_with_workers(2, 2, send_several({5, 1, 0, 4, 2, 3}, starts_all)));
  }
}

/// Rank 1 sends some numbers, and rank 0 begins to receive them, both without a request where that is possible.
rank_threads::code send_without_requests(int count) {
  return [=](communicator& mine, rank_threads&) {
    std::vector<int> all(static_cast<std::size_t>(count), -1);
    std::vector<request> started;
    for (int i = 0; i < count; ++i) {
      int& one = all[static_cast<std::size_t>(i)];
      message came;
      if (mine.rank() == 0) {
        auto begun = detail::receive_if_there(mine, detail::elements_of(one), 1, 3, location::current(), came);
        if (begun) started.push_back(std::move(*begun));
        if (!begun && (came.source != 1 || came.tag != 3 || came.extent != 1)) fail("what came is not what was sent");
      } else {
        one = i;
        if (detail::send_at_once(mine, detail::elements_of(one), 0, 3, location::current()) == 0)
          started.push_back(mine.start_send(one, 0, 3));
      }
    }
    wait_all(started);
    for (request& one : started)
      if (message came; !detail::take_complete(one, came) || came.tag != 3) fail("a message is not over");
    for (int i = 0; i < count; ++i)
      if (all[static_cast<std::size_t>(i)] != i) fail("data is not what was sent");
  };
}

TEST(Interleavings, MessagesWithoutRequestsStayInTheirOrder) {
  for (const int count : {1, 2, 3}) expect_well(explored_with_workers(2, 2, send_without_requests(count)));
}

/// Rank 0 takes the first of two receives back, or drops it, while rank 1 sends a message that both take.
rank_threads::code take_back_a_receive(std::size_t extent, bool is_dropped) {
  return [=](communicator& mine, rank_threads&) {
    if (mine.rank() == 1) return mine.send(numbers(extent, 7), 0, 3);
    numbers first(extent), second(extent);
    request one = mine.start_receive(first, 1), other = mine.start_receive(second);
    bool is_back = true;
    if (is_dropped) {
      one = {};
      is_back = first.front() == 0;
    } else if (!one.cancel()) {
      is_back = false;
      if (one.wait().extent != extent) fail("a message is shorter than it was sent");
    }
    expect_all(first, is_back ? 0 : extent, 7);
    if (is_back) {
      if (other.wait().tag != 3) fail("a message has another tag");
    } else if (!other.cancel()) {
      fail("a message was received twice");
    }
    expect_all(first, is_back ? 0 : extent, 7);
    expect_all(second, is_back ? extent : 0, 7);
  };
}

TEST(Interleavings, AReceiveIsTakenBackOrGetsItsMessage) {
  for (const bool is_dropped : {false, true}) {
    for (const std::size_t extent : each_extent) expect_well(explored(2, 3, take_back_a_receive(extent, is_dropped)));
    for (const std::size_t extent : {small, medium})
      expect_well(explored_with_workers(2, 3, take_back_a_receive(extent, is_dropped)));
    EXPECT_NE(explored(2, 2, take_back_a_receive(large, is_dropped), "", tears::box).failure, "");
  }
}

/// Rank 1 takes a send back, or drops it, and sends a longer message behind it; rank 0 probes, or looks, and receives.
rank_threads::code take_back_a_send(std::size_t extent, bool is_dropped, bool looks) {
  return [=](communicator& mine, rank_threads&) {
    if (mine.rank() == 1) {
      numbers data(extent, 7);
      request sent = mine.start_send(data, 0, 3);
      if (is_dropped) {
        sent = {};
        data.assign(extent, 9);  // it is the sender's again
      } else if (sent.cancel()) {
        data.assign(extent, 9);
      } else {
        sent.wait();
      }
      return mine.send(numbers(2 * extent, 8), 0, 3);
    }
    std::optional<message> seen;
    if (looks)
      while (!seen) seen = mine.look(1, 3);
    else
      seen = mine.probe(any_source, 3);
    if (seen->source != 1 || seen->tag != 3) fail("what was seen is another message");
    numbers got(2 * extent);
    const bool is_first = mine.receive(got, 1).extent == extent;
    if (seen->extent != extent && (is_first || seen->extent != 2 * extent))
      fail("what was seen was not to be received");
    expect_all(got, is_first ? extent : 2 * extent, is_first ? 7 : 8);
    if (is_first && mine.receive(got, 1).extent != 2 * extent) fail("a message was received twice");
  };
}

TEST(Interleavings, ASendIsTakenBackOrReceivedBesideAProbe) {
  for (const bool is_dropped : {false, true})
    for (const bool looks : {false, true}) {
      for (const std::size_t extent : each_extent)
        expect_well(explored(2, 3, take_back_a_send(extent, is_dropped, looks)));
      for (const std::size_t extent : {small, some})
        expect_well(explored_with_workers(2, 2, take_back_a_send(extent, is_dropped, looks)));
      EXPECT_NE(explored(2, 2, take_back_a_send(medium, is_dropped, looks), "", tears::box).failure, "");
    }
}

/// The owner looks without a lock, and takes the transfer away when it is done.
TEST(Interleavings, WhoTestsTakesAwayWhatIsDone) {
  for (const std::size_t extent : each_extent)
    expect_well(explored(2, 3, [=](communicator& mine, rank_threads&) {
      numbers data(extent, 7 * mine.rank());
      {
        request one = mine.rank() ? mine.start_synchronous_send(data, 0, 3) : mine.start_receive(data, 1, 3);
        while (!one.test()) continue;
      }
      expect_all(data, extent, 7);
    }));
}

/// Rank 0 waits for one of two messages, of ranks 1 and 2. Rank 2 may fail; rank 1 may wait until rank 2's has come.
rank_threads::code wait_for_one(std::size_t extent, bool fails, bool in_turn = false) {
  return [=](communicator& mine, rank_threads&) {
    int go = 0;
    if (mine.rank() == 2 && fails) throw error("enough");
    if (mine.rank() == 1 && in_turn) mine.receive(go, 0);
    if (mine.rank() > 0) return mine.send(numbers(mine.rank() == 1 ? extent : small, mine.rank()), 0, mine.rank());
    std::array<numbers, 2> into{numbers(extent), numbers(small)};
    std::array<request, 2> all{mine.start_receive(into[0], 1), mine.start_receive(into[1], any_source, 2)};
    for (int seen = 0, i = 0; i < 2; ++i) {
      const std::size_t one = wait_any(all);
      expect_all(into.at(one), into.at(one).size(), static_cast<int>(one) + 1);  // before `wait`: it is over
      if (all.at(one).wait().source != static_cast<int>(one) + 1 || seen == 1 << one) fail("another request is over");
      seen = 1 << one;
      if (in_turn && i == 0) mine.send(go, 1);
    }
    const std::string told = complaint([&] { wait_any(all); });
    if (told.find("none of 2 requests") == std::string::npos) fail("nothing is left, and wait_any says: " + told);
  };
}

TEST(Interleavings, TheWaitForOneOfTwoMessagesEndsWithEither) {
  for (const std::size_t extent : each_extent) expect_well(explored(3, 2, wait_for_one(extent, false)));
  expect_well(explored(3, 2, wait_for_one(medium, true), "enough"));
  expect_well(explored_with_workers(3, 1, wait_for_one(small, false)));
  expect_well(explored_with_workers(3, 1, wait_for_one(small, true), "enough"));
  expect_well(explored(3, 1, wait_for_one(medium, false, true)));
  EXPECT_NE(explored(3, 1, wait_for_one(medium, false), "", tears::box).failure, "");
}

/// Meetings are used again from the third call on.
TEST(Interleavings, CallsOfAllFollowEachOther) {
  const auto meet = [](communicator& mine, rank_threads&) {
    for (int turn = 1; turn <= 3; ++turn) {
      summing call(turn * (mine.rank() + 1));
      if (turn == 2)
        call.sum = mine.all_reduce(call.brings, std::plus{});
      else
        mine.together(call);
      call.expect(3 * turn);
    }
  };
  expect_well(explored(2, 2, meet));
  EXPECT_NE(explored(2, 2, meet, "", tears::group).failure, "");
}

/// Several meetings are over before one of them is used again.
TEST(Interleavings, CallsAreStartedAheadOfEachOther) {
  expect_well(explored(2, 1, [](communicator& mine, rank_threads&) {
    for (int turn = 0; turn < 3; ++turn) {
      summing first(mine.rank() + 1), second(mine.rank() + 2);
      second.has_parts = false;
      request one = mine.start_together(first), other = mine.start_together(second);
      other.wait();
      one.wait();
      first.expect(3);
      second.expect(5);
    }
  }));
}

TEST(Interleavings, ThreeRanksMeet) {
  const auto meet = [](communicator& mine, rank_threads&) {
    summing call(mine.rank() + 1);
    request started = mine.start_together(call);
    if (mine.rank() == 2) wait_any(std::span(&started, 1));
    started.wait();
    call.expect(6);
  };
  expect_well(explored(3, 1, meet));
  EXPECT_NE(explored(3, 1, meet, "", tears::group).failure, "");
}

TEST(Interleavings, BriefCallsAreOverWhenAllHaveSaidWhatTheyBring) {
  using enum calls;
  expect_well(explored_with_workers(2, 3, make_calls({{{brief}, {brief}}})));
  expect_well(explored_with_workers(2, 2, make_calls({{{brief, brief, brief}, {brief, brief, brief}}})));
  expect_well(explored_with_workers(3, 1, make_calls({{{brief, brief}, {brief, brief}, {brief, brief}}})));
}

TEST(Interleavings, WhereOneCallIsNotBriefNoneIs) {
  using enum calls;
  for (const calls other : {of_another_kind, not_brief, started}) {
    expect_well(explored_with_workers(2, 2, make_calls({{{brief, brief}, {other, brief}}})));
    expect_well(explored_with_workers(2, 2, make_calls({{{other, brief}, {brief, brief}}})));
    expect_well(explored_with_workers(2, 1, make_calls({{{brief, brief, brief}, {brief, other, brief}}})));
    expect_well(explored_with_workers(3, 1, make_calls({{{brief, brief}, {brief, brief}, {other, brief}}})));
  }
}

/// Rank 0 starts calls before rank 1 has read what rank 0 brought to the one before.
TEST(Interleavings, ARankThatIsAheadDisturbsNoBriefCall) {
  using enum calls;
  const std::vector<calls> ahead{brief, started, brief}, far{brief, started, started, brief};
  expect_well(explored_with_workers(2, 2, make_calls({ahead, ahead})));
  expect_well(explored_with_workers(2, 1, make_calls({far, far})));
}

/// Rank 2 throws in place of coming to a brief call, and the others are told.
TEST(Interleavings, ARankThatThrowsEndsTheBriefCallOfTheOthers) {
  expect_well(explored_with_workers(
      3, 1,
      [](communicator& mine, rank_threads&) {
        if (mine.rank() == 2) throw error("enough");
        weighing call(7, 1);
        const std::string told = complaint([&] { mine.together(call); });
        if (told.find("another rank has failed: enough") == std::string::npos) fail("a rank is told: " + told);
        if (call.ends != 0) fail("a call that was given up has a result");
      },
      "enough"));
}

/// Rank 2 throws behind a brief call: it is over for the others, too.
TEST(Interleavings, ARankThatThrowsBehindABriefCallDoesNotDivideTheOthers) {
  expect_well(explored_with_workers(
      3, 2,
      [](communicator& mine, rank_threads& here) {
        weighing call(7, mine.rank() + 1);
        mine.together(call);
        if (mine.rank() == 2) throw error("enough");
        here.has_done(mine) = call.result;
        call.expect(123, true);
      },
      "enough"));
}

/// Ranks 1 and 2 have a communicator of their own, in which they are 0 and 1.
TEST(Interleavings, SomeRanksMakeBriefCallsOfTheirOwn) {
  expect_well(explored_with_workers(3, 1, [](communicator& mine, rank_threads&) {
    communicator part = mine.split(mine.rank() > 0);
    if (mine.rank() == 0) return;
    weighing call(7, mine.rank());
    part.together(call);
    call.expect(12, true);
  }));
}

/// A call that is over beside a message that is not, and the other way round.
TEST(Interleavings, TheWaitForAMessageOrACallEndsWithEither) {
  expect_well(explored(2, 2, [](communicator& mine, rank_threads&) {
    summing call(mine.rank() + 1);
    int got = 0;
    if (mine.rank() == 1) {
      mine.send(7, 0);
      return mine.together(call), call.expect(3);
    }
    std::array<request, 2> all{mine.start_together(call), mine.start_receive(got, 1)};
    for (int i = 0; i < 2; ++i) {
      const std::size_t one = wait_any(all);
      if (one == 0) call.expect(3);
      if (one == 1 && got != 7) fail("data is not what was sent");
      all.at(one).wait();
    }
    call.expect(3);
  }));
}

/// Rank 2 throws in place of coming; whoever has come, or comes, is told, and the call does not happen.
TEST(Interleavings, ARankThatThrowsEndsTheCallOfTheOthers) {
  for (const bool starts : {false, true})
    expect_well(explored(
        3, 2,
        [=](communicator& mine, rank_threads&) {
          if (mine.rank() == 2) throw error("enough");
          summing call(1);
          const std::string told = complaint([&] {
            if (starts)
              mine.start_together(call).wait();
            else
              mine.together(call);
          });
          if (told.find("another rank has failed: enough") == std::string::npos) fail("a rank is told: " + told);
          call.expect(0);
          throw error("later");  // it does not count
        },
        "enough"));
}

/// A rank throws behind its coming: the call is over for all, or for none.
TEST(Interleavings, ARankThatThrowsInACallDoesNotDivideTheOthers) {
  expect_well(explored(
      3, 1,
      [](communicator& mine, rank_threads& here) {
        summing call(mine.rank() + 1);
        try {
          request started = mine.start_together(call);
          if (mine.rank() == 2) throw error("enough");
          started.wait();
        } catch (const error&) {
          if (mine.rank() != 2) call.expect(0);  // it was given up
          throw;
        }
        here.has_done(mine) = call.sum;
        call.expect(6);
      },
      "enough"));
}

TEST(Interleavings, WhatMeetThrowsIsToldToAll) {
  expect_well(explored(
      3, 1,
      [](communicator& mine, rank_threads&) {
        summing call(1, summing::throws::in_meet);
        const std::string told = complaint([&] { mine.together(call); });
        if (told.find("no meeting") == std::string::npos) fail("a rank is told: " + told);
        call.expect(0);
        throw error(told);
      },
      "no meeting"));
}

TEST(Interleavings, WhatAPartThrowsIsToldToItsRank) {
  expect_well(explored(2, 2, [](communicator& mine, rank_threads&) {
    summing call(mine.rank() + 1, summing::throws::in_part);
    const std::string told = complaint([&] { mine.together(call); });
    if (told != (mine.rank() == 0 ? "no part" : "")) fail("a rank is told: " + told);
    call.expect(mine.rank() == 0 ? 0 : 3);
    summing next(mine.rank() + 1);
    mine.together(next);
    next.expect(3);
  }));
}

/// Rank 0 drops a call, perhaps by an exception that it catches: the call is over for both, or the program is told.
TEST(Interleavings, ACallThatIsDroppedIsOverOrSaid) {
  enum class then { ends, meets };
  const auto drop = [](bool throws, bool has_parts, then what) {
    return [=](communicator& mine, rank_threads& here) {
      summing call(mine.rank() + 1), next(1);
      call.has_parts = has_parts;
      if (mine.rank() == 1) {
        mine.together(call);
        call.expect(3);
      } else {
        try {
          const request dropped = mine.start_together(call);
          if (throws) throw 0;
        } catch (int) {
        }
        if (call.sum == 0) here.ends_with = "rank 0 dropped a call of all ranks, started at ";
      }
      if (what == then::ends) return;
      mine.together(next);
      next.expect(2);
      if (call.sum == 0) fail("a rank goes on after it has dropped a call");
    };
  };
  for (const bool throws : {false, true})
    for (const bool has_parts : {false, true})
      for (const then what : {then::ends, then::meets}) expect_well(explored(2, 2, drop(throws, has_parts, what)));
}

/// Nobody waits for the call: who drops it does what is left.
TEST(Interleavings, ACallThatAllDropIsOverOrSaid) {
  expect_well(explored(2, 2, [](communicator& mine, rank_threads& here) {
    summing call(mine.rank() + 1);
    { const request dropped = mine.start_together(call); }
    if (call.sum == 0)
      here.ends_with = " dropped a call of all ranks, started at ";
    else
      call.expect(3);
  }));
}

/// Rank 2 fails while rank 1 sends to rank 0: both are done with the message, or none is.
TEST(Interleavings, AFailureDoesNotDivideSenderAndReceiver) {
  for (const std::size_t extent : {medium, large})
    expect_well(explored(
        3, 2,
        [=](communicator& mine, rank_threads& here) {
          if (mine.rank() == 2) throw error("enough");
          numbers data(extent, mine.rank());
          if (mine.rank() == 1)
            mine.send(data, 0);
          else
            mine.receive(data, 1);
          expect_all(data, extent, 1);
          here.has_done(mine) = 1;
        },
        "enough"));
}

/// Rank 0 has another thread, which calls, too, each in its turn.
struct two_threads_of_a_rank : rank_threads {
  struct one_at_a_time final : rank_gate {
    unsigned leave() noexcept override { return ++left, turn.unlock(), 1; }
    void enter(unsigned) noexcept override { turn.lock(); }
    base::short_lock turn;
    int left = 0;  ///< so often
  };
  one_at_a_time gate;
  explorer::atomic<communicator*> its{nullptr};
  explorer::atomic<bool> has_ended{false};

  using call = std::function<void(communicator&)>;
  two_threads_of_a_rank(const call& first, const call& second, const call& other_rank, int workers = 1)
      : rank_threads(
            2,
            [=](communicator& mine, rank_threads& all_of_them) {
              if (mine.rank() == 1) return other_rank(mine);
              auto& here = static_cast<two_threads_of_a_rank&>(all_of_them);
              here.all->take_turns(0, here.gate);
              here.its.store(&mine);
              here.its.notify_one();
              here.in_turn(first, mine);
              here.has_ended.wait(false);
            },
            "", tears::nothing, workers) {
    threads.emplace_back([this, second] {
      machine.from_outside([&] {
        its.wait(nullptr);
        in_turn(second, *its.load());
        has_ended.store(true);
        has_ended.notify_one();
      });
    });
  }
  void in_turn(const call& what, communicator& mine) {
    gate.enter(1);
    what(mine);
    gate.leave();
  }
};

TEST(Interleavings, ThreadsOfARankWaitSideBySide) {
  for (const std::size_t extent : {small, medium, large})
    for (const bool probes : {false, true}) {
      const auto receive = [=](int tag) {
        return [=](communicator& mine) {
          numbers data(extent);
          if (probes && mine.probe(1, tag).extent != extent) fail("another message was found");
          mine.receive(data, 1, tag);
          expect_all(data, extent, tag);
        };
      };
      expect_well(explore(
          [&] {
            return std::make_unique<two_threads_of_a_rank>(receive(1), receive(2), [=](communicator& mine) {
              for (const int tag : {1, 2}) mine.send(numbers(extent, tag), 0, tag);
            });
          },
          probes ? 1 : 2));
    }
}

/// A rank begins to receive, and looks before it waits: also then its other threads call.
TEST(Interleavings, AThreadThatLooksForAMessageIsOutsideItsGate) {
  const comm::envelope said{1, 3, 0};
  const auto receives = [=](world& all) {
    rank_state& its = all.at(0);
    const base::locked held(its.lock);
    comm::transfer* const receive = its.box.match_receive(said);
    if (receive) its.box.add_receive(*receive);
    return receive != nullptr;
  };
  const auto receive = [](communicator& mine) {
    rank_gate* const gate = detail::rank_member::of_communicator(mine).of.at(0).gate;
    const int& left = static_cast<two_threads_of_a_rank::one_at_a_time*>(gate)->left;
    const int before = left;
    int had_begun = 0;
    mine.receive(had_begun, 1, 3);
    if (had_begun == 1 && left == before) fail("no other thread could call while one has looked");
  };
  const auto send = [=](communicator& mine) {
    const int has_begun = receives(detail::rank_member::of_communicator(mine).of) ? 1 : 0;
    mine.send(has_begun, 0, 3);
  };
  expect_well(explore(
      [&] {
        return std::make_unique<two_threads_of_a_rank>(
            receive, [](communicator&) {}, send, 2);
      },
      2));
}

TEST(Interleavings, ThreadsOfARankReceiveWhatComesThroughRings) {
  for (const bool looks : {false, true}) {
    const auto receive = [=](int tag) {
      return [=](communicator& mine) {
        numbers data(small);
        mine.receive(data, 1, tag);
        expect_all(data, small, tag);
      };
    };
    expect_well(explore(
        [&] {
          return std::make_unique<two_threads_of_a_rank>(
              receive(1), receive(2),
              [=](communicator& mine) {
                for (const int tag : {1, 2}) mine.send(numbers(small, looks ? 3 - tag : tag), 0, looks ? 3 - tag : tag);
              },
              2);
        },
        2));
  }
}

/// The ranks sleep at the end, and this is found out.
struct stuck_ranks : rank_threads {
  explicit stuck_ranks(code what, int workers = 1) : rank_threads(2, std::move(what), "", tears::nothing, workers) {
    servants.swap(threads);
  }
  void check() override {
    if (!all->is_stuck()) fail("ranks that wait for each other are not found");
  }
};

/// Two ranks wake each other in turn, so that one of them never sleeps; somebody asks whether both do.
struct watched_ranks : rank_threads {
  int turn = 0;

  watched_ranks()
      : rank_threads(
            2,
            [](communicator& mine, rank_threads& here) {
              int& now = static_cast<watched_ranks&>(here).turn;
              for (int i = 1; i <= 4; ++i) {
                if (mine.rank() == i % 2)
                  here.all->wake(1 - mine.rank(), [&] { now = i; });
                else
                  here.all->wait(mine.rank(), {}, [&] { return now >= i; });
              }
            },
            "", tears::nothing) {
    threads.emplace_back([this] {
      if (all->is_stuck()) fail("the ranks do not wait for each other");
    });
  }
};

TEST(Interleavings, OnlyRanksThatAllWaitForEachOtherAreFound) {
  expect_well(explore(
      [] {
        return std::make_unique<stuck_ranks>([](communicator& mine, rank_threads&) {
          if (mine.rank() == 0) mine.barrier();
        });
      },
      3));
  expect_well(explore([] { return std::make_unique<watched_ranks>(); }, 2));
}

/// Each rank waits for what the other sends, and somebody asks whether both wait.
struct watched_messages : rank_threads {
  watched_messages()
      : rank_threads(
            2,
            [](communicator& mine, rank_threads&) {
              for (int i = 0; i < 2; ++i) {
                int got = -1;
                if (mine.rank() == 0) mine.send(i, 1);
                mine.receive(got, 1 - mine.rank());
                if (mine.rank() == 1) mine.send(i, 0);
                if (got != i) fail("data is not what was sent");
              }
            },
            "", tears::nothing, 2) {
    threads.emplace_back([this] {
      if (all->is_stuck()) fail("the ranks do not wait for each other");
    });
  }
};

TEST(Interleavings, AMessageInARingIsSeenByWhoWaits) {
  expect_well(explore([] { return std::make_unique<watched_messages>(); }, 2));
  // Rank 0 ends; what it has sent is not what rank 1 waits for.
  expect_well(explore(
      [] {
        return std::make_unique<stuck_ranks>(
            [](communicator& mine, rank_threads&) {
              int got = 0;
              if (mine.rank() == 0) return mine.send(1, 1, 2);
              mine.receive(got, 0, 3);
            },
            2);
      },
      3));
}

}  // namespace
}  // namespace maslin
