// Calls of a host's functions (src/exec/ranks/HOSTS.md) by ranks that are threads; each host's thread is a servant.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "archetype.hpp"
#include "blocks.hpp"
#include "complaint.hpp"
#include "ends.hpp"
#include "exec/ranks/hosts.hpp"
#include "exec/ranks/world.hpp"
#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;

/// Two hosts, one further out than the other. What runs there is counted, and runs one at a time.
struct called_hosts : explorer::scenario {
  using code = std::function<void(communicator&)>;

  archetype machine{1};
  detail::host_functions far{nullptr}, near{&far};
  std::optional<world> all;
  code of_rank;
  std::string ends_with;  ///< what ms::ranks would throw contains this
  MASLIN_ATOMIC<int> inside_near{0}, inside_far{0};
  int runs = 0, least_runs;

  called_hosts(int ranks, code what, int at_least, std::string thrown)
      : of_rank(std::move(what)), ends_with(std::move(thrown)), least_runs(at_least) {
    forget_given_blocks();
    thread_locals = archetype::thread_locals();
    offer(near, inside_near, "twice", [](int x) { return 2 * x; });
    offer(near, inside_near, "through", [this](int x) {
      const std::vector<std::byte> result = detail::call_by_value<std::vector<std::byte>>(
          "bytes", location::current(), [this](const detail::called& call) { return near.call_further(call); }, x);
      return static_cast<int>(result.size());
    });
    offer(far, inside_far, "bytes", [](int x) { return std::vector<std::byte>(static_cast<std::size_t>(x)); });
    offer(far, inside_far, "refuse", [](int) -> int { throw error("no"); });
    all.emplace(
        machine, ranks, [](void* self, communicator& mine) { static_cast<called_hosts*>(self)->of_rank(mine); }, this);
    all->serve_by(&near);
    for (int i = 0; i < ranks; ++i)
      threads.push_back([this, i] { machine.from_outside([this, i] { all->run_rank(i); }); });
    for (detail::host_functions* const one : {&near, &far}) servants.push_back([one] { one->serve(); });
  }
  template <class Function>
  void offer(detail::host_functions& at, MASLIN_ATOMIC<int>& inside, const char* name, Function function) {
    at.add(name, detail::signature_of_function(std::function(function)),
           detail::by_value(std::function([this, &inside, function](int x) {
             if (inside.exchange(1) != 0) fail("two functions of a host run at a time");
             ++runs;
             struct leaves {
               ~leaves() { of.store(0); }
               MASLIN_ATOMIC<int>& of;
             } const end{inside};
             return function(x);
           })),
           location::current());
  }
  void check() override {
    if (!is_expected_end(ends_with, thrown_by(*all))) return;
    if (runs < least_runs) fail("a function has not run");
  }
};

explorer::result explored(int ranks, int preemptions, const called_hosts::code& what, int least_runs,
                          const std::string& thrown = "") {
  return explore([&] { return std::make_unique<called_hosts>(ranks, what, least_runs, thrown); }, preemptions);
}

void expect_twice(communicator& mine, int x) {
  if (mine.call<int>("twice", x) != 2 * x) fail("a call gives something else");
}

TEST(Interleavings, CallsOfRanksAreRunOneAtATime) {
  expect_well(explored(
      2, 2, [](communicator& mine) { expect_twice(mine, mine.rank() + 1); }, 2));
  expect_well(explored(
      2, 1,
      [](communicator& mine) {
        expect_twice(mine, mine.rank() + 1);
        if (mine.rank() == 0) expect_twice(mine, 7);
      },
      3));
}

TEST(Interleavings, ACallGoesThroughOneHostToTheNext) {
  expect_well(explored(
      2, 1,
      [](communicator& mine) {
        if (mine.rank() == 0 && mine.call<int>("through", 3) != 3) fail("a call through a host gives something else");
        if (mine.rank() == 0) return;
        const std::string told = complaint([&] { mine.call<int>("refuse", 1); });
        if (told.find(": the function threw: no") == std::string::npos) fail("what is thrown comes back as " + told);
      },
      3));
}

/// Rank 1 fails while rank 0's call is queued, runs, or is over.
TEST(Interleavings, ACallOfRanksThatFailIsTakenBackOrEnds) {
  expect_well(explored(
      2, 2,
      [](communicator& mine) {
        if (mine.rank() == 1) throw error("enough");
        bool is_told = false;
        try {
          expect_twice(mine, 4);
        } catch (const error& e) {
          is_told = std::string(e.what()).find("another rank has failed") != std::string::npos;
          if (!is_told) throw;
        }
        // The host does not touch the call any more: its memory is used for something else.
        int data[64];
        for (int& one : data) one = mine.rank();
      },
      0, "enough"));
}

/// Who leaves waits until the host is done with it: what it has is gone then.
TEST(Interleavings, RanksLeaveTheirHost) {
  struct leaving final : called_hosts {
    leaving()
        : called_hosts(
              1, [](communicator& mine) { expect_twice(mine, 1); }, 1, "") {
      threads.front() = [this] {
        machine.from_outside([this] {
          all->run_rank(0);
          all.reset();
        });
      };
    }
    void check() override {
      if (runs != 1) fail("a function has not run once");
    }
  };
  expect_well(explore([] { return std::make_unique<leaving>(); }, 3));
}

}  // namespace
}  // namespace maslin
