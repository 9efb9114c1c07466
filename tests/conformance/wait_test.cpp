// What holds under every policy of waiting (MASLIN_WAIT), on every executor.

#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "executors.hpp"

namespace {

using under = std::tuple<executor_kind, const char*>;

/// The runtime reads the policy when it starts, so each test starts its own.
class Wait : public testing::TestWithParam<under> {
 protected:
  static ms::Runtime::options options() {
    const auto [kind, policy] = GetParam();
    describe_machine(kind);
    setenv("MASLIN_WAIT", policy, 1);
    return {.workers = kind.workers, .serial = kind.workers == 0};
  }
  static executor_kind kind() { return std::get<0>(GetParam()); }
  static std::string policy() { return std::get<1>(GetParam()); }
  ~Wait() override { unsetenv("MASLIN_WAIT"); }

  ms::Runtime runtime{options()};
};

std::string name_of(const testing::TestParamInfo<under>& info) {
  return kind_name({std::get<0>(info.param), info.index}) + "_" + std::get<1>(info.param);
}

/// A sum to which a team contributes.
long sum_of(int count) {
  return ms::parallel_reduce(0, count, 0L, std::plus{}, [](ms::range r) {
    long sum = 0;
    for (std::int64_t i = r.first; i < r.last; ++i) sum += static_cast<long>(i);
    return sum;
  });
}

}  // namespace

TEST_P(Wait, LoopsAfterGapsOfEveryLengthAreWhole) {
  for (const int gap_us : {0, 1, 20, 300, 4000}) {
    for (int round = 0; round < 3; ++round) {
      std::atomic<int> ran{0};
      ms::parallel_for(
          0, 16, [&](ms::range r) { ran += static_cast<int>(r.size()); }, ms::schedule::dbs, ms::block{1});
      EXPECT_EQ(ran, 16);
      std::this_thread::sleep_for(std::chrono::microseconds(gap_us));
    }
  }
}

TEST_P(Wait, ALoopWhoseLastBlockIsLongEnds) {
  std::atomic<int> ran{0};
  for (int round = 0; round < 3; ++round)
    ms::parallel_for(
        0, 8,
        [&](ms::range r) {
          if (r.first == 3 && !kind().described) dawdle();
          ++ran;
        },
        ms::schedule::dbs, ms::block{1});
  EXPECT_EQ(ran, 24);
}

TEST_P(Wait, TasksThatWaitForEachOtherEnd) {
  long value = 0;
  for (int i = 0; i < 300; ++i) ms::task([](ms::view<long> v) { ++v[0]; }, ms::inout(value));
  std::atomic<int> ran{0};
  for (int i = 0; i < 20; ++i)
    ms::task([&] {
      for (int k = 0; k < 5; ++k) ms::task([&] { ++ran; });
      ms::wait();
    });
  ms::wait();
  EXPECT_EQ(value, 300);
  EXPECT_EQ(ran, 100);
}

