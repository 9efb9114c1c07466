#include "trace/digest.hpp"

#include <gtest/gtest.h>

#include <string>

namespace maslin::trace::internal {
namespace {

constexpr std::uint64_t gap = 100;
constexpr std::uint32_t newview = 7;
constexpr std::uint32_t evaluate = 3;

/// Feeds events to a digest and gives what it lets through, decoded: "time kind id argument" a line.
class thinning {
 public:
  thinning() { out_.begin(0); }
  thinning& at(std::uint64_t ticks, event_kind kind, std::uint32_t id = 0, std::uint64_t argument = 0) {
    digest_.add({ticks, argument, id, kind}, out_);
    return *this;
  }
  std::vector<std::string> lines() {
    digest_.finish(out_);
    std::vector<std::string> found;
    const auto bytes = out_.payload();
    std::size_t at = 1;  // behind the drops
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0;; shift += 7) {
        const unsigned char b = bytes[at++];
        value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
        if (b < 0x80) return value;
      }
    };
    std::uint64_t ticks = 0;
    memory last;
    while (at < bytes.size()) {
      const unsigned char head = bytes[at++];
      const auto kind = static_cast<event_kind>(head & kind_mask);
      ticks += varint();
      auto& fields = last.of(kind);
      if (head & has_id) fields.id = static_cast<std::uint32_t>(varint());
      if (head & has_argument) fields.argument += unzigzag(varint());
      found.push_back(std::to_string(ticks) + " " + std::string(to_string(kind)) + " " + std::to_string(fields.id) +
                      " " + std::to_string(fields.argument));
    }
    return found;
  }

 private:
  digest digest_{gap};
  encoder out_;
};

using enum event_kind;
using lines = std::vector<std::string>;

TEST(Digest, SumsTheOffloadsOfAStreamByKernel) {
  EXPECT_EQ(thinning()
                .at(10, stream_begin, 1, 5)
                .at(20, offload_begin, newview)
                .at(25, loop_begin, 9)
                .at(26, chunk_begin, 9)
                .at(28, chunk_end, 9)
                .at(29, loop_end, 9)
                .at(30, offload_end, newview)
                .at(40, offload_begin, evaluate)
                .at(43, offload_end, evaluate)
                .at(50, offload_begin, newview)
                .at(51, offload_end, newview)
                .at(60, stream_end, 1, 5)
                .lines(),
            (lines{"10 stream_begin 1 5", "60 kernel_count 3 1", "60 kernel_total 3 3", "60 kernel_count 7 2",
                   "60 kernel_total 7 11", "60 stream_end 1 5"}));
}

TEST(Digest, SplitsAnOffloadThatASuspensionInterrupts) {
  EXPECT_EQ(thinning()
                .at(10, stream_begin, 1, 5)
                .at(20, offload_begin, newview)
                .at(30, stream_suspend, 1, 5)
                .at(40, stream_resume, 1, 6)  // another one goes on here, inside an off-load
                .at(44, offload_end, newview)
                .at(50, stream_end, 1, 6)
                .lines(),
            (lines{"10 stream_begin 1 5", "30 kernel_count 7 0", "30 kernel_total 7 10", "30 stream_suspend 1 5",
                   "40 stream_resume 1 6", "50 kernel_count 7 1", "50 kernel_total 7 4", "50 stream_end 1 6"}));
}

TEST(Digest, MergesWhatAWorkerTakesOfOtherStreamsLoops) {
  EXPECT_EQ(thinning()
                .at(10, chunk_begin, 9, pack(chunk_at{2, 0, 1}))
                .at(20, chunk_end, 9, pack(chunk_at{2, 0, 1}))
                .at(20 + gap, chunk_begin, 9, pack(chunk_at{2, 1, 1}))
                .at(200, chunk_end, 9, pack(chunk_at{2, 1, 1}))
                .at(201 + gap, chunk_begin, 9, pack(chunk_at{2, 2, 1}))  // too late to be the same help
                .at(400, chunk_end, 9, pack(chunk_at{2, 2, 1}))
                .at(410, chunk_begin, 9, pack(chunk_at{3, 0, 1}))  // another team
                .at(420, chunk_end, 9, pack(chunk_at{3, 0, 1}))
                .at(500, park)
                .at(600, unpark)
                .lines(),
            (lines{"10 help_begin 0 2", "200 help_end 0 2", "301 help_begin 0 2", "400 help_end 0 2",
                   "410 help_begin 0 3", "420 help_end 0 3", "500 park 0 0", "600 unpark 0 0"}));
}

TEST(Digest, TakesTasksOutsideStreamsAsHelpAndLeavesOutTheRest) {
  EXPECT_EQ(thinning()
                .at(5, wait_begin)
                .at(10, task_begin, 4, 1)
                .at(20, task_suspend, 4, 1)
                .at(25, task_resume, 4, 1)
                .at(30, task_end, 4, 1)
                .at(31, steal, 0, 1)
                .at(32, wait_end)
                .lines(),
            (lines{"10 help_begin 0 65535", "30 help_end 0 65535"}));
}

