#include "timeline.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using maslin::trace::event;
using enum maslin::trace::event_kind;
using maslin::trace::pack;
using maslin::trace::stream_at;
using lines = std::vector<std::string>;

/// Says what it is told: "worker +sort id" for a begin, "worker -sort id begin-end" for an end.
class scribe : public timeline::observer {
 public:
  void begin(int worker, const timeline::slice& s) override {
    heard.push_back(std::to_string(worker) + " +" + word(s) + (s.resumed ? " resumed" : ""));
  }
  void end(int worker, const timeline::slice& s, std::int64_t ns) override {
    heard.push_back(std::to_string(worker) + " -" + word(s) + " " + std::to_string(s.begin_ns) + "-" +
                    std::to_string(ns) + (s.goes_on ? " goes on" : ""));
  }
  void busy(int worker, bool now, std::int64_t ns) override {
    work.push_back(std::to_string(worker) + (now ? " works at " : " rests at ") + std::to_string(ns));
  }
  void mark(const event&) override { ++marks; }

  lines heard;
  lines work;
  int marks = 0;

 private:
  static std::string word(const timeline::slice& s) {
    static const char* const names[]{"stream", "task", "loop", "chunk", "offload", "wait", "parked", "help"};
    return std::string(names[static_cast<int>(s.sort)]) + " " + std::to_string(s.id);
  }
};

struct Timeline : ::testing::Test {
  scribe said;
  timeline lines_of{2, said};
  void at(std::int64_t ns, int worker, maslin::trace::event_kind kind, std::uint32_t id, std::uint64_t argument = 0) {
    lines_of.add({ns, worker, kind, id, argument});
  }
};

TEST_F(Timeline, NestsWhatIsBegunInside) {
  at(1, 0, stream_begin, 7, pack(stream_at{3, 0}));
  at(2, 0, offload_begin, 8);
  at(3, 0, offload_end, 8);
  at(4, 0, stream_end, 7, pack(stream_at{3, 0}));
  EXPECT_EQ(said.heard, (lines{"0 +stream 7", "0 +offload 8", "0 -offload 8 2-3", "0 -stream 7 1-4"}));
  EXPECT_EQ(said.work, (lines{"0 works at 1", "0 rests at 4"}));
  EXPECT_EQ(lines_of.unmatched(), 0u);
}

TEST_F(Timeline, CarriesWhatASuspendedStreamHasOpenToTheWorkerThatResumesIt) {
  at(1, 0, stream_begin, 7, pack(stream_at{3, 0}));
  at(2, 0, offload_begin, 8);
  at(3, 0, stream_suspend, 7, pack(stream_at{3, 0}));
  at(4, 0, stream_begin, 7, pack(stream_at{4, 0}));
  at(5, 1, stream_resume, 7, pack(stream_at{3, 1}));  // on another team: it is known by its index
  at(6, 1, offload_end, 8);
  at(7, 1, stream_end, 7, pack(stream_at{3, 1}));
  at(8, 0, stream_end, 7, pack(stream_at{4, 0}));
  EXPECT_EQ(said.heard, (lines{"0 +stream 7", "0 +offload 8", "0 -offload 8 2-3 goes on", "0 -stream 7 1-3 goes on",
                               "0 +stream 7", "1 +stream 7 resumed", "1 +offload 8 resumed", "1 -offload 8 5-6",
                               "1 -stream 7 5-7", "0 -stream 7 4-8"}));
}

TEST_F(Timeline, LetsTheProgramWaitUnderOtherWork) {
  at(1, 0, wait_begin, 0);
  at(2, 0, task_begin, 5, 1);
  at(3, 0, task_suspend, 5, 1);
  at(4, 0, task_begin, 5, 2);
  at(5, 0, task_end, 5, 2);
  at(6, 0, wait_end, 0);
  at(7, 0, task_resume, 5, 1);
  at(8, 0, task_end, 5, 1);
  EXPECT_EQ(said.heard.back(), "0 -task 5 7-8");
  EXPECT_EQ(said.work,
            (lines{"0 works at 2", "0 rests at 3", "0 works at 4", "0 rests at 5", "0 works at 7", "0 rests at 8"}));
  EXPECT_EQ(lines_of.unmatched(), 0u);
}

