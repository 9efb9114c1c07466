// Ranks of two processes that are in this one: each has a world, a gateway and a thread that receives; what the
// processes share is memory of this one (src/exec/ranks/ACROSS.md).

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "archetype.hpp"
#include "blocks.hpp"
#include "brief_calls.hpp"
#include "complaint.hpp"
#include "ends.hpp"
#include "exec/ranks/gateway.hpp"
#include "exec/ranks/world.hpp"
#include "weighing.hpp"
#include "well.hpp"

namespace maslin {
namespace {

using explorer::explore;
using explorer::fail;

/// The memory of both processes, which is zeros.
void* shared_memory(int ranks) {
  constexpr int most_ranks = 3;
  static const std::size_t bytes = node_memory::bytes({0, 2}, most_ranks);
  static void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ranks > most_ranks || memory == MAP_FAILED || madvise(memory, bytes, MADV_DONTNEED) != 0)
    fail("there is no memory for two processes");
  return memory;
}

/// How ranks wait: they are suspended, and a thread of their process receives meanwhile; or they ask again and again,
/// and receive by themselves.
enum class waits { suspended, asking };

struct two_processes : explorer::scenario {
  using code = std::function<void(communicator&, two_processes& here)>;

  struct process {
    std::optional<gateway> across;
    std::optional<world> all;
  };

  archetype machine{1};
  std::array<process, 2> both;
  code of_rank;
  std::string ends_with;  ///< what the process of a rank that fails throws contains this

  /// `second_may_wait`: ranks of the second process need not end.
  two_processes(int ranks, waits how, code what, std::string thrown, bool is_torn, bool second_may_wait = false)
      : of_rank(std::move(what)), ends_with(std::move(thrown)) {
    forget_given_blocks();
    thread_locals = archetype::thread_locals();
    void* const memory = shared_memory(ranks);
    const auto run = [](void* self, communicator& mine) {
      auto& here = *static_cast<two_processes*>(self);
      here.of_rank(mine, here);
    };
    for (int i = 0; i < 2; ++i) {
      process& one = both.at(static_cast<std::size_t>(i));
      one.across.emplace(process_of_job{i, 2, -1, false}, ranks, memory);
      one.all.emplace(machine, ranks, run, this, &*one.across);
      one.across->connect(*one.all, 1, 0);
      for (const int rank : one.all->here())
        (i == 1 && second_may_wait ? servants : threads).push_back([this, &one, rank] {
          machine.from_outside([&one, rank] { one.all->run_rank(rank); });
        });
      if (how == waits::suspended)
        servants.push_back([this, &one] { machine.from_outside([&one] { one.across->receive(); }); });
    }
    if (is_torn) tear(*both[0].all);
  }
  void check() override {
    std::string thrown;
    for (process& one : both)
      if (const std::string its = thrown_by(*one.all); !its.empty()) thrown = its;
    is_expected_end(ends_with, thrown);
  }
};

explorer::result explored(int ranks, waits how, int preemptions, const two_processes::code& what,
                          const std::string& thrown = "", bool is_torn = false) {
  return explore([&] { return std::make_unique<two_processes>(ranks, how, what, thrown, is_torn); }, preemptions);
}

void complete(communicator& mine, joint_call& call, waits how = waits::suspended) {
  request started = mine.start_together(call);
  if (how == waits::suspended)
    started.wait();
  else
    while (!started.test()) continue;
}

/// Each rank brings a call of that kind, and its rank from 1.
two_processes::code bring(std::array<std::uint64_t, 3> kinds, waits how) {
  return [=](communicator& mine, two_processes&) {
    const int me = mine.rank(), n = mine.size();
    weighing call(kinds.at(static_cast<std::size_t>(me)), me + 1);
    complete(mine, call, how);
    const auto end = kinds.begin() + n;
    call.expect(n == 2 ? 12 : 123,
                kinds[0] != 0 && std::all_of(kinds.begin(), end, [&](auto k) { return k == kinds[0]; }));
  };
}

/// Ranks that come to calls at once, and look and sleep by themselves: brief calls go through the slots that processes
/// share.
explorer::result explored_in_slots(int ranks, int preemptions, const two_processes::code& what) {
  return explored(ranks, waits::suspended, preemptions, what);
}

TEST(Interleavings, BriefCallsOfProcessesTakeNoPackets) {
  using enum calls;
  expect_well(explored_in_slots(2, 1, make_calls({{{brief}, {brief}}}, true)));
  expect_well(explored_in_slots(2, 1, make_calls({{{brief, brief, brief}, {brief, brief, brief}}}, true)));
  expect_well(explored_in_slots(3, 0, make_calls({{{brief, brief}, {brief, brief}, {brief, brief}}}, true)));
}

TEST(Interleavings, WhereOneCallOfAProcessIsNotBriefNoneIs) {
  using enum calls;
  for (const calls other : {of_another_kind, not_brief, started}) {
    expect_well(explored_in_slots(2, 1, make_calls({{{brief, brief}, {other, brief}}}, true)));
    expect_well(explored_in_slots(2, 0, make_calls({{{brief, brief, brief}, {brief, other, brief}}}, true)));
    expect_well(explored_in_slots(3, 0, make_calls({{{brief, brief}, {brief, brief}, {other, brief}}}, true)));
  }
}

/// Adds what the ranks give, each with a weight of its own.
struct adding final : brief_call, combined_call {
  static constexpr std::size_t count = 3;
  using numbers = std::array<int, count>;

