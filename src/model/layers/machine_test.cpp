#include "model/layers/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "checkout.hpp"
#include "model/layers/communication.hpp"
#include "spec_file.hpp"

namespace maslin::layers {
namespace {

machine read(const std::string& path) { return machine_of(maslin::machine::read_spec(path), read_curves(path)); }

const std::string two_cores = R"(name = "two"
[workers]
kind = "cpu"
count = 2
source = "a test"
[dispatch]
handover_us = 2
source = "a test"
)";

TEST(LayeredMachine, TakesCostsFromTheDescriptionAndKnowsThemWithinATenth) {
  const spec_file file(two_cores);
  const machine m = read(file.path());
  EXPECT_EQ(m.workers, 2);
  EXPECT_FALSE(m.has_hosts());
  EXPECT_DOUBLE_EQ(m.cost.signal.value, 2e-6);
  EXPECT_NEAR(m.cost.signal.error, 0.2e-6, 1e-15);
  EXPECT_FALSE(m.cost.wake.is_known);
  const auto unknown = m.unknown();
  EXPECT_NE(std::find(unknown.begin(), unknown.end(), "dispatch.wake_us"), unknown.end());
  EXPECT_EQ(std::find(unknown.begin(), unknown.end(), "hosts.switch_us"), unknown.end());
}

TEST(LayeredMachine, ShippedDescriptionsSayWhatTheyDoNotSay) {
  const machine m = read((checkout() / "specs" / "ps3.toml").string());
  EXPECT_EQ(m.contexts, 2);
  const auto unknown = m.unknown();
  for (const char* name : {"hosts.contention", "hosts.switch_us"})
    EXPECT_NE(std::find(unknown.begin(), unknown.end(), name), unknown.end()) << name;
}

TEST(LayeredMachine, ReadsCurvesWithTheirErrors) {
  const spec_file file(two_cores + R"(
[saturation]
workers = [1, 2]
gb_per_s = [10, 12.5]
error_gb_per_s = [0.5, 1]
source = "a test"
[sharing]
threads = [1, 2, 3]
slow_down = [1, 1.1, 1.2]
source = "a test"
[[messages]]
call = "send"
placement = "workers"
ranks = 2
bytes = [8, 1008]
us = [1, 3]
error_us = [0.1, 0.2]
source = "a test"
[[messages]]
call = "all_reduce"
placement = "workers"
ranks = 2
bytes = [8]
us = [5]
source = "a test"
)");
  const machine m = read(file.path());
  ASSERT_EQ(m.measured_curves.saturation.size(), 2u);
  EXPECT_DOUBLE_EQ(m.measured_curves.saturation[1].is.value, 12.5e9);
  EXPECT_DOUBLE_EQ(m.measured_curves.saturation[0].is.error, 0.5e9);
  EXPECT_NEAR(m.cost.contention.value, 0.1, 1e-12);
  ASSERT_EQ(m.measured_curves.messages.size(), 2u);
  EXPECT_NEAR(send_time(m, {2, 2}, 508), 2e-6, 1e-15);
  EXPECT_NEAR(all_reduce_time(m, {2, 2}, 8), 5e-6, 1e-15);
}

TEST(Communication, GoesByLinksWhereNothingWasMeasured) {
  machine m;
  m.workers = 8;
  m.nodes = 4;
  m.cost.signal = {1e-6, 0, true};
  m.cost.between_nodes = {10e-6, 0, true};
  m.cost.node_byte = {1e-9, 0, true};
  EXPECT_EQ(send_time(m, {1, 1}, 1000), 0);
  EXPECT_NEAR(send_time(m, {8, 8}, 0), 1e-6, 1e-15);                    // within the node
  EXPECT_NEAR(send_time(m, {8, 2}, 1000), 12e-6, 1e-15);                // 1 + 10 + 1
  EXPECT_NEAR(all_reduce_time(m, {8, 8}, 0), 6e-6, 1e-15);              // three steps there and back
  EXPECT_NEAR(all_reduce_time(m, {8, 2}, 0), 2e-6 + 4 * 11e-6, 1e-15);  // one of 1 us; two between four nodes
}

}  // namespace
}  // namespace maslin::layers