TEST_P(Wait, StreamsThatOffLoadLoopsGetTheirSums) {
  static const ms::kernel adds{"adds", sum_of};
  for (const int streams : {1, 5}) {
    std::vector<long> sums(static_cast<std::size_t>(streams));
    ms::phase("waits", streams, [&](std::int64_t i) {
      for (int k = 0; k < 60; ++k) sums[static_cast<std::size_t>(i)] += ms::offload(adds, 1000 * (k % 3 + 1));
    });
    for (const long sum : sums) EXPECT_EQ(sum, 20 * (499'500L + 1'999'000L + 4'498'500L));
  }
}

TEST_P(Wait, TheReportSaysHowAPhaseWaitedAndWhatItTook) {
  ms::phase("told", 4, [](std::int64_t) { sum_of(10'000); });
  const auto report = ms::report("told");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->cpu_seconds.has_value(), !kind().described);
  if (!kind().described) {
    EXPECT_GT(*report->cpu_seconds, 0);
  }
  if (kind().described || kind().workers < 2) {  // nobody waits there, or it ran in place
    EXPECT_EQ(report->waiting, "");
    EXPECT_EQ(report->waiting_reason, "");
  } else if (policy() == "auto") {
    EXPECT_EQ(report->waiting_reason.substr(0, 6), "auto: ");
    EXPECT_TRUE(report->waiting == "spin" || report->waiting == "yield" || report->waiting == "park")
        << report->waiting;
  } else {
    EXPECT_EQ(report->waiting, policy());
    EXPECT_EQ(report->waiting_reason, "MASLIN_WAIT says so");
  }
}

TEST_P(Wait, APhaseInsideAnotherLeavesItsCpuTimeUnset) {
  if (kind().workers < 2) return;  // both run in place
  std::atomic<int> ran{0};
  ms::phase("around", 2, [&](std::int64_t) { ms::phase("within", 3, [&](std::int64_t) { ++ran; }); });
  EXPECT_EQ(ran, 6);
  EXPECT_EQ(ms::report("around")->cpu_seconds.has_value(), !kind().described);
  EXPECT_FALSE(ms::report("within")->cpu_seconds);
}

TEST_P(Wait, SuspendedStreamsThatHoldAMutexGoOn) {
  std::atomic<int> ran{0};
  ms::mutex lock;
  ms::phase("locks", 6, [&](std::int64_t) {
    for (int k = 0; k < 20; ++k) {
      const std::lock_guard held(lock);
      ++ran;
      ms::task([&] { ++ran; });
      ms::wait();
    }
  });
  EXPECT_EQ(ran, 240);
}

INSTANTIATE_TEST_SUITE_P(, Wait,
                         testing::Combine(testing::ValuesIn(executor_kinds()),
                                          testing::Values("spin", "yield", "adaptive", "park", "auto")),
                         name_of);

TEST(WaitPinned, APinWinsOverTheVariable) {
  setenv("MASLIN_WAIT", "spin", 1);
  setenv("MASLIN_PIN", "told=2x1,wait=park", 1);
  {
    ms::Runtime runtime({.workers = 3, .serial = false});
    ms::phase("told", 4, [](std::int64_t) { sum_of(10'000); });
    const auto report = ms::report("told");
    ASSERT_TRUE(report);
    EXPECT_EQ(report->current, (ms::configuration{2, 1}));
    EXPECT_EQ(report->waiting, "park");
    EXPECT_EQ(report->waiting_reason, "MASLIN_PIN says so");
  }
  unsetenv("MASLIN_PIN");
  unsetenv("MASLIN_WAIT");
}

namespace {

void compute(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

/// A loop of eight blocks that take so long; gives whether others than the caller have run some.
bool others_shared(std::chrono::microseconds block) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> others{false};
  ms::parallel_for(
      0, 8,
      [&](ms::range r) {
        if (std::this_thread::get_id() != caller) others = true;
        for (std::int64_t i = r.first; i < r.last; ++i) compute(block);
      },
      ms::block{1});
  return others;
}

/// How often threads of this process have fallen asleep.
long sleeps() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

bool has_two_cpus() {
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) >= 2;
}

using namespace std::chrono_literals;

}  // namespace

TEST(WaitAsleep, ATeamThatParksIsWokenForALongLoopAndNotForAShortOne) {
  setenv("MASLIN_WAIT", "park", 1);
  {
    const ms::Runtime runtime({.workers = 2, .serial = false});
    int tries = 0;
    while (!others_shared(1ms) && tries < 1000) ++tries;
    EXPECT_LT(tries, 1000);
    for (int i = 0; i < 20; ++i) others_shared(1us);  // what it takes becomes known
    const long before = sleeps();
    constexpr int loops = 1000;
    for (int i = 0; i < loops; ++i) {
      compute(100us);  // meanwhile the other falls asleep
      others_shared(1us);
    }
    EXPECT_LT(sleeps() - before, loops / 2);
  }
  unsetenv("MASLIN_WAIT");
}

TEST(WaitAsleep, ShortLoopsOneAfterTheOtherWakeTheirTeam) {
  if (!has_two_cpus()) GTEST_SKIP() << "workers that share one CPU do not stay awake for the next loop";
  const ms::Runtime runtime({.workers = 2, .serial = false});
  for (int i = 0; i < 20; ++i) others_shared(1us);
  compute(50ms);  // the other falls asleep
  constexpr int most = 100'000;
  int tries = 0;
  while (!others_shared(1us) && tries < most) ++tries;
  EXPECT_LT(tries, most);
}
