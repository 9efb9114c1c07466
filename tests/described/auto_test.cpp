// `auto` on phases whose streams do more than off-load: against the best of what a pin can say, in its first run and in
// those that follow and know of it. Times are virtual, the same in every run.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "maslin/maslin.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

using body = std::function<void(std::int64_t)>;

const ms::kernel shared{"shared", [] {
                          ms::parallel_for(
                              0, 64, [](ms::range r) { ms::cost(3us * r.size()); }, ms::block{1});
                        }};
const ms::kernel alone{"alone", [] { ms::cost(200us); }};

/// 20 ms on one worker.
void sweep() {
  ms::parallel_for(
      0, 400, [](ms::range r) { ms::cost(50us * r.size()); }, ms::block{1});
}
const ms::kernel long_kernel{"long", sweep};

void share(int times) {
  for (int k = 0; k < times; ++k) ms::offload(shared);
}

/// Gives how long the phase takes; what is learned goes to that file, and is read from it.
double seconds_of(int workers, int streams, const body& stream, const std::string& pin, const std::string& learned) {
  const variable how("MASLIN_DURATIONS", "declared"), pinned("MASLIN_PIN", pin), file("MASLIN_LEARNED", learned);
  double seconds = 0;
  run_on(cores(workers), [&] {
    ms::phase("tried", streams, stream);
    seconds = ms::report("tried")->seconds;
  });
  return seconds;
}

/// Gives what the best configuration takes of all those whose widths are powers of two and use the workers up.
double best_fixed(int workers, int streams, const body& stream) {
  double best = 1e300;
  for (int width = 1; width <= workers; width *= 2)
    best = std::min(best, seconds_of(workers, streams, stream,
                                     fmt::format("tried={}x{}", std::min(streams, workers / width), width), "off"));
  return best;
}

/// Gives how long each of some runs takes, each of which knows what those before it learned.
std::vector<double> runs_in_turn(int runs, int workers, int streams, const body& stream) {
  const std::string learned = testing::TempDir() + fmt::format("learned.{}", getpid());
  std::filesystem::remove(learned);
  std::vector<double> seconds;
  for (int k = 0; k < runs; ++k) seconds.push_back(seconds_of(workers, streams, stream, "", learned));
  std::filesystem::remove(learned);
  return seconds;
}

void expect_near_the_best(int workers, int streams, const body& stream, double first_run = 1.05) {
  const double best = best_fixed(workers, streams, stream);
  const std::vector<double> seconds = runs_in_turn(6, workers, streams, stream);
  EXPECT_LT(seconds.front(), first_run * best);
  for (std::size_t k = 1; k < seconds.size(); ++k) EXPECT_LT(seconds[k], 1.05 * best) << "run " << k;
}

TEST(Auto, CountsTheSerialHalfOfStreams) {
  const body half = [](std::int64_t) {
    for (int k = 0; k < 4; ++k) ms::cost(5ms);
    share(100);
  };
  expect_near_the_best(8, 24, half);
  expect_near_the_best(16, 64, half);
}

TEST(Auto, CountsWhatStreamsDoBetweenOffLoads) {
  expect_near_the_best(8, 24, [](std::int64_t) {
    for (int k = 0; k < 100; ++k) {
      ms::cost(100us);
      ms::offload(shared);
    }
  });
}

// The memory that all use: from seven streams on, each further one slows the others' own code.
TEST(Auto, CountsOwnCodeThatOthersSlow) {
  expect_near_the_best(
      16, 64,
      [](std::int64_t) {
        for (int k = 0; k < 150; ++k) {
          const double streams = ms::report("tried")->current.streams;
          const double slower = streams <= 6 ? 1 : streams / 6 * (0.64 + 0.9 * streams / 16);
          ms::cost(std::chrono::duration<double>(100e-6 * slower));
          ms::offload(shared);
        }
      },
      1.1);
}

// The first run cannot know what comes. It looks elsewhere for 3 ms, and all who run there do something for 20 ms.
TEST(Auto, CountsWhatStreamsDoAtTheirEnd) {
  const body last = [](std::int64_t) {
    share(100);
    ms::cost(20ms);
  };
  expect_near_the_best(8, 24, last, 1.4);
}

/// Gives what the phase takes on one worker.
double work_of(int streams, const body& stream) { return seconds_of(1, streams, stream, "", "off"); }

// The last streams to begin are the longest. What the others leave free helps with the loops that they are in, so the
// phase takes hardly more than its work over all workers. A configuration that is fixed leaves most of them idle.
TEST(Auto, SharesTheLoopsThatTheLastStreamsAreIn) {
  for (const bool off_loads : {false, true}) {
    const body stream = [&](std::int64_t i) {
      ms::offload(alone);
      if (i < 30) return;
      if (off_loads)
        ms::offload(long_kernel);
      else
        sweep();
    };
    EXPECT_LT(seconds_of(8, 32, stream, "", "off"), 1.25 * work_of(32, stream) / 8);
    EXPECT_GT(seconds_of(8, 32, stream, "tried=8x1", "off"), 2 * work_of(32, stream) / 8);
  }
}

TEST(Auto, TellsAPhaseWhoseStreamsChange) {
  expect_near_the_best(16, 64, [](std::int64_t i) {
    for (int k = 0; k < 100; ++k)
      if (i < 32)
        ms::offload(alone);
      else
        ms::offload(shared);
  });
}

// Long streams end last, few at a time. How these do is not how the phase does.
TEST(Auto, LearnsNothingFromTheTail) {
  const body unequal = [](std::int64_t i) {
    const double place = static_cast<double>(i * 2654435761 / 256 % 1000) / 1000;
    share(static_cast<int>(20 * std::exp(4 * place - 2)));
  };
  for (const int workers : {64, 128}) {
    const std::vector<double> seconds = runs_in_turn(4, workers, 300, unequal);
    for (const double again : seconds) EXPECT_LT(again, 1.02 * seconds.front()) << workers << " workers";
  }
}

// An earlier run that says the opposite of what is so now costs a run no more than looking for itself.
TEST(Auto, DropsWhatItLearnedWhereItIsNotSo) {
  const body one_at_a_time = [](std::int64_t) { share(200); };
  const body many_at_a_time = [](std::int64_t) {
    for (int k = 0; k < 200; ++k) ms::offload(alone);
  };
  for (const auto& [before, now] : {std::pair{one_at_a_time, many_at_a_time}, {many_at_a_time, one_at_a_time}}) {
    const std::string learned = testing::TempDir() + fmt::format("learned.{}", getpid());
    std::filesystem::remove(learned);
    for (int k = 0; k < 3; ++k) seconds_of(16, 64, before, "", learned);
    const double misled = seconds_of(16, 64, now, "", learned);
    std::filesystem::remove(learned);
    EXPECT_LT(misled, 1.05 * seconds_of(16, 64, now, "", "off"));
  }
}

}  // namespace
