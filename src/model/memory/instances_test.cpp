#include "model/memory/instances.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace maslin::memory {
namespace {

machine::machine_spec nodes_of(int nodes, int workers) {
  machine::machine_spec spec;
  spec.nodes = nodes;
  spec.workers.count = workers;
  return spec;
}

TEST(MemoryInstances, AreSharedByNeighboursOfOneNode) {
  const machine::machine_spec spec = nodes_of(2, 5);
  const instances pairs(
      {.level = "memory", .bytes = 1, .shared_by = 2, .latency_ns = {}, .bandwidth_gb_per_s = {}, .source = {}}, spec);
  std::vector<int> of, ends;
  for (int w = 0; w < 10; ++w) {
    of.push_back(pairs.of_worker(w));
    ends.push_back(pairs.end(w));
  }
  EXPECT_EQ(of, (std::vector<int>{0, 0, 1, 1, 2, 3, 3, 4, 4, 5}));
  EXPECT_EQ(ends, (std::vector<int>{2, 2, 4, 4, 5, 7, 7, 9, 9, 10}));
  EXPECT_EQ(pairs.count(), 6);
  EXPECT_EQ(pairs.of_first(1), 1);
  EXPECT_EQ(pairs.of_first(3), 2);
  EXPECT_EQ(pairs.of_first(6), 4);
  EXPECT_EQ(pairs.of_first(1000), 6);  // there are no more
}

TEST(MainMemory, IsTheOneThatADescriptionSaysTheBandwidthOf) {
  machine::machine_spec spec = nodes_of(1, 1);
  EXPECT_EQ(main_memory(spec), nullptr);
  spec.memory.resize(3);
  spec.memory[0].level = "L1";
  spec.memory[0].bandwidth_gb_per_s = 100;
  spec.memory[1].level = spec.memory[2].level = "memory";
  EXPECT_EQ(main_memory(spec), nullptr);
  spec.memory[2].bandwidth_gb_per_s = 10;
  EXPECT_EQ(main_memory(spec), &spec.memory[2]);
}

}  // namespace
}  // namespace maslin::memory