  adding(int factor, bool goes_together, numbers& into) : divides(goes_together), result(into) {
    for (std::size_t i = 0; i < count; ++i) given.at(i) = factor * static_cast<int>(i + 1);
  }
  std::uint64_t kind() const noexcept override { return 0; }
  std::span<const std::byte> gives() const noexcept override { return {}; }
  void make(std::span<const std::byte>, std::span<joint_call* const>, std::span<const int>) override {}

  std::uint64_t combined_kind() const noexcept override { return divides ? 9 : 0; }
  elements combines() const noexcept override { return {count, sizeof(int)}; }
  places lie_at() const noexcept override {
    return {reinterpret_cast<const std::byte*>(given.data()), reinterpret_cast<std::byte*>(result.data())};
  }
  void combine(const std::byte* more, std::byte* sum, std::size_t several) const noexcept override {
    for (std::size_t i = 0; i < several; ++i) {
      int a = 0, b = 0;
      std::memcpy(&a, sum + i * sizeof a, sizeof a);
      std::memcpy(&b, more + i * sizeof b, sizeof b);
      a = 10 * a + b;
      std::memcpy(sum + i * sizeof a, &a, sizeof a);
    }
  }

  bool meet(std::span<joint_call* const> all) override {
    numbers sum{};
    for (joint_call* const one : all)
      for (std::size_t i = 0; i < count; ++i) sum.at(i) = 10 * sum.at(i) + static_cast<adding*>(one)->given.at(i);
    for (joint_call* const one : all) {
      static_cast<adding*>(one)->result = sum;
      static_cast<adding*>(one)->has_met = true;
    }
    return false;
  }
  void pack(std::span<const int>, std::vector<std::byte>& into) override { append(into, &given, sizeof given); }
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte> packed) override {
    static numbers nowhere;
    auto made = std::make_unique<adding>(0, false, nowhere);
    std::memcpy(&made->given, packed.data(), sizeof given);
    return made;
  }

  const bool divides;
  numbers given{};
  numbers& result;
  bool has_met = false;
};

/// The ranks that have `divides` bring what they may divide; then so do all.
two_processes::code add_twice(std::array<bool, 3> divides) {
  return [=](communicator& mine, two_processes&) {
    const int n = mine.size(), sum = n == 2 ? 12 : 123;
    const bool all_do = std::all_of(divides.begin(), divides.begin() + n, [](bool one) { return one; });
    for (const bool is_first : {true, false}) {
      adding::numbers into{};
      adding call(mine.rank() + 1, !is_first || divides.at(static_cast<std::size_t>(mine.rank())), into);
      mine.together(call);
      for (std::size_t i = 0; i < adding::count; ++i)
        if (into.at(i) != sum * static_cast<int>(i + 1)) fail("a sum is " + std::to_string(into.at(i)));
      if (call.has_met != (is_first && !all_do)) fail(call.has_met ? "ranks have met" : "a share was made");
    }
  };
}

