// Promises about phases, streams and off-loading.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "executors.hpp"
#include "maslin/run_report.hpp"

namespace {

double busy_sum(ms::view<const double> from, ms::view<double> into, int rounds) {
  ms::parallel_for(
      0, static_cast<std::int64_t>(from.size()),
      [&](ms::range r) {
        for (const auto i : r) {
          double x = from[static_cast<std::size_t>(i)];
          for (int k = 0; k < rounds; ++k) x = x * 0.999 + 0.5;
          into[static_cast<std::size_t>(i)] = x;
        }
      },
      ms::block{32});
  return std::accumulate(into.begin(), into.end(), 0.0);
}

const ms::kernel busy{"busy", busy_sum};
const ms::kernel calling{"calling", [](const std::function<void()>* what) { (*what)(); }};

double stream_work(int rounds, int offloads) {
  std::vector<double> a(256, 1.0);
  std::vector<double> b(256);
  double sum = 0;
  for (int i = 0; i < offloads; ++i) {
    sum += ms::offload(busy, ms::in(a), ms::out(b), rounds);
    std::swap(a, b);
  }
  return sum;
}

class Pinned {
 public:
  explicit Pinned(const std::string& text) { setenv("MASLIN_PIN", text.c_str(), 1); }
  ~Pinned() { unsetenv("MASLIN_PIN"); }
};

}  // namespace

using Phases = Promise;

TEST_P(Phases, EachStreamRunsOnce) {
  for (const int streams : {0, 1, 2, 5, 33, 300}) {
    std::vector<std::atomic<int>> ran(static_cast<std::size_t>(streams));
    ms::phase("once", streams, [&](std::int64_t i) { ++ran[static_cast<std::size_t>(i)]; });
    for (const auto& r : ran) ASSERT_EQ(r, 1);
    const auto report = ms::report("once");
    ASSERT_TRUE(report);
    EXPECT_EQ(report->streams, streams);
    EXPECT_EQ(report->done, streams);
    EXPECT_FALSE(report->running);
  }
}

TEST_P(Phases, OffloadsGiveWhatTheKernelGives) {
  const double expected = stream_work(20, 40);
  std::vector<double> got(12);
  ms::phase("offloads", 12, [&](std::int64_t i) { got[static_cast<std::size_t>(i)] = stream_work(20, 40); });
  for (const double g : got) EXPECT_EQ(g, expected);
}

// The last streams are in the middle of long loops when the others end and leave them their workers.
TEST_P(Phases, EachBlockOfTheLoopsOfTheLastStreamsRunsOnce) {
  constexpr std::int64_t blocks = 300;
  const int streams = 12;
  std::vector<std::vector<std::atomic<int>>> ran;
  for (int i = 0; i < streams; ++i) ran.emplace_back(blocks);
  std::atomic<int> failed{0};
  ms::phase("uneven", streams, [&](std::int64_t i) {
    std::vector<std::atomic<int>>& mine = ran[static_cast<std::size_t>(i)];
    const std::int64_t length = i >= streams - 3 ? blocks : 3;
    const auto sweep = [&] {
      ms::parallel_for(
          0, length,
          [&](ms::range r) {
            std::vector<double> a(256, 1.0), b(256);
            for (const auto k : r) {
              busy_sum(ms::view<const double>(a), ms::view<double>(b), 20);
              ++mine[static_cast<std::size_t>(k)];
            }
            if (i == streams - 2 && r.last == length) throw std::runtime_error("the last block");
          },
          ms::block{1});
    };
    const std::function<void()> all = sweep;
    try {
      if (i % 2 == 0)
        sweep();
      else
        ms::offload(calling, &all);
    } catch (const std::runtime_error&) {
      ++failed;
    }
    for (std::int64_t k = 0; k < blocks; ++k)
      if (mine[static_cast<std::size_t>(k)] != (k < length ? 1 : 0))
        throw std::logic_error("a block ran another number of times");
  });
  EXPECT_EQ(failed, 1);
}

