// What copies to and from local stores take on described machines, in closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"
#include "maslin/run_report.hpp"
#include "on_machine.hpp"
#include "property/program.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

/// A copy of 1,000 bytes takes 1 us where nobody shares memory with it.
struct a_machine {
  int workers = 1;
  int share_memory = 1;
  double latency_us = 0;
  int store_bytes = 65536;

  std::string text() const {
    return fmt::format(R"(
name = "{0} accelerators with local stores"
[workers]
kind = "accelerator"
count = {0}
source = "this test"
[hosts]
contexts = 1
source = "this test"
[local_store]
bytes = {3}
source = "this test"
[transfer]
latency_us = {2}
bandwidth_gb_per_s = 1
source = "this test"
[[memory]]
level = "memory"
bytes = 1000000000
shared_by = {1}
bandwidth_gb_per_s = 1
source = "this test"
)",
                       workers, share_memory, latency_us, store_bytes);
  }
};

struct run {
  double us = 0;
  std::string report;

  /// Gives a number of the report's line on stores.
  double counted(const std::string& name) const {
    const std::size_t at = report.find("\"" + name + "\": ");
    EXPECT_NE(at, std::string::npos) << report;
    return at == std::string::npos ? -1 : std::stod(report.substr(at + name.size() + 4));
  }
};

/// Runs a program that creates tasks, and waits for them; only declared costs count.
run time_of(const a_machine& machine, const std::function<void()>& program) {
  run told;
  const variable how("MASLIN_DURATIONS", "declared"), checks("MASLIN_CHECK", "0"), quiet("MASLIN_QUIET", "1");
  run_on(machine.text(), [&] {
    const double begin = ms::time().count();
    program();
    ms::wait();
    told = {1e6 * (ms::time().count() - begin), ms::run_report_json()};
  });
  return told;
}

using block = std::array<char, 1000>;

template <class... Accesses>
void task_of(std::chrono::nanoseconds cost, Accesses... accesses) {
  ms::task([cost](auto...) { ms::cost(cost); }, accesses...);
}

constexpr double rounding_us = 1e-4;

TEST(LocalStores, OfADescribedMachineTakeTimeForWhatATaskReadsAndWrites) {
  block x{};
  const run told = time_of({}, [&] { task_of(5us, ms::inout(x)); });
  EXPECT_NEAR(told.us, 1 + 5 + 1, rounding_us);
  EXPECT_EQ(told.counted("bytes_in"), 1000);
  EXPECT_EQ(told.counted("bytes_out"), 1000);
  EXPECT_NEAR(told.counted("waited_s"), 1e-6, 1e-10);
}

TEST(LocalStores, TakeTheStartUpOfTheCopyEngineOnceForEachStage) {
  block x{}, y{}, z{};
  const run told = time_of({.latency_us = 0.25}, [&] { task_of(5us, ms::in(x), ms::in(y), ms::out(z)); });
  EXPECT_NEAR(told.us, 0.25 + 2 + 5 + 0.25 + 1, rounding_us);
}

TEST(LocalStores, TakeNoTimeForDataThatATaskDoesNotDeclare) {
  const run told = time_of({}, [&] { task_of(5us); });
  EXPECT_NEAR(told.us, 5, rounding_us);
}

TEST(LocalStores, TakeNoTimeForWhatIsThere) {
  block x{};
  const auto program = [&] {
    for (int i = 0; i < 10; ++i) task_of(5us, ms::in(x));
  };
  const run kept = time_of({}, program);
  EXPECT_NEAR(kept.us, 1 + 10 * 5, rounding_us);
  EXPECT_EQ(kept.counted("hits"), 9);  // also while another one has it
  const variable none("MASLIN_STORE_KEEP", "none"), late("MASLIN_STORE_AHEAD", "0");
  EXPECT_NEAR(time_of({}, program).us, 10 * (1 + 5), rounding_us);
}

TEST(LocalStores, ShareMemoryInEqualParts) {
  std::array<block, 4> data{};
  const auto program = [&] {
    for (block& x : data) task_of(5us, ms::in(x));
  };
  EXPECT_NEAR(time_of({.workers = 4, .share_memory = 1}, program).us, 1 + 5, rounding_us);
  EXPECT_NEAR(time_of({.workers = 4, .share_memory = 2}, program).us, 2 + 5, rounding_us);
  EXPECT_NEAR(time_of({.workers = 4, .share_memory = 4}, program).us, 4 + 5, rounding_us);
}