TEST(Interleavings, RanksOfProcessesDivideASum) {
  expect_well(explored_in_slots(2, 1, add_twice({true, true})));
  expect_well(explored_in_slots(2, 1, add_twice({true, false})));
  expect_well(explored_in_slots(2, 1, add_twice({false, true})));
  expect_well(explored_in_slots(3, 0, add_twice({true, true, true})));
  expect_well(explored_in_slots(3, 0, add_twice({true, true, false})));
}

/// A group takes the slots of one that is gone.
TEST(Interleavings, SlotsAreUsedAgainByAnotherGroup) {
  expect_well(explored_in_slots(2, 1, [](communicator& mine, two_processes& here) {
    for (int turn = 0; turn < 3; ++turn) {
      {
        communicator part = turn == 1 ? mine.among(std::array{1, 0}, 3) : mine.split(0, mine.rank());
        for (int i = 1; i <= 2; ++i) {
          weighing call(7, i + part.rank());
          part.together(call);
          call.expect(11 * i + 1, true);
          call.expect_alone();
        }
      }
      mine.barrier();
      if (mine.rank() == 0) {
        const gateway& across = *here.both[0].across;
        const std::uint32_t place = across.claim_slots(1);
        if (place != 1) fail("slots of a group that is gone are not given back");
        across.slots(place)->leave(1);
      }
      mine.barrier();
    }
  }));
}

TEST(Interleavings, BriefCallsOfOneKindGiveWhatOthersGive) {
  expect_well(explored(2, waits::asking, 2, bring({7, 7}, waits::asking)));
  expect_well(explored(2, waits::suspended, 1, bring({7, 7}, waits::suspended)));
  expect_well(explored(3, waits::suspended, 1, bring({7, 7, 7}, waits::suspended)));
}

TEST(Interleavings, CallsThatAreNotAllBriefSendPackages) {
  for (const std::array<std::uint64_t, 3> kinds : {std::array<std::uint64_t, 3>{7, 8}, {7, 0}, {0, 7}}) {
    expect_well(explored(2, waits::asking, 2, bring(kinds, waits::asking)));
    expect_well(explored(2, waits::suspended, 1, bring(kinds, waits::suspended)));
  }
  expect_well(explored(3, waits::suspended, 0, bring({7, 7, 8}, waits::suspended)));
  EXPECT_NE(explored(2, waits::suspended, 2, bring({7, 8}, waits::suspended), "", true).failure, "");
}

/// Rank 0 alone gives something, and both get it.
struct telling final : brief_call {
  explicit telling(int number) : told(number) {}
  std::uint64_t kind() const noexcept override { return 5; }
  int giver() const noexcept override { return 0; }
  std::span<const std::byte> gives() const noexcept override {
    return told != 0 ? std::as_bytes(std::span(&told, 1)) : std::span<const std::byte>();
  }
  void make(std::span<const std::byte> given, std::span<joint_call* const> all, std::span<const int> here) override {
    for (const int rank : here) {
      auto& its = static_cast<telling&>(*all[static_cast<std::size_t>(rank)]);
      if (its.told == 0) std::memcpy(&its.told, given.data(), sizeof its.told);
    }
  }
  bool meet(std::span<joint_call* const>) override { return fail("a brief call sent packages"), false; }
  void pack(std::span<const int>, std::vector<std::byte>&) override {}
  std::unique_ptr<joint_call> unpack(int, std::span<const std::byte>) override { return nullptr; }

  int told;
};

TEST(Interleavings, OneRankGivesWhatAllGetInABriefCall) {
  const auto tell = [](waits how) {
    return [how](communicator& mine, two_processes&) {
      telling call(mine.rank() == 0 ? 7 : 0);
      complete(mine, call, how);
      if (call.told != 7) fail("what was given has not come");
    };
  };
  expect_well(explored(2, waits::asking, 2, tell(waits::asking)));
  expect_well(explored(3, waits::suspended, 0, tell(waits::suspended)));
}