TEST_P(Phases, RightSizingChoosesOneOfWhatItSampled) {
  ms::phase("sized", 6, [&](std::int64_t) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(60);
    while (std::chrono::steady_clock::now() < end) stream_work(200, 4);
  });
  const auto report = ms::report("sized");
  ASSERT_TRUE(report);
  for (const auto& s : report->samples) {
    EXPECT_GE(s.under.streams, 1);
    EXPECT_GE(s.under.width, 1);
    EXPECT_LE(s.under.streams * s.under.width, std::max(1, GetParam().workers));
    EXPECT_GT(s.seconds, 0);
  }
  if (!report->chosen || report->samples.empty()) return;
  EXPECT_TRUE(std::any_of(report->samples.begin(), report->samples.end(),
                          [&](const ms::phase_sample& s) { return s.under == *report->chosen; }));
}

TEST_P(Phases, StreamsThatThrowLeaveTheOthersAlone) {
  std::atomic<int> ran{0};
  try {
    ms::phase("throwing", 20, [&](std::int64_t i) {
      ++ran;
      stream_work(1, 3);
      if (i == 4 || i == 11) throw std::runtime_error(std::to_string(i));
    });
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "4");
  }
  EXPECT_EQ(ran, 20);
  EXPECT_EQ(ms::other_exceptions().size(), 1u);
}

TEST_P(Phases, AKernelsExceptionComesOutOfTheOffload) {
  const ms::kernel failing{"failing", [](int i) {
                             if (i == 3) throw std::domain_error("three");
                           }};
  std::atomic<int> caught{0};
  ms::phase("failing", 8, [&](std::int64_t i) {
    try {
      ms::offload(failing, static_cast<int>(i));
    } catch (const std::domain_error&) {
      ++caught;
    }
  });
  EXPECT_EQ(caught, 1);
}

TEST_P(Phases, StreamsMayCreateTasksAndWait) {
  std::atomic<int> tasks{0};
  ms::phase("tasks", 10, [&](std::int64_t) {
    for (int i = 0; i < 20; ++i) ms::task([&] { ++tasks; });
    ms::wait();
    for (int i = 0; i < 5; ++i) ms::task([&] { ++tasks; });
  });
  EXPECT_EQ(tasks, 250);
}

TEST_P(Phases, NestedPhasesDivideTheirStreamsTeam) {
  std::atomic<int> ran{0};
  ms::phase("outer", 6, [&](std::int64_t) {
    ms::phase("inner", 4, [&](std::int64_t) {
      stream_work(5, 3);
      ++ran;
    });
  });
  EXPECT_EQ(ran, 24);
}

TEST_P(Phases, PhasesBesideEachOtherShareTheWorkers) {
  std::atomic<int> ran{0};
  for (int t = 0; t < 5; ++t)
    ms::task([&] {
      ms::phase("beside", 7, [&](std::int64_t) {
        stream_work(5, 5);
        ++ran;
      });
    });
  ms::wait();
  EXPECT_EQ(ran, 35);
}

TEST_P(Phases, AMutexBetweenStreamsAndTasksIsNoTrap) {
  ms::mutex lock;
  int sum = 0;
  ms::task([&] {
    for (int i = 0; i < 30; ++i) {
      std::lock_guard held(lock);
      ms::task([] { std::this_thread::yield(); });
      ms::wait();
      ++sum;
    }
  });
  ms::phase("mutex", 16, [&](std::int64_t) {
    for (int i = 0; i < 10; ++i) {
      std::lock_guard held(lock);
      stream_work(1, 2);
      ++sum;
    }
  });
  ms::wait();
  EXPECT_EQ(sum, 30 + 160);
}

TEST_P(Phases, ForeignThreadsMayRunThem) {
  std::atomic<int> ran{0};
  std::thread([&] { ms::phase("foreign", 9, [&](std::int64_t) { stream_work(2, 3), ++ran; }); }).join();
  EXPECT_EQ(ran, 9);
}