TEST(LocalStores, CopyWhileTheWorkerComputes) {
  std::vector<block> data(40), results(40);
  const auto program = [&](std::chrono::nanoseconds cost) {
    return [&, cost] {
      for (std::size_t i = 0; i < data.size(); ++i) task_of(cost, ms::in(data[i]), ms::out(results[i]));
    };
  };
  // The first fetch and the last put are in the open; in between it is what takes longer.
  const run computes = time_of({}, program(5us));
  EXPECT_NEAR(computes.us, 1 + 40 * 5 + 1, rounding_us);
  EXPECT_EQ(computes.counted("early"), 39);
  EXPECT_NEAR(time_of({}, program(500ns)).us, 40 * 2 + 0.5, 0.5 + rounding_us);
  const variable late("MASLIN_STORE_AHEAD", "0");
  EXPECT_NEAR(time_of({}, program(5us)).us, 40 * (1 + 5 + 1), rounding_us);
}

TEST(LocalStores, CopyBackWhatIsOverwrittenNoMoreThanOnce) {
  block x{};
  const auto program = [&] {
    for (int i = 0; i < 10; ++i) task_of(5us, ms::inout(x));
  };
  EXPECT_NEAR(time_of({}, program).us, 1 + 10 * (5 + 1), rounding_us);  // each follows the one before it
  const variable back("MASLIN_STORE_WRITE", "back");
  const run told = time_of({}, program);
  EXPECT_NEAR(told.us, 1 + 10 * 5 + 1, rounding_us);
  EXPECT_EQ(told.counted("bytes_out"), 1000);
  EXPECT_EQ(told.counted("puts_saved"), 9);
}

TEST(LocalStores, HaveAnotherWorkerFetchWhatIsDirtyWhenMemoryHasIt) {
  const variable back("MASLIN_STORE_WRITE", "back"), late("MASLIN_STORE_AHEAD", "0");
  block x{};
  const run told = time_of({.workers = 2, .share_memory = 1}, [&] {
    task_of(5us, ms::inout(x));
    task_of(5us, ms::in(x));
    task_of(5us, ms::in(x));
  });
  EXPECT_NEAR(told.us, 1 + 5 + (1 + 1 + 5), rounding_us);
  EXPECT_EQ(told.counted("bytes_out"), 1000);
  EXPECT_EQ(told.counted("bytes_in"), 2000);
  EXPECT_EQ(told.counted("hits"), 1);
}

TEST(LocalStores, HaveATaskThatIsFetchedEarlyRunByWhoHasNothingToDo) {
  // Worker 0 has the long one and has fetched for one more, which worker 1 takes when its own are over.
  std::array<block, 6> data{};
  const run told = time_of({.workers = 2}, [&] {
    task_of(100us, ms::in(data[0]));
    for (std::size_t i = 1; i < data.size(); ++i) task_of(5us, ms::in(data[i]));
  });
  EXPECT_NEAR(told.us, 1 + 100, rounding_us);
}

TEST(LocalStores, CopyNothingBackOfATaskThatIsCancelledWhileItsDataCome) {
  block x{}, y{};
  const run told = time_of({}, [&] {
    ms::group all;
    all.task(
        [&all](ms::view<char>) {
          ms::cost(5us);
          all.cancel();
        },
        ms::inout(x));
    all.task([](ms::view<char>) { FAIL() << "it was cancelled"; }, ms::inout(y));
    EXPECT_FALSE(all.wait());
  });
  EXPECT_NEAR(told.us, 1 + 5 + 1, rounding_us);
  EXPECT_EQ(told.counted("bytes_in"), 2000);
  EXPECT_EQ(told.counted("bytes_out"), 1000);
  EXPECT_EQ(told.counted("early"), 0);  // its data came early, but it did not begin
}

