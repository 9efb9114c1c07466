// What a replay gets of a trace.

#include "recorded.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "rank_trace.hpp"
#include "trace/recorder.hpp"

namespace {

namespace trace = maslin::trace;
using enum trace::event_kind;
using act = recorded::act;

/// A trace of one worker.
class Recorded : public ::testing::Test {
 protected:
  Recorded()
      : path_(std::filesystem::temp_directory_path() / ("maslin_recorded_" + std::to_string(getpid()) + ".mtrace")) {
    trace::start(path_, 1);
    trace::record(0, worker_start);
  }
  ~Recorded() override { std::filesystem::remove(path_); }

  std::string written() {
    trace::record(0, worker_stop);
    trace::stop();
    return path_;
  }
  /// The recorder keeps worker 0 waiting for so long.
  static void wait_for_room(std::chrono::milliseconds time) {
    const std::uint64_t before = trace::now();
    std::this_thread::sleep_for(time);
    trace::record(0, held, 0, trace::now() - before);
  }

  const std::filesystem::path path_;
};

TEST_F(Recorded, LeavesOutWhatTheRecorderWaited) {
  const std::uint32_t line = trace::intern("program.cpp:1");
  trace::record(0, loop_begin, line, trace::loop_shape{1, 1});
  wait_for_room(std::chrono::milliseconds(50));
  trace::record(0, piece, 0, 1);
  trace::record(0, loop_end, line, trace::loop_shape{1, 1});
  wait_for_room(std::chrono::milliseconds(50));
  const recorded program = read_recorded(written());
  EXPECT_LT(program.work, 25e-3);
  EXPECT_LT(program.seconds, 25e-3);
}

TEST_F(Recorded, LeavesOutWhatTheRecorderWaitedOfRanks) {
  trace::record(0, rank_begin, 0, 1);
  wait_for_room(std::chrono::milliseconds(50));
  trace::record(0, rank_end, 0, 1);
  const auto ranks = read_ranks({written()}, false);
  ASSERT_TRUE(ranks);
  EXPECT_LT(ranks->longest_computation, 25e-3);
}

TEST_F(Recorded, LeavesOutWhatARankDoesWhileItWaitsForWhatItHasStarted) {
  trace::record(0, rank_begin, 0, 1);
  trace::record(0, meets, 0, trace::pack(trace::met_as{0, 0, 1}));
  trace::record(0, starts, 0, 7);
  trace::record(0, awaits, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  trace::record(0, awaits, 0);
  trace::record(0, completes, 0, 7);
  trace::record(0, rank_end, 0, 1);
  const auto ranks = read_ranks({written()}, false);
  ASSERT_TRUE(ranks);
  EXPECT_LT(ranks->longest_computation, 25e-3);
}

TEST_F(Recorded, KeepsWhatBodiesSayThatTheyMove) {
  const std::uint32_t line = trace::intern("program.cpp:1"), other = trace::intern("program.cpp:2");
  for (const std::uint32_t loop : {line, other}) {
    trace::record(0, loop_begin, loop, trace::loop_shape{4, 1});
    for (std::uint64_t block = 0; block < 4; ++block) {
      if (loop == line) trace::record(0, traffic, 0, 100 + block);
      if (block % 2 == 1) trace::record(0, piece, 0, block + 1);
    }
    trace::record(0, loop_end, loop, trace::loop_shape{4, 1});
  }
  trace::record(0, traffic, 0, 7);
  const recorded program = read_recorded(written());
  ASSERT_EQ(program.loops.size(), 2u);
  const auto& pieces = program.loops[0].pieces;
  ASSERT_EQ(pieces.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const recorded::step& first = program.bodies[pieces[i].runs].steps.at(0);
    EXPECT_EQ(first.does, act::move);
    EXPECT_EQ(first.what, 201 + 4 * i);  // what both of its blocks move
  }
  for (const recorded::piece& p : program.loops[1].pieces) EXPECT_FALSE(program.tells_traffic(p.runs));
  EXPECT_TRUE(program.tells_traffic(0));
}

}  // namespace