// Streams hold the lock over off-loads, so a change of configuration suspends them with it; and the thread that started
// the runtime is elsewhere.
TEST_P(Phases, SuspendedStreamsThatHoldAMutexGoOnWhileTheStarterIsOutside) {
  ms::mutex lock;
  int sum = 0;
  std::thread([&] {
    for (int k = 0; k < 10; ++k)
      ms::phase("held over off-loads", 4, [&](std::int64_t) {
        for (int i = 0; i < 5; ++i) {
          std::lock_guard held(lock);
          stream_work(20, 10);
          ++sum;
        }
      });
  }).join();
  EXPECT_EQ(sum, 10 * 4 * 5);
}

// Each queue holds fewer tasks than the two groups together.
TEST_P(Phases, ATaskThatOutlivesItsPhaseRuns) {
  constexpr int tasks = 4096;
  std::atomic<int> ran{0};
  ms::group groups[3];
  ms::phase("tasks for later", 2, [&](std::int64_t) {
    for (ms::group& g : groups)
      for (int i = 0; i < tasks; ++i) g.task([&] { ++ran; });
  });
  for (ms::group& g : groups) g.wait();
  EXPECT_EQ(ran, 2 * 3 * tasks);
}

// Such a task may begin when its stream and the phase are gone.
TEST_P(Phases, ATaskThatOutlivesItsPhaseMayOffLoadAndCallLoops) {
  const double expected = stream_work(3, 2);
  std::atomic<int> ran{0};
  std::atomic<int> wrong{0};
  ms::group later;
  ms::phase("off-loads for later", 5, [&](std::int64_t) {
    for (int i = 0; i < 20; ++i)
      later.task([&] {
        wrong += stream_work(3, 2) != expected;
        ms::phase("a phase of its own", 2, [&](std::int64_t) { ++ran; });
        ms::task([&] { wrong += stream_work(3, 2) != expected; });
      });
  });
  later.wait();
  EXPECT_EQ(ran, 5 * 20 * 2);
  EXPECT_EQ(wrong, 0);
}

/// Overwrites what earlier calls have left on the caller's stack.
[[gnu::noinline]] void overwrite_stack() {
  volatile unsigned char bytes[64 << 10];
  for (volatile unsigned char& byte : bytes) byte = 0xff;
}

// The group is made by a stream and is not its own: tasks of it may begin, and be created, when the stream is gone.
TEST_P(Phases, AGroupThatAStreamLeavesBehindServesOn) {
  const double expected = stream_work(3, 2);
  constexpr int streams = 5;
  std::atomic<int> wrong{0};
  std::atomic<int> ran{0};
  std::optional<ms::group> in_place[streams];
  std::unique_ptr<ms::group> on_heap[streams];
  const auto work = [&] {
    wrong += stream_work(3, 2) != expected;
    ms::phase("a phase of its own", 2, [&](std::int64_t) { ++ran; });
    ms::task([&] { wrong += stream_work(3, 2) != expected; });
  };
  ms::phase("groups for later", streams, [&](std::int64_t stream) {
    const auto i = static_cast<std::size_t>(stream);
    ms::group& first = in_place[i].emplace();
    on_heap[i] = std::make_unique<ms::group>();
    for (int t = 0; t < 5; ++t) {
      first.task(work);
      on_heap[i]->task(work);
    }
  });
  overwrite_stack();
  for (int i = 0; i < streams; ++i)
    for (ms::group* one : {&*in_place[i], on_heap[i].get()}) {
      for (int t = 0; t < 5; ++t) one->task(work);
      one->wait();
    }
  EXPECT_EQ(ran, streams * 2 * 10 * 2);
  EXPECT_EQ(wrong, 0);
}