TEST(LocalStores, RefuseATaskWhoseDataDoNotFit) {
  std::vector<char> large(100'000);
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(a_machine{}.text(), [&] {
    ms::task([](ms::view<char>) {}, ms::inout(large));
    try {
      ms::wait();
      FAIL() << "it fits";
    } catch (const ms::error& e) {
      EXPECT_NE(std::string(e.what()).find("(100000), and its worker's local store has 65536"), std::string::npos)
          << e.what();
    }
  });
  const variable more("MASLIN_STORE", "128K");
  EXPECT_NEAR(time_of({}, [&] { ms::task([](ms::view<char>) {}, ms::inout(large)); }).us, 200, rounding_us);
}

TEST(LocalStores, GiveThisMachineWhereTheDescriptionHasNone) {
  constexpr const char* bare = R"(
name = "two cores"
[workers]
kind = "cpu"
count = 2
source = "this test"
)";
  const variable quiet("MASLIN_QUIET", "1"), checks("MASLIN_CHECK", "0");
  block x{};
  std::string without, with;
  run_on(bare, [&] {
    task_of(5us, ms::inout(x));
    ms::wait();
    without = ms::run_report_json();
  });
  EXPECT_EQ(without.find("\"stores\""), std::string::npos) << without;
  const variable some("MASLIN_STORE", "64K");
  run_on(bare, [&] {
    task_of(5us, ms::inout(x));
    ms::wait();
    with = ms::run_report_json();
  });
  EXPECT_NE(with.find("\"bytes_in\": 1000"), std::string::npos) << with;
}

TEST(LocalStores, AreWhereDataComeToSoThatWhatABodySaysToMoveIsNotCountedAgain) {
  constexpr const char* with_memory = R"(
name = "a core"
[workers]
kind = "cpu"
count = 1
source = "this test"
[[memory]]
level = "memory"
bytes = 1000000000
shared_by = 1
bandwidth_gb_per_s = 1
source = "this test"
)";
  const variable quiet("MASLIN_QUIET", "1"), checks("MASLIN_CHECK", "0"), how("MASLIN_DURATIONS", "declared");
  const auto us = [&] {
    double took = 0;
    run_on(with_memory, [&] {
      block x{};
      const double begin = ms::time().count();
      ms::task(
          [](ms::view<char>) {
            ms::memory_traffic(20'000);
            ms::cost(5us);
          },
          ms::inout(x));
      ms::wait();
      took = 1e6 * (ms::time().count() - begin);
    });
    return took;
  };
  EXPECT_NEAR(us(), 20, rounding_us);
  const variable some("MASLIN_STORE", "64K");
  EXPECT_NEAR(us(), 1 + 5 + 1, rounding_us);
}

/// A task without data, whose loop has so many blocks of one iteration. `body(block)` is one.
template <class Body>
void task_of_loop(int blocks, Body body, ms::schedule policy = ms::schedule::dbs) {
  ms::task([=] {
    ms::parallel_for(
        0, blocks, [=](ms::range r) { body(static_cast<int>(*r.begin())); }, policy, ms::block{1});
  });
}

/// Gives the microseconds of a loop whose blocks all move so much, and compute so long.
double us_of_blocks(const a_machine& machine, int blocks, std::int64_t bytes, std::chrono::nanoseconds cost,
                    ms::schedule policy = ms::schedule::dbs) {
  return time_of(machine,
                 [=] {
                   task_of_loop(
                       blocks,
                       [=](int) {
                         ms::memory_traffic(bytes);
                         ms::cost(cost);
                       },
                       policy);
                 })
      .us;
}

TEST(LocalStores, MoveWhatALoopSaysWhileItsWorkerComputes) {
  EXPECT_NEAR(us_of_blocks({}, 8, 5000, 10us), 8 * 10, rounding_us);
  EXPECT_NEAR(us_of_blocks({}, 8, 5000, 2us), 8 * 5, rounding_us);  // it is bound by communication
  EXPECT_NEAR(us_of_blocks({}, 1, 5000, 2us), 5, rounding_us);
  EXPECT_NEAR(us_of_blocks({}, 8, 0, 2us), 8 * 2, rounding_us);
  // The start-up is hidden like the rest, but for the first one.
  EXPECT_NEAR(us_of_blocks({.latency_us = 0.5}, 8, 5000, 10us), 8 * 10, rounding_us);
  EXPECT_NEAR(us_of_blocks({.latency_us = 0.5}, 8, 5000, 2us), 0.5 + 8 * 5, rounding_us);
}

