#include "sched/grain/edtlp_llp.hpp"

#include <gtest/gtest.h>

namespace maslin::grain {
namespace {

TEST(EdtlpLlp, WidthOneRunsAsManyStreamsAsThereAreWorkers) {
  for (int workers = 1; workers <= 64; ++workers)
    EXPECT_EQ(edtlp_llp({workers, 1000}, 1).current(), (configuration{workers, 1}));
}

TEST(EdtlpLlp, StreamsAreWorkersByWidthAndWhatIsLeftOverStaysIdle) {
  EXPECT_EQ(edtlp_llp({8, 100}, 2).current(), (configuration{4, 2}));
  EXPECT_EQ(edtlp_llp({8, 100}, 4).current(), (configuration{2, 4}));
  EXPECT_EQ(edtlp_llp({8, 100}, 3).current(), (configuration{2, 3}));
  EXPECT_EQ(edtlp_llp({8, 100}, 5).current(), (configuration{1, 5}));
}

TEST(EdtlpLlp, NeverMoreThanTheWorkersOrTheStreamsThereAre) {
  for (int workers = 1; workers <= 64; ++workers)
    for (const std::int64_t streams : {0, 1, 2, 7, 1000})
      for (const int width : {-1, 1, 2, 3, 8, 63, 64, 65, 1 << 30}) {
        const configuration c = edtlp_llp({workers, streams}, width).current();
        EXPECT_GE(c.streams, 1);
        EXPECT_GE(c.width, 1);
        EXPECT_LE(c.streams * c.width, workers);
        EXPECT_LE(c.streams, std::max<std::int64_t>(streams, 1));
      }
}

TEST(EdtlpLlp, NothingThatIsMeasuredChangesIt) {
  edtlp_llp grain({8, 100}, 2);
  EXPECT_FALSE(grain.sampling());
  EXPECT_EQ(grain.epoch(), 0);
  grain.observe({.under = {4, 2}, .seconds = 1, .kernels = {}, .units = 4});
  grain.departed({.count = 1000, .on_workers = 1000});
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
  EXPECT_EQ(grain.chosen(), grain.current());
  EXPECT_TRUE(grain.samples().empty());
}

TEST(EdtlpLlp, FewerStreamsLeaveTheTeamsAsTheyAre) {
  edtlp_llp grain({8, 100}, 2);
  grain.streams_left(1);
  EXPECT_EQ(grain.current(), (configuration{4, 2}));
}

TEST(EdtlpLlp, OtherWorkersAreDividedByTheSameWidth) {
  edtlp_llp grain({8, 100}, 4);
  grain.resize(3);
  EXPECT_EQ(grain.current(), (configuration{1, 3}));
  grain.resize(64);
  EXPECT_EQ(grain.current(), (configuration{16, 4}));
  grain.streams_left(5);
  grain.resize(63);
  EXPECT_EQ(grain.current(), (configuration{5, 4}));
}

}  // namespace
}  // namespace maslin::grain
