#include "execution.hpp"

#include <gtest/gtest.h>

#include "graph.hpp"

namespace cellss {
namespace {

using maslin::place::task_number;

result run(const application& app, policy how, std::uint64_t sl1_bytes, int workers = 1) {
  settings s;
  s.how = how;
  s.machine.cache_bytes = sl1_bytes;
  s.workers = workers;
  s.software_cache_bytes = 32 << 10;
  return execute(app, s);
}

TEST(Applications, HaveTheTasksOfTheirLoops) {
  const auto tasks = [](const char* name, bool small = false) {
    return application_of(name, {0, 0}, small).tasks().size();
  };
  EXPECT_EQ(tasks("matmul"), 32u * 32 * 32);
  // n (n-1) (n-2) / 6 gemms, n (n-1) / 2 syrks and trsms each, n potrfs
  for (const char* name : {"choleskyC", "choleskyR"}) EXPECT_EQ(tasks(name), 17296u + 2 * 1128 + 48);
  EXPECT_EQ(tasks("reduct", true), 1023u);
  EXPECT_EQ(tasks("fft3d"), 3u * 2048 + 2 * 256 * 10);
}

TEST(Applications, ShareNoPieceOfMemory) {
  for (const std::string& name : application_names()) {
    const application app = application_of(name, {0, 0}, true);
    std::uint64_t end = 0;
    for (const region& r : app.regions()) {
      if (r.temporary) continue;
      EXPECT_GE(r.address, end) << name;
      end = r.address + r.bytes;
    }
  }
}

/// A whole graph, all of whose tasks were created.
partial_graph all_of(const application& app) {
  partial_graph g(app);
  while (!g.all_created()) g.create();
  return g;
}

TEST(PartialGraph, OfTheTwoCholeskysHasTheSameDependences) {
  const application c = cholesky_c({12, 8}), r = cholesky_r({12, 8});
  EXPECT_EQ(all_of(c).edges(), all_of(r).edges());
}

TEST(PartialGraph, OfAReductionIsATree) {
  for (const bool in_place : {false, true}) {
    const application app = reduct({64, 8}, in_place);
    const partial_graph g = all_of(app);
    EXPECT_EQ(g.edges(), 62u);
    for (task_number t = 0; t < 62; ++t) EXPECT_EQ(g.successors(t), std::vector<task_number>{32 + t / 2});
    EXPECT_TRUE(g.successors(62).empty());
  }
}

TEST(PartialGraph, WhatOverwritesInPlaceWaitsForTheReadersBeforeIt) {
  application app("readers");
  const auto k = app.add_kernel("k");
  const auto r = app.add_region(128);
  app.add_task(k, {{r, mode::in}});
  app.add_task(k, {{r, mode::in}});
  app.add_task(k, {{r, mode::inout}});
  const partial_graph g = all_of(app);
  EXPECT_EQ(g.outstanding(2), 2u);
  EXPECT_EQ(g.outstanding(1), 0u);
}

/// `execute` throws where a task is scheduled twice, before its data, or never, or reads another version than its own.
TEST(Execution, RunsEveryApplicationUnderEveryPolicyOnAnyNumberOfWorkers) {
  for (const std::string& name : application_names()) {
    const application app = application_of(name, {0, 0}, true);
    for (const policy how : {policy::program_order, policy::chains, policy::bundles, policy::locality})
      for (const int workers : {1, 3}) {
        const result r = run(app, how, 64 << 10, workers);
        EXPECT_EQ(r.tasks, app.tasks().size()) << name;
      }
  }
}

TEST(Execution, BeginsWithAPartOfTheGraphAndGoesOnCreatingAsToldTo) {
  const application app = application_of("matmul", {0, 0}, true);
  settings s;
  s.machine.cache_bytes = 64 << 10;
  s.created_a_task = 1;
  EXPECT_EQ(execute(app, s).most_unrolled, app.tasks().size() / 10);
  s.created_a_task = 4;
  EXPECT_GT(execute(app, s).most_unrolled, app.tasks().size() / 2);
  s.unrolled = 1;
  EXPECT_EQ(execute(app, s).most_unrolled, app.tasks().size());
}

TEST(Execution, AnUnboundedSl1NeedsMemoryOncePerLine) {
  const std::uint64_t lines = 32 * 32 * 4 / 128, n = 16;
  for (const policy how : {policy::program_order, policy::chains, policy::bundles, policy::locality}) {
    // A, B and C are read and C is written.
    EXPECT_EQ(run(matmul({16, 32}), how, 64 << 20).memory_accesses, 4 * n * n * lines);
    // Each vector is read; every second one becomes a sum and is written.
    EXPECT_EQ(run(reduct({256, 1024}, true), how, 64 << 20).memory_accesses, (256 + 128) * 32u);
  }
}

/// Between two uses of a block of A a row of B's blocks passes, and between two of B the whole of it.
TEST(Execution, ProgramOrderOfMatmulFindsOnlyItsSumInASmallSl1) {
  const std::uint64_t lines = 32 * 32 * 4 / 128, n = 16;
  const result r = run(matmul({16, 32}), policy::program_order, 8 * 4096);
  EXPECT_EQ(r.memory_accesses, (2 * n * n * n + 2 * n * n) * lines);
  EXPECT_EQ(r.software_hits, n * n * (n - 1));
}

/// Depth first, a sum that is read at once and whose memory is used again never reaches memory.
TEST(Execution, BundlesOfAReductionNeedMemoryForItsVectorsOnly) {
  const application app = reduct({256, 1024}, false);
  settings s;
  s.unrolled = 1;
  s.software_cache_bytes = 32 << 10;
  s.machine.cache_bytes = 128 << 10;
  EXPECT_LT(execute(app, s).memory_accesses, 256 * 32 * 11 / 10);
  s.how = policy::program_order;
  EXPECT_GT(execute(app, s).memory_accesses, 2 * 256 * 32u);
}

TEST(Execution, HintsAndCoParentsChangeTheOrderEachForItself) {
  const application app = application_of("choleskyC", {0, 0}, true);
  settings s;
  s.machine.cache_bytes = 64 << 10;
  const auto with = [&](bool co_parents, bool hints) {
    s.bundles.co_parents = co_parents;
    s.bundles.hints = hints;
    return execute(app, s).memory_accesses;
  };
  const std::uint64_t both = with(true, true);
  EXPECT_NE(both, with(false, true));
  EXPECT_NE(both, with(true, false));
}

TEST(Execution, AStageOutIsSkippedOnlyWhereTheBundleOverwritesTheValue) {
  const application app = matmul({8, 32});
  settings s;
  s.how = policy::chains;
  s.bundles.bound = 8;
  s.software_cache_bytes = 0;  // nothing stays: whatever is skipped must be written after all
  s.machine.cache_bytes = 1 << 20;
  const std::uint64_t lines = 32, tasks = 512;
  EXPECT_EQ(execute(app, s).packets, 4 * tasks * lines);
  s.software_cache_bytes = 32 << 10;
  EXPECT_EQ(execute(app, s).packets, (2 * tasks + 2 * 64) * lines);  // the sum stays for its whole chain
  s.minimal_stage_out = false;
  EXPECT_EQ(execute(app, s).packets, (3 * tasks + 64) * lines);
}

}  // namespace
}  // namespace cellss