TEST(LocalStores, HaveRoomForTwoBlocksOfALoop) {
  // Four blocks move, and four compute. The third one waits for what the first one moves, and the fourth one for the
  // second one's.
  const auto run_blocks = [](int i) {
    if (i < 4) ms::memory_traffic(5000);
    ms::cost(i < 4 ? 1us : 5us);
  };
  EXPECT_NEAR(time_of({}, [&] { task_of_loop(8, run_blocks); }).us, 2 * 5 + 1 + 4 * 5, rounding_us);
  // Start-ups that take longer than all else: two at a time.
  EXPECT_NEAR(us_of_blocks({.latency_us = 5}, 8, 1000, 1us), 4 * (5 + 1) + 1, rounding_us);
}

TEST(LocalStores, ShareMemoryAmongThoseWhoseLoopsMoveAtATime) {
  for (const ms::schedule policy : {ms::schedule::static_, ms::schedule::gss, ms::schedule::afs, ms::schedule::dbs}) {
    SCOPED_TRACE(static_cast<int>(policy));
    EXPECT_NEAR(us_of_blocks({.workers = 4, .share_memory = 1}, 4, 5000, 1us, policy), 5, rounding_us);
    EXPECT_NEAR(us_of_blocks({.workers = 4, .share_memory = 2}, 4, 5000, 1us, policy), 10, rounding_us);
    EXPECT_NEAR(us_of_blocks({.workers = 4, .share_memory = 4}, 4, 5000, 1us, policy), 20, rounding_us);
    EXPECT_NEAR(us_of_blocks({.workers = 4, .share_memory = 4}, 4, 5000, 30us, policy), 30, rounding_us);
  }
}

