// MASLIN_RANK_WAIT: how ranks wait that have a worker of their own.

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "ranks.hpp"

namespace {

using namespace std::chrono_literals;

void expect_that_ranks_go_on() {
  ms::ranks(4, [](ms::communicator& world) {
    const int me = world.rank(), next = (me + 1) % 4, last = (me + 3) % 4;
    std::vector<int> few(2), many(10'000);
    for (int round = 0; round < 20; ++round) {
      world.exchange(std::vector<int>(2, me + round), next, few, last);
      world.exchange(std::vector<int>(10'000, me - round), next, many, last);
      EXPECT_EQ(few, std::vector<int>(2, last + round));
      EXPECT_EQ(many, std::vector<int>(10'000, last - round));
      if (me == round % 4) dawdle();
      EXPECT_EQ(world.all_reduce(me + round, std::plus{}), 6 + 4 * round);
    }
  });
}

void expect_that_a_deadlock_is_told() {
  const std::string what = complaint([] {
    ms::ranks(3, [](ms::communicator& world) {
      int never = 0;
      if (world.rank() < 2) world.receive(never, 1 - world.rank());
      world.barrier();
    });
  });
  EXPECT_NE(what.find("a cycle: rank 0 waits for rank 1 waits for rank 0"), std::string::npos) << what;
}

/// Gives how often the worker of a rank that waits has gone on with a task.
int tasks_run_by_who_waits() {
  int found = 0;
  ms::ranks(2, [&](ms::communicator& world) {
    for (int i = 0; i < 20; ++i) {
      std::atomic<bool> has_run{false};
      int got = 0;
      world.barrier();
      if (world.rank() == 1) {
        std::this_thread::sleep_for(1ms);
        world.send(i, 0);
      } else {
        ms::task([&has_run] {
          dawdle();
          has_run = true;
        });
        world.receive(got, 1);
        found += has_run;
        ms::wait();
      }
    }
  });
  return found;
}

template <const char* const& how>
class waits_so : setting_is, public Promise {
 protected:
  waits_so() : setting_is("MASLIN_RANK_WAIT", how) {}
  /// Has each of two ranks a worker, and is there no other one?
  static bool are_two() { return GetParam().workers == 2 && !GetParam().described && !GetParam().host; }
};

constexpr const char *spin = "spin", *yield = "yield", *park = "park", *as_usual = nullptr;

using RanksThatSpin = waits_so<spin>;
TEST_P(RanksThatSpin, GoOn) { expect_that_ranks_go_on(); }
TEST_P(RanksThatSpin, AreSuspendedWhereAllWait) { expect_that_a_deadlock_is_told(); }
TEST_P(RanksThatSpin, KeepTheirWorkers) {
  if (are_two()) {
    EXPECT_LT(tasks_run_by_who_waits(), 20);
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksThatSpin);

using RanksThatYield = waits_so<yield>;
TEST_P(RanksThatYield, GoOn) { expect_that_ranks_go_on(); }
TEST_P(RanksThatYield, AreSuspendedWhereAllWait) { expect_that_a_deadlock_is_told(); }
TEST_P(RanksThatYield, KeepTheirWorkers) {
  if (are_two()) {
    EXPECT_LT(tasks_run_by_who_waits(), 20);
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksThatYield);

using RanksThatPark = waits_so<park>;
TEST_P(RanksThatPark, GoOn) { expect_that_ranks_go_on(); }
TEST_P(RanksThatPark, AreSuspendedWhereAllWait) { expect_that_a_deadlock_is_told(); }
TEST_P(RanksThatPark, LeaveTheirWorkersToTasks) {
  if (are_two()) {
    EXPECT_GT(tasks_run_by_who_waits(), 0);
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksThatPark);

using RanksThatWaitAsUsual = waits_so<as_usual>;
TEST_P(RanksThatWaitAsUsual, LeaveTheirWorkersToTasks) {
  if (are_two()) {
    EXPECT_GT(tasks_run_by_who_waits(), 0);
  }
}
MASLIN_ON_EVERY_EXECUTOR(RanksThatWaitAsUsual);

}  // namespace
