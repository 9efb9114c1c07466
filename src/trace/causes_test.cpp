// What several workers did at one time, or at times that contradict each other, is read in an order in which it can
// have happened.

#include "trace/causes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <map>
#include <random>

#include "trace/recorder.hpp"

namespace maslin::trace {
namespace {

using enum event_kind;

class Order : public ::testing::Test {
 protected:
  ~Order() override { std::filesystem::remove(path_); }

  /// Gives what the reader makes of what `write` records.
  template <class Write>
  std::vector<event> events(Write&& write, described_time clock = nullptr) const {
    start(path_, 4, detail_level::all, clock);
    write();
    stop();
    std::vector<event> all;
    file(path_).each_event([&](const event& e) { all.push_back(e); });
    return all;
  }

  const std::string path_ =
      std::filesystem::temp_directory_path() / ("maslin_order_" + std::to_string(getpid()) + ".mtrace");
};

std::uint64_t it_stands_still() noexcept { return 1'000'000; }

std::vector<event_kind> kinds_of(const std::vector<event>& all) {
  std::vector<event_kind> kinds;
  for (const event& e : all) kinds.push_back(e.kind);
  return kinds;
}

TEST_F(Order, IsByTicksWhereNanosecondsAreTheSame) {
  // A tick of this clock is less than a nanosecond, or there is nothing to tell apart.
  for (int round = 0; round < 20; ++round) {
    const auto all = events([&] {
      const std::uint64_t at = now();
      record_at(at + 1, 0, steal, 0, 2);
      record_at(at, 1, steal, 0, 1);
      record_at(at + 2, 0, steal, 0, 3);
    });
    ASSERT_EQ(all.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all[i].argument, i + 1);
  }
}

TEST_F(Order, PutsCausesFirstWhereTimeStandsStill) {
  const auto all = events(
      [&] {
        // On higher workers what comes first, so that the order of workers is the wrong one.
        const std::uint64_t one_stream = pack(stream_at{0, 1});
        record(3, phase_begin, 7, 1);
        record(2, stream_begin, 7, one_stream);
        record(2, task_create, 9, 1);
        record(1, task_begin, 9, 1);
        record(1, task_create, 9, 2);
        record(0, task_begin, 9, 2);
        record(0, task_end, 9, 2);
        record(1, task_end, 9, 1);
        record(2, stream_suspend, 7, one_stream);
        record(1, stream_resume, 7, one_stream);
        record(1, loop_begin, 8, pack(loop_shape{2, 2}));
        record(0, chunk_begin, 8, pack(chunk_at{1, 0, 1}));
        record(0, chunk_end, 8, pack(chunk_at{1, 0, 1}));
        record(1, loop_end, 8, pack(loop_shape{2, 2}));
        record(1, stream_end, 7, one_stream);
        record(3, phase_end, 7, 1);
      },
      it_stands_still);
  EXPECT_EQ(kinds_of(all), (std::vector{phase_begin, stream_begin, task_create, stream_suspend, task_begin, task_create,
                                        task_end, task_begin, task_end, stream_resume, loop_begin, chunk_begin,
                                        chunk_end, loop_end, stream_end, phase_end}));
}

TEST_F(Order, HoldsAnEventBackUntilItsCauseThoughItsClockRunsAhead) {
  const auto all = events([&] {
    const std::uint64_t at = now();
    record_at(at, 0, task_begin, 9, 1);
    record_at(at + 1, 0, task_end, 9, 1);
    record_at(at + 60, 1, task_create, 9, 1);
    record_at(at + 90, 1, steal);
  });
  EXPECT_EQ(kinds_of(all), (std::vector{task_create, task_begin, task_end, steal}));
  EXPECT_EQ(all[1].ns, all[0].ns);
}

TEST_F(Order, EndsATaskBeforeItsNumberComesAgain) {
  const auto all = events([&] {
    const std::uint64_t at = now();
    record_at(at, 0, task_create, 9, 1);
    record_at(at + 10, 1, task_begin, 9, 1);
    record_at(at + 60, 1, task_end, 9, 1);
    record_at(at + 20, 0, task_create, 9, 1);
    record_at(at + 70, 1, task_begin, 9, 1);
    record_at(at + 80, 1, task_end, 9, 1);
  });
  EXPECT_EQ(kinds_of(all), (std::vector{task_create, task_begin, task_end, task_create, task_begin, task_end}));
}

TEST_F(Order, KeepsWhatHasNoCauseWhereItsTimeIs) {
  const auto all = events([&] {
    const std::uint64_t at = now();
    record_at(at, 0, stream_resume, 7, pack(stream_at{0, 1}));  // its suspension was dropped
    record_at(at + 1'000'000, 1, steal);
    record_at(at + 2'000'000, 0, stream_end, 7, pack(stream_at{0, 1}));
    record_at(at + 3'000'000, 1, stream_suspend, 7, pack(stream_at{0, 1}));
  });
  EXPECT_EQ(kinds_of(all), (std::vector{stream_resume, steal, stream_end, stream_suspend}));
}

/// Random ways to run tasks that create tasks, on a clock that moves now and then: each worker's events stay in its
/// order, no time runs backwards, and every task begins after its creation, and ends before its number comes again.
TEST_F(Order, IsCausalWhateverHappened) {
  static std::uint64_t time;
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random(seed);
    time = 5;
    std::vector<std::uint64_t> waiting;
    std::map<int, std::vector<std::uint64_t>> open;  // tasks, by worker
    std::map<int, std::vector<std::uint64_t>> told;  // by worker, what it recorded
    std::uint64_t numbers = 0;
    std::vector<std::uint64_t> free, ended;  // numbers that may come again, and those that may when time has moved
    const auto say = [&](int worker, event_kind kind, std::uint64_t task) {
      record(worker, kind, 1, task);
      told[worker].push_back(task << 8 | static_cast<std::uint64_t>(kind));
    };
    const auto all = events(
        [&] {
          for (int step = 0; step < 200; ++step) {
            const int worker = static_cast<int>(random() % 4);
            if (random() % 8 == 0) {
              ++time;
              free.insert(free.end(), ended.begin(), ended.end());
              ended.clear();
            }
            if (random() % 2 == 0) {
              if (free.empty()) free.push_back(++numbers);
              waiting.push_back(free.back());
              free.pop_back();
              say(worker, task_create, waiting.back());
            } else if (!waiting.empty() && random() % 2 == 0) {
              open[worker].push_back(waiting.back());
              say(worker, task_begin, waiting.back());
              waiting.pop_back();
            } else if (!open[worker].empty()) {
              say(worker, task_end, open[worker].back());
              ended.push_back(open[worker].back());
              open[worker].pop_back();
            }
          }
        },
        +[]() noexcept { return time; });
    std::map<int, std::vector<std::uint64_t>> read;
    std::map<std::uint64_t, event_kind> last;
    std::int64_t ns = std::numeric_limits<std::int64_t>::min();
    for (const event& e : all) {
      EXPECT_GE(e.ns, ns);
      ns = e.ns;
      read[e.worker].push_back(e.argument << 8 | static_cast<std::uint64_t>(e.kind));
      if (e.kind == task_begin) {
        EXPECT_EQ(last[e.argument], task_create) << "seed " << seed;
      }
      if (e.kind == task_create && last.contains(e.argument)) {
        EXPECT_EQ(last[e.argument], task_end) << "seed " << seed;
      }
      last[e.argument] = e.kind;
    }
    EXPECT_EQ(read, told) << "seed " << seed;
  }
}

}  // namespace
}  // namespace maslin::trace