TEST(LocalStores, HaveALoopWaitForTheDataOfEachWorker) {
  for (const ms::schedule policy : {ms::schedule::static_, ms::schedule::gss, ms::schedule::afs, ms::schedule::dbs})
    for (const int mover : {0, 1}) {
      SCOPED_TRACE(fmt::format("{} {}", static_cast<int>(policy), mover));
      const auto one_moves = [mover](int i) {
        if (i == mover) ms::memory_traffic(20'000);
        ms::cost(5us);
      };
      EXPECT_NEAR(time_of({.workers = 2}, [&] { task_of_loop(2, one_moves, policy); }).us, 20, rounding_us);
    }
}

TEST(LocalStores, ShareMemoryAmongLoopsAndTasksWithData) {
  block x{};
  double began = 0;
  const run told = time_of({.workers = 2, .share_memory = 2}, [&] {
    const double begin = ms::time().count();
    ms::task(
        [&began, begin](ms::view<const char>) {
          began = 1e6 * (ms::time().count() - begin);
          ms::cost(1us);
        },
        ms::in(x));
    ms::task([] {
      ms::memory_traffic(3000);
      ms::cost(1us);
    });
  });
  EXPECT_NEAR(began, 2, rounding_us);    // half of it each, until the task's data are there
  EXPECT_NEAR(told.us, 4, rounding_us);  // and then the rest of 3,000 bytes
  EXPECT_NEAR(told.counted("waited_s"), (2 + 3) * 1e-6, 1e-10);
}

TEST(LocalStores, DoNotMoveAgainWhatATasksDataHaveBroughtIn) {
  block x{};
  const auto moves = [](int) {
    ms::memory_traffic(20'000);
    ms::cost(5us);
  };
  const auto loop = [moves] {
    ms::parallel_for(
        0, 4, [moves](ms::range r) { moves(static_cast<int>(*r.begin())); }, ms::schedule::static_, ms::block{1});
  };
  EXPECT_NEAR(time_of({.workers = 2}, [&] { ms::task([=](ms::view<char>) { loop(); }, ms::inout(x)); }).us,
              1 + 2 * 5 + 1, rounding_us);
  EXPECT_NEAR(time_of({.workers = 2}, [&] { ms::task(loop); }).us, 2 * 20, rounding_us);
  // A task that it creates has data of its own, or none.
  EXPECT_NEAR(time_of({}, [&] { ms::task([=](ms::view<char>) { ms::task([=] { moves(0); }); }, ms::inout(x)); }).us,
              1 + 20 + 1, rounding_us);
}

TEST(LocalStores, HaveAKernelWaitForWhatItMoves) {
  static const ms::kernel moving{"moving", [](bool in_loop) {
                                   const auto body = [](ms::range) {
                                     ms::memory_traffic(20'000);
                                     ms::cost(5us);
                                   };
                                   if (in_loop)
                                     ms::parallel_for(0, 2, body, ms::block{1});
                                   else
                                     body(ms::range{});
                                   ms::cost(3us);
                                 }};
  for (const int streams : {1, 2}) {  // whose teams are of two workers, or of one
    SCOPED_TRACE(streams);
    const std::string pin = fmt::format("all={}x{}", streams, 2 / streams);
    const variable pinned("MASLIN_PIN", pin.c_str());
    const auto us_of = [&](bool in_loop) {
      return time_of({.workers = 2}, [&] { ms::phase("all", streams, [&](auto) { ms::offload(moving, in_loop); }); })
          .us;
    };
    EXPECT_NEAR(us_of(true), (streams == 1 ? 20 : 40) + 3, rounding_us);  // the rest begins when a loop is over
    EXPECT_NEAR(us_of(false), 20, rounding_us);
  }
}

TEST(LocalStores, TakeNoTimeForWhatCodeMovesIfNothingIsSaid) {
  const variable quiet("MASLIN_QUIET", "1"), some("MASLIN_STORE", "64K");
  const auto counts = [](const std::string& machine) {
    bool does = false;
    run_on(machine, [&] { does = ms::memory_traffic_counts(); });
    return does;
  };
  EXPECT_TRUE(counts(a_machine{}.text()));
  EXPECT_FALSE(counts("name = \"a core\"\n[workers]\nkind = \"cpu\"\ncount = 1\nsource = \"this test\"\n"));
}

/// Calls `check` under each combination of settings.
void under_all_settings(const std::function<void()>& check) {
  const variable quiet("MASLIN_QUIET", "1"), how("MASLIN_DURATIONS", "declared");
  for (const char* const write : {"through", "renamed", "back"})
    for (const char* const ahead : {"0", "1", "3"})
      for (const char* const keep : {"none", "out", "all"}) {
        const variable writes("MASLIN_STORE_WRITE", write), fetches("MASLIN_STORE_AHEAD", ahead);
        const variable keeps("MASLIN_STORE_KEEP", keep);
        SCOPED_TRACE(fmt::format("{} {} {}", write, ahead, keep));
        check();
      }
}

TEST(LocalStores, ChangeNoResults) {
  constexpr std::uint64_t programs = 60;
  std::vector<outcome> expected;
  {
    ms::Runtime serial({.workers = 0, .serial = true});
    for (std::uint64_t seed = 1; seed <= programs; ++seed) expected.push_back(run_program(seed));
  }
  under_all_settings([&] {
    const variable small("MASLIN_STORE", "1K");
    run_on(a_machine{.workers = 3, .share_memory = 3, .latency_us = 0.1}.text(), [&] {
      for (std::uint64_t seed = 1; seed <= programs; ++seed) EXPECT_EQ(run_program(seed), expected[seed - 1]) << seed;
    });
  });
}

TEST(LocalStores, TakeTheSameTimeEachTime) {
  static std::array<block, 12> data;
  under_all_settings([&] {
    std::vector<double> first;
    for (int again = 0; again < 2; ++again) {
      std::mt19937 random(11);
      for (int program = 0; program < 5; ++program) {
        const run told = time_of({.workers = 3, .share_memory = 3, .latency_us = 0.1, .store_bytes = 5000}, [&random] {
          for (int i = 0; i < 200; ++i) {
            block &a = data[random() % 12], &b = data[random() % 12], &c = data[random() % 12];
            const std::chrono::nanoseconds cost(random() % 5000);
            if (random() % 4 == 0)
              task_of(cost, ms::in(a), ms::out(c));
            else
              task_of(cost, ms::in(a), ms::in(b), ms::inout(c));
          }
        });
        EXPECT_GT(told.us, 100);
        if (again == 0)
          first.push_back(told.us);
        else
          EXPECT_EQ(told.us, first[static_cast<std::size_t>(program)]) << program;
      }
    }
  });
}

}  // namespace