/// A rank starts a second call before others come to the first.
TEST(Interleavings, BriefCallsAreStartedAheadOfEachOther) {
  const auto ahead = [](std::array<std::uint64_t, 2> second) {
    return [second](communicator& mine, two_processes&) {
      const auto me = static_cast<std::size_t>(mine.rank());
      weighing one(7, mine.rank() + 1), other(second.at(me), mine.rank() + 3);
      request a = mine.start_together(one), b = mine.start_together(other);
      while (!b.test()) continue;
      other.expect(34, second[0] == second[1]);
      while (!a.test()) continue;
      one.expect(12, true);
    };
  };
  expect_well(explored(2, waits::asking, 2, ahead({7, 7})));
  expect_well(explored(2, waits::asking, 2, ahead({7, 8})));
}

/// No rank begins; the thread that receives is told to end at any time.
struct receiver_that_ends : two_processes {
  receiver_that_ends()
      : two_processes(
            2, waits::asking, [](communicator&, two_processes&) {}, "", false) {
    threads.clear();
    threads.push_back([this] { machine.from_outside([this] { both[0].across->receive(); }); });
    threads.push_back([this] { both[0].across->end_receiving(); });
  }
};

TEST(Interleavings, TheThreadThatReceivesEndsWhenItIsTold) {
  expect_well(explore([] { return std::make_unique<receiver_that_ends>(); }, 3));
}

/// The first process fails at some time. Its ranks have their results, or are told.
struct failing_process : two_processes {
  failing_process(int ranks, code what)
      : two_processes(ranks, waits::suspended, std::move(what), "enough", false, true) {
    threads.push_back([this] { both[0].all->fail(0, std::make_exception_ptr(error("enough"))); });
  }
};

explorer::result explored_with_a_failure(int ranks, int preemptions, std::array<std::uint64_t, 3> kinds,
                                         bool last_comes, bool are_started = false) {
  return explore(
      [=] {
        return std::make_unique<failing_process>(ranks, [=](communicator& mine, two_processes&) {
          if (mine.rank() == ranks - 1 && !last_comes) return;
          weighing call(kinds.at(static_cast<std::size_t>(mine.rank())), mine.rank() + 1);
          const std::string told = complaint([&] { are_started ? complete(mine, call) : mine.together(call); });
          if (told.empty()) return call.expect(12, kinds[0] == kinds[1]);
          if (told.find("another rank has failed: enough") == std::string::npos) fail("a rank is told: " + told);
          if (call.ends != 0) fail("a call that was given up has a result");
        });
      },
      preemptions);
}

/// A rank that has left has no memory for others to write to: all have the sum, or none has.
TEST(Interleavings, AFailureDoesNotDivideThoseWhoDivideASum) {
  for (const int ranks : {2, 3})
    expect_well(explore(
        [ranks] {
          struct ends {
            bool with_sum = false, without = false;
          };
          return std::make_unique<failing_process>(
              ranks, [both = std::make_shared<ends>()](communicator& mine, two_processes&) {
                adding::numbers into{};
                adding call(mine.rank() + 1, true, into);
                const std::string told = complaint([&] { mine.together(call); });
                (told.empty() ? both->with_sum : both->without) = true;
                if (both->with_sum && both->without) fail("some ranks have a sum, others have left");
                if (!told.empty() && into != adding::numbers{}) fail("something was written for a rank that leaves");
              });
        },
        ranks == 2 ? 1 : 0));
}

TEST(Interleavings, AFailureCutsOffACallOfProcesses) {
  for (const bool are_started : {false, true}) {
    expect_well(explored_with_a_failure(2, 1, {7, 7}, true, are_started));
    expect_well(explored_with_a_failure(2, 1, {7, 8}, true, are_started));
    expect_well(explored_with_a_failure(3, 0, {7, 7, 7}, false, are_started));
  }
  expect_well(explored_with_a_failure(3, 0, {0, 0, 0}, false));
}

}  // namespace
}  // namespace maslin
