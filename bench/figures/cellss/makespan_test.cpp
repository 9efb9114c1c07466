#include "makespan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace cellss {
namespace {

constexpr techniques none, every{true, true, true, true};
constexpr double block_bytes = 4096;  // of 32 x 32 floats

described_machine machine(const application& app, int workers, double kernel_ns) {
  described_machine m;
  m.workers = workers;
  m.schedule_ns = m.signal_ns = 0;
  m.kernel_ns.assign(app.kernels().size(), kernel_ns);
  return m;
}

TEST(Makespan, OfOneWorkerWithoutTechniquesIsTheSumOfItsTransfersAndKernels) {
  const application app = matmul({4, 32});
  const time_line told = run_in_time(app, machine(app, 1, 1000), none);
  EXPECT_EQ(told.tasks, 64u);
  EXPECT_EQ(told.bytes, 64 * 4 * 4096u);
  EXPECT_NEAR(told.ns, 64 * (1000 + 4 * block_bytes / 25.6), 1e-3);
}

TEST(Makespan, OfManyWorkersIsWhatTheBusTakesWhereKernelsTakeNothing) {
  const application app = matmul({8, 32});
  const time_line told = run_in_time(app, machine(app, 8, 0), none);
  EXPECT_NEAR(told.ns, 512 * 4 * block_bytes / 25.6, 0.02 * told.ns);
}

TEST(Makespan, WithDoubleBufferingIsWhatKernelsTakeAndTheEdgesOfBundles) {
  const application app = matmul({8, 32});
  constexpr double kernel = 10000;
  const auto with = [&](bool db) { return run_in_time(app, machine(app, 1, kernel), {true, true, true, db}).ns; };
  EXPECT_GT(with(false), with(true));
  // Of a bundle of 4 the first fetch and the last put are in the open: four blocks. Where creation ended, bundles are
  // shorter.
  EXPECT_GE(with(true), 512 * kernel);
  EXPECT_LE(with(true), 512 * kernel + 128 * 5 * block_bytes / 25.6);
}

TEST(Makespan, MinimalStageOutMovesTheSumOnceABundle) {
  const application app = matmul({8, 32});
  // Bundles of 4 lie in chains of 8: of four sums that are read and written three stay, but for where creation ended.
  const auto bytes = [&](techniques on) { return run_in_time(app, machine(app, 2, 1000), on).bytes; };
  EXPECT_EQ(bytes(none), 512 * 4 * 4096u);
  const std::uint64_t least = (512 * 2 + 128 * 2) * 4096u;
  EXPECT_GE(bytes({.minimal_stage_out = true}), least);
  EXPECT_LE(bytes({.minimal_stage_out = true}), least * 11 / 10);
}

TEST(Makespan, EarlyCallBacksAreForTasksWithSeveralSuccessors) {
  const application chains = matmul({8, 32}), tree = cholesky_c({8, 32});
  for (const application* app : {&chains, &tree}) {
    const auto with = [&](bool early) { return run_in_time(*app, machine(*app, 4, 1000), {.early_call_back = early}); };
    if (app == &chains) {
      EXPECT_EQ(with(true).call_backs, with(false).call_backs);
      EXPECT_EQ(with(true).ns, with(false).ns);
    } else {
      EXPECT_GT(with(true).call_backs, with(false).call_backs);
    }
  }
}

/// `run_in_time` throws where a task runs twice, before its data, or never.
TEST(Makespan, RunsEachTaskOnceOnAnyNumberOfWorkersWithAnyTechniques) {
  for (const application& app : {matmul({6, 32}), cholesky_c({10, 32})})
    for (const int workers : {1, 2, 5, 8})
      for (unsigned bits = 0; bits < 16; ++bits) {
        const techniques on{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
        const time_line told = run_in_time(app, machine(app, workers, 1000), on);
        EXPECT_EQ(told.tasks, app.tasks().size());
        EXPECT_GE(told.ns, static_cast<double>(app.tasks().size()) * 1000 / workers);
      }
}

TEST(Makespan, IsWhatTheHostTakesWhereThatIsSlow) {
  const application app = matmul({8, 32});
  described_machine m = machine(app, 8, 100);
  m.schedule_ns = 5000;
  const time_line told = run_in_time(app, m, every);
  EXPECT_EQ(told.host_ns, 512 * 5000.0);
  EXPECT_NEAR(told.ns, told.host_ns, 0.05 * told.ns);
}

TEST(Makespan, IsWhatTheMainThreadTakesToCreateTheTasksWhereThatIsSlow) {
  const application app = matmul({8, 32});
  described_machine m = machine(app, 8, 100);
  m.create_ns = 5000;
  for (const double unrolled : {0.1, 0.5}) {
    m.unrolled = unrolled;
    const time_line told = run_in_time(app, m, every);
    EXPECT_EQ(told.tasks, 512u);
    EXPECT_NEAR(told.ns, (1 - unrolled) * 512 * m.create_ns, 0.02 * told.ns);
  }
}

TEST(Makespan, WithASpreadHasKernelsOfOtherLengthsAndTheSameMean) {
  const application app = matmul({8, 32});
  described_machine m = machine(app, 4, 1000);
  m.spread = 0.5;
  const time_line told = run_in_time(app, m, every), again = run_in_time(app, m, every);
  EXPECT_EQ(told.ns, again.ns);
  EXPECT_NE(told.kernel_ns, 512 * 1000.0);
  EXPECT_NEAR(told.kernel_ns, 512 * 1000.0, 3 * 289 * std::sqrt(512.0));  // 289 ns: the standard deviation of one
}

}  // namespace
}  // namespace cellss
