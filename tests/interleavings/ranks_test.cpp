// Ranks that send, receive, meet and fail (src/exec/ranks) on the archetype of a machine.

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "engine.hpp"
#include "exec/ranks/eager.hpp"
#include "exec/ranks/world.hpp"
#include "summing.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;

/// Two ranks; a worker makes both ready, and each runs where it is found.
struct two_ranks : engine {
  using code = std::function<void(communicator&)>;

  std::optional<world> all;
  scope members{nullptr, scope::creators::many};
  code of_rank;
  std::array<std::function<void()>, 2> bodies;

  two_ranks(code what, bool is_torn) : engine(2, archetype::none, [this] { begin(); }), of_rank(std::move(what)) {
    set_eager_bytes(256);  // also senders of short messages wait
    all.emplace(
        machine, 2, [](void* self, communicator& mine) { static_cast<two_ranks*>(self)->of_rank(mine); }, this);
    if (is_torn) tear(all->at(1).lock);
    for (int i : {0, 1}) bodies[static_cast<std::size_t>(i)] = [this, i] { all->run_rank(i); };
  }
  void begin() {
    for (std::function<void()>& body : bodies) submit(members, body);
    suspend_until(machine, members);
  }
  void check() override {
    if (!members.quiet()) fail("a rank has not ended");
  }
};

explorer::result explored(const two_ranks::code& what, bool is_torn = false) {
  return explore([=] { return std::make_unique<two_ranks>(what, is_torn); }, 2);
}

template <std::size_t Length>
void send_and_receive(communicator& mine) {
  std::array<int, Length> data{};
  if (mine.rank() == 0) {
    data.fill(7);
    return mine.send(data, 1, 3);
  }
  const message got = mine.receive(data, 0, 3);
  if (got.extent != Length || data.front() != 7 || data.back() != 7) fail("a message is not what was sent");
}

TEST(Interleavings, AMessageIsReceivedWhoeverComesFirst) {
  expect_well(explored(send_and_receive<1>));     // kept
  expect_well(explored(send_and_receive<100>));   // its sender waits
  expect_well(explored(send_and_receive<1000>));  // copied without the lock
  EXPECT_NE(explored(send_and_receive<1>, true).failure, "");
  EXPECT_NE(explored(send_and_receive<100>, true).failure, "");
}

TEST(Interleavings, RanksMeet) {
  const auto meet = [](communicator& mine) {
    const int sum = mine.all_reduce(mine.rank() + 1, std::plus{});
    if (sum != 3) fail("the sum is another");
  };
  expect_well(explored(meet));
  EXPECT_NE(explored(meet, true).failure, "");
}

TEST(Interleavings, RanksShareTheWorkOfACall) {
  const auto together = [](communicator& mine) {
    summing call(mine.rank() + 1);
    mine.together(call);
    call.expect(3);
  };
  expect_well(explored(together));
  EXPECT_NE(explored(together, true).failure, "");
}

TEST(Interleavings, AStartedCallEndsWhoeverWaitsForIt) {
  expect_well(explored([](communicator& mine) {
    summing call(mine.rank() + 1);
    request started = mine.start_together(call);
    int go = 0;
    if (mine.rank() == 1) mine.receive(go, 0);  // the other ends the call alone
    started.wait();
    if (mine.rank() == 0) mine.send(go, 1);
    call.expect(3);
  }));
  expect_well(explored([](communicator& mine) {
    summing first(mine.rank() + 1), second(mine.rank() + 5);
    std::array<request, 2> both{mine.start_together(first), mine.start_together(second)};
    both[wait_any(both)].wait();
    both[wait_any(both)].wait();
    first.expect(3);
    second.expect(11);
  }));
}

TEST(Interleavings, OneOfSeveralMessagesEndsTheWait) {
  expect_well(explored([](communicator& mine) {
    int one = 0, other = 0;
    if (mine.rank() == 0) {
      mine.send(7, 1, 2);
      return mine.send(6, 1, 1);
    }
    std::array<request, 2> both{mine.start_receive(one, 0, 1), mine.start_receive(other, 0, 2)};
    both[wait_any(both)].wait();
    both[wait_any(both)].wait();
    if (one != 6 || other != 7) fail("a message is not what was sent");
  }));
}

TEST(Interleavings, TheLastOfSeveralMessagesEndsTheWaitForAll) {
  const auto wait = [](communicator& mine) {
    std::array<int, 100> large{};
    int one = 6 - 6 * mine.rank();
    if (mine.rank() == 0) {
      large.fill(7);
      std::array<request, 2> both{mine.start_send(large, 1, 2), mine.start_synchronous_send(one, 1, 1)};
      return wait_all(both);
    }
    std::array<request, 2> both{mine.start_receive(one, 0, 1), mine.start_receive(large, 0, 2)};
    wait_all(both);
    if (one != 6 || large.back() != 7) fail("a message is not what was sent");
  };
  expect_well(explored(wait));
  EXPECT_NE(explored(wait, true).failure, "");
}

template <std::size_t Length>
void cancel_and_receive(communicator& mine) {
  std::array<int, Length> data{}, got{};
  bool is_back = false;
  if (mine.rank() == 0) {
    data.fill(7);
    request sent = mine.start_send(data, 1, 3);
    is_back = sent.cancel();
    if (!is_back) sent.wait();
    return mine.send(is_back, 1, 4);
  }
  request received = mine.start_receive(got, 0, 3);
  mine.receive(is_back, 0, 4);
  if (received.cancel() != is_back) fail("a message was both received and taken back, or neither");
  if (!is_back && received.wait().extent != Length) fail("a message is not what was sent");
}

TEST(Interleavings, ASendIsReceivedOrTakenBack) {
  expect_well(explored(cancel_and_receive<1>));
  expect_well(explored(cancel_and_receive<1000>));
}

TEST(Interleavings, AFailureEndsStartedCalls) {
  expect_well(explored([](communicator& mine) {
    summing call(1);
    request started = mine.start_together(call);
    if (mine.rank() == 0) throw error("enough");
    started.wait();
  }));
}

/// Rank 0 fails while rank 1 does something that needs it.
template <class Does>
two_ranks::code fails_beside(Does does) {
  return [does](communicator& mine) {
    if (mine.rank() == 0) throw error("enough");
    does(mine);
    fail("nobody could have answered");
  };
}

TEST(Interleavings, AFailureEndsEveryWait) {
  std::array<int, 100> data{};
  expect_well(explored(fails_beside([&](communicator& mine) { mine.receive(data, 0); })));
  expect_well(explored(fails_beside([&](communicator& mine) { mine.send(data, 0); })));
  expect_well(explored(fails_beside([&](communicator& mine) { mine.barrier(); })));
}

/// Rank 0 receives what rank 1 sends, and fails: rank 1's wait may be over or given up.
TEST(Interleavings, WhatIsMatchedIsNotTakenBack) {
  expect_well(explored([](communicator& mine) {
    std::array<int, 1000> data{};
    if (mine.rank() == 1) {
      data.fill(4);
      return mine.send(data, 0);
    }
    mine.receive(data, 1);
    if (data.back() != 4) fail("a message is not what was sent");
    throw error("enough");
  }));
}

}  // namespace
}  // namespace maslin