TEST_P(Phases, AreInTheReportOfTheProcess) {
  ms::phase("told \"so\"", 3, [](std::int64_t) {});
  const std::string report = ms::run_report_json();
  EXPECT_TRUE(report.starts_with("{\"maslin_report\":")) << report;
  EXPECT_NE(report.find(R"("name": "told \"so\"", "times": )"), report.npos) << report;
  EXPECT_NE(report.find(fmt::format("\"workers\": {},", ms::workers())), report.npos) << report;
}

MASLIN_ON_EVERY_EXECUTOR(Phases);

// The runtime reads the pins when it starts, so these start their own.
class PinnedPhases : public testing::TestWithParam<int> {};

TEST_P(PinnedPhases, RunAsPinnedAndStreamsTimesWidthNeverExceedsTheWorkers) {
  const int workers = GetParam();
  const double expected = [] {
    ms::Runtime serial({.workers = 0, .serial = true});
    return stream_work(30, 30);
  }();
  for (int p = 1; p <= workers; ++p)
    for (int w = 1; p * w <= workers; w += std::max(1, workers / 8)) {
      Pinned pin("pinned=" + std::to_string(p) + "x" + std::to_string(w));
      ms::Runtime runtime({.workers = workers, .serial = false});
      std::atomic<int> running{0};
      std::atomic<int> most{0};
      std::atomic<int> wrong_width{0};
      std::vector<double> got(static_cast<std::size_t>(2 * p + 1));
      ms::phase("pinned", static_cast<std::int64_t>(got.size()), [&](std::int64_t i) {
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        wrong_width += workers > 1 && ms::width() != w;
        got[static_cast<std::size_t>(i)] = stream_work(30, 30);
        --running;
      });
      EXPECT_LE(most, p);
      EXPECT_EQ(wrong_width, 0);
      for (const double g : got) ASSERT_EQ(g, expected) << p << "x" << w;
      if (workers > 1) {
        EXPECT_EQ(ms::report("pinned")->pinned_by, "MASLIN_PIN");
      }
    }
}

TEST_P(PinnedPhases, AreRefusedWhenTheyNeedMoreWorkersThanThereAre) {
  if (GetParam() == 1) return;  // one worker runs every phase in place
  Pinned pin("wide=" + std::to_string(GetParam() + 1) + "x1");
  ms::Runtime runtime({.workers = GetParam(), .serial = false});
  EXPECT_THROW(ms::phase("wide", 3, [](std::int64_t) {}), ms::error);
  std::atomic<int> ran{0};
  ms::phase("other", 3, [&](std::int64_t) { ++ran; });
  EXPECT_EQ(ran, 3);
}

INSTANTIATE_TEST_SUITE_P(, PinnedPhases, testing::Values(1, 2, 3, 8));

// Code that a kernel calls may be bound to its thread, as an interpreter's is. This policy tries every configuration.
TEST(PhasesInKernels, DoNotMoveThem) {
  const bool is_named = std::getenv("MASLIN_GRAIN") != nullptr;
  if (!is_named) setenv("MASLIN_GRAIN", "s-mgps", 1);
  std::atomic<int> moved{0};
  const ms::kernel nests{"nests", [&] {
                           const auto thread = gettid();
                           for (int i = 0; i < 10; ++i) dawdle();
                           ms::phase("within a kernel", 1, [](std::int64_t) {});
                           moved += gettid() != thread;
                         }};
  const ms::kernel dawdles{"dawdles", [] { dawdle(); }};
  for (const int workers : {2, 4}) {
    ms::Runtime runtime({.workers = workers, .serial = false});
    ms::phase("around a kernel", 16, [&](std::int64_t stream) {
      for (int i = 0; i < 60; ++i)
        if ((stream + i) % 8 == 0)
          ms::offload(nests);
        else
          ms::offload(dawdles);
    });
  }
  if (!is_named) unsetenv("MASLIN_GRAIN");
  EXPECT_EQ(moved, 0);
}