TEST(Digest, CountsAllThatATaskRuns) {
  EXPECT_EQ(thinning()
                .at(10, task_begin, 4, 1)
                .at(1000, chunk_begin, 9, pack(chunk_at{2, 0, 1}))  // of a loop that the task shares
                .at(1010, chunk_end, 9, pack(chunk_at{2, 0, 1}))
                .at(2000, phase_begin, 1, 3)
                .at(3000, task_end, 4, 1)
                .lines(),
            (lines{"10 help_begin 0 65535", "1000 help_end 0 65535", "1000 help_begin 0 2", "1010 help_end 0 2",
                   "1010 help_begin 0 65535", "2000 help_end 0 65535", "2000 phase_begin 1 3",
                   "2000 help_begin 0 65535", "3000 help_end 0 65535"}));
}

TEST(Digest, ATaskThatWaitsHelpsNobodyMeanwhile) {
  EXPECT_EQ(thinning()
                .at(10, task_begin, 4, 1)
                .at(1000, suspend, 0, 100)
                .at(1010, park)
                .at(2000, unpark)
                .at(2010, resume, 0, 100)
                .at(3000, task_end, 4, 1)
                .at(3500, park)
                .lines(),
            (lines{"10 help_begin 0 65535", "1000 help_end 0 65535", "1010 park 0 0", "2000 unpark 0 0",
                   "2010 help_begin 0 65535", "3000 help_end 0 65535", "3500 park 0 0"}));
}

TEST(Digest, AnEndThatWasDroppedCountsUntilTheWorkerParks) {
  EXPECT_EQ(thinning()
                .at(10, task_begin, 4, 1)
                .at(1000, park)
                .at(2000, unpark)
                .at(2010, task_begin, 4, 2)
                .at(2020, task_end, 4, 2)
                .at(9000, phase_end, 1, 3)
                .lines(),
            (lines{"10 help_begin 0 65535", "1000 help_end 0 65535", "1000 park 0 0", "2000 unpark 0 0",
                   "2010 help_begin 0 65535", "2020 help_end 0 65535", "9000 phase_end 1 3"}));
}

TEST(Digest, KeepsTheTotalsOfAnOuterStreamApartFromThoseOfAnInnerOne) {
  EXPECT_EQ(thinning()
                .at(10, stream_begin, 1, 0)
                .at(11, offload_begin, newview)
                .at(13, offload_end, newview)
                .at(20, stream_begin, 2, 0)
                .at(21, offload_begin, newview)
                .at(26, offload_end, newview)
                .at(30, stream_end, 2, 0)
                .at(40, stream_end, 1, 0)
                .lines(),
            (lines{"10 stream_begin 1 0", "20 stream_begin 2 0", "30 kernel_count 7 1", "30 kernel_total 7 5",
                   "30 stream_end 2 0", "40 kernel_count 7 1", "40 kernel_total 7 2", "40 stream_end 1 0"}));
}

TEST(Digest, PassesOnASuspensionOnlyIfAnotherStreamHasItsTurnMeanwhile) {
  EXPECT_EQ(thinning()
                .at(10, stream_begin, 1, 0)
                .at(11, offload_begin, newview)
                .at(12, suspend, 0, 100)
                .at(13, resume, 0, 100)
                .at(20, suspend, 0, 100)
                .at(21, stream_begin, 1, 1)
                .at(22, offload_begin, newview)
                .at(25, offload_end, newview)
                .at(30, suspend, 0, 200)
                .at(31, resume, 0, 100)
                .at(40, offload_end, newview)
                .at(41, stream_end, 1, 0)
                .at(42, resume, 0, 200)
                .at(50, stream_end, 1, 1)
                .lines(),
            (lines{"10 stream_begin 1 0", "20 suspend 0 100", "21 stream_begin 1 1", "30 suspend 0 200",
                   "31 resume 0 100", "41 kernel_count 7 1", "41 kernel_total 7 29", "41 stream_end 1 0",
                   "42 resume 0 200", "50 kernel_count 7 1", "50 kernel_total 7 3", "50 stream_end 1 1"}));
}

TEST(Digest, CountsNoTimeWhereTheClockRunsBackwards) {
  EXPECT_EQ(thinning()
                .at(10, stream_begin, 1, 5)
                .at(20, offload_begin, newview)
                .at(18, offload_end, newview)
                .at(60, stream_end, 1, 5)
                .lines(),
            (lines{"10 stream_begin 1 5", "60 kernel_count 7 1", "60 kernel_total 7 0", "60 stream_end 1 5"}));
}

}  // namespace
}  // namespace maslin::trace::internal
