// Ranks that send, receive, meet and fail (src/exec/ranks) on the archetype of a machine.

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "engine.hpp"
#include "exec/ranks/world.hpp"

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