TEST_F(Timeline, IgnoresAnEndWhoseBeginIsMissing) {
  at(1, 0, task_begin, 5, 1);
  at(2, 0, offload_end, 8);
  at(3, 0, stream_suspend, 7, pack(stream_at{1, 0}));
  at(4, 0, task_end, 5, 1);
  EXPECT_EQ(said.heard, (lines{"0 +task 5", "0 -task 5 1-4"}));
  EXPECT_EQ(lines_of.unmatched(), 2u);
}

TEST_F(Timeline, DoesNotEndInsideAContextWhatWasBegunOutside) {
  at(1, 0, loop_begin, 9);
  at(2, 0, task_begin, 5, 1);
  at(3, 0, loop_end, 9);
  at(4, 0, task_end, 5, 1);
  at(5, 0, loop_end, 9);
  EXPECT_EQ(said.heard, (lines{"0 +loop 9", "0 +task 5", "0 -task 5 2-4", "0 -loop 9 1-5"}));
  EXPECT_EQ(lines_of.unmatched(), 1u);
}

TEST_F(Timeline, EndsWhatIsLeftInsideWhenTheOuterSliceEnds) {
  at(1, 0, task_begin, 5, 1);
  at(2, 0, loop_begin, 9);
  at(3, 0, chunk_begin, 9);
  at(4, 0, task_end, 5, 1);
  EXPECT_EQ(said.heard,
            (lines{"0 +task 5", "0 +loop 9", "0 +chunk 9", "0 -chunk 9 3-4", "0 -loop 9 2-4", "0 -task 5 1-4"}));
}

TEST_F(Timeline, ResumesAContextWhoseSuspensionIsMissing) {
  at(1, 1, stream_resume, 7, pack(stream_at{3, 1}));
  at(2, 1, stream_end, 7, pack(stream_at{3, 1}));
  EXPECT_EQ(said.heard, (lines{"1 +stream 7 resumed", "1 -stream 7 1-2"}));
}

TEST_F(Timeline, MakesRoomForOthersWhileSomethingWaits) {
  at(1, 0, stream_begin, 7, pack(stream_at{3, 0}));
  at(2, 0, loop_begin, 9);
  at(3, 0, suspend, 0, 100);
  at(4, 0, stream_begin, 7, pack(stream_at{4, 0}));
  at(5, 0, suspend, 0, 200);
  at(6, 0, resume, 0, 100);
  at(7, 0, loop_end, 9);
  at(8, 0, stream_end, 7, pack(stream_at{3, 0}));
  at(9, 0, resume, 0, 200);
  at(10, 0, stream_end, 7, pack(stream_at{4, 0}));
  EXPECT_EQ(said.heard, (lines{"0 +stream 7", "0 +loop 9", "0 -loop 9 2-3 goes on", "0 -stream 7 1-3 goes on",
                               "0 +stream 7", "0 -stream 7 4-5 goes on", "0 +stream 7 resumed", "0 +loop 9 resumed",
                               "0 -loop 9 6-7", "0 -stream 7 6-8", "0 +stream 7 resumed", "0 -stream 7 9-10"}));
  EXPECT_EQ(said.work, (lines{"0 works at 1", "0 rests at 3", "0 works at 4", "0 rests at 5", "0 works at 6",
                              "0 rests at 8", "0 works at 9", "0 rests at 10"}));
  EXPECT_EQ(lines_of.unmatched(), 0u);
}

TEST_F(Timeline, EndsEverythingWithTheTrace) {
  at(1, 0, park, 0);
  at(2, -1, wait_begin, 0);
  at(3, 1, phase_begin, 4, 8);
  lines_of.finish(10);
  EXPECT_EQ(said.heard, (lines{"0 +parked 0", "-1 +wait 0", "0 -parked 0 1-10", "-1 -wait 0 2-10"}));
  EXPECT_EQ(said.marks, 1);
}

}  // namespace
