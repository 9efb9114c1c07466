#include "model/layers/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

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

/// Gives the keys that a description's comment names as not said.
std::vector<std::string> named_as_unsaid(const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  std::string keys;
  const std::string before = "# Not said, and counted as nothing (a speed as 1): ";
  const auto begin = text.find(before);
  if (begin == std::string::npos) return {};
  keys = text.substr(begin + before.size(), text.find("\n\n", begin) - begin - before.size());
  for (auto at = keys.find("\n# "); at != std::string::npos; at = keys.find("\n# ")) keys.replace(at, 3, " ");
  std::vector<std::string> all;
  for (std::size_t at = 0; at <= keys.size();) {
    const auto end = std::min(keys.find(", ", at), keys.size());
    all.push_back(keys.substr(at, end - at));
    at = end + 2;
  }
  std::sort(all.begin(), all.end());
  return all;
}

TEST(LayeredMachine, ShippedDescriptionsSayWhatTheyDoNotSay) {
  int described = 0;
  for (const auto& entry : std::filesystem::directory_iterator(checkout() / "specs")) {
    if (entry.path().extension() != ".toml") continue;
    ++described;
    const std::string path = entry.path().string();
    const auto spec = maslin::machine::read_spec(path);
    std::vector<std::string> unsaid = read(path).unknown();
    if (!says_speed(path)) unsaid.emplace_back("workers.speed");
    if (!spec.hosts && !(spec.dispatch && spec.dispatch->task_us)) unsaid.emplace_back("dispatch.task_us");
    if (spec.transfer && !spec.transfer->latency_us) unsaid.emplace_back("transfer.latency_us");
    if (!read(path).cost.local_byte.is_known) unsaid.emplace_back("memory bandwidth");
    std::sort(unsaid.begin(), unsaid.end());
    EXPECT_EQ(named_as_unsaid(path), unsaid) << path;
  }
  EXPECT_GE(described, 7);
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
[[messages]]
call = "all_reduce"
placement = "nodes"
ranks = 4
on_a_node = 2
bytes = [8]
us = [5]
source = "a test"
[[messages]]
call = "send"
placement = "processes"
ranks = 2
bytes = [8]
us = [4]
source = "a test"
)");
  const machine m = read(file.path());
  ASSERT_EQ(m.measured_curves.saturation.size(), 2u);
  EXPECT_DOUBLE_EQ(m.measured_curves.saturation[1].is.value, 12.5e9);
  EXPECT_DOUBLE_EQ(m.measured_curves.saturation[0].is.error, 0.5e9);
  EXPECT_NEAR(m.cost.contention.value, 0.1, 1e-12);
  ASSERT_EQ(m.measured_curves.messages.size(), 4u);
  EXPECT_EQ(m.measured_curves.messages[2].where, placement::nodes);
  EXPECT_EQ(m.measured_curves.messages[2].on_a_node, 2);
  EXPECT_NEAR(send_time(m, {2, 2, placement::workers}, 508), 2e-6, 1e-15);
  EXPECT_NEAR(send_time(m, {2, 2, placement::processes}, 508), 4e-6, 1e-15);
  EXPECT_NEAR(all_reduce_time(m, {2, 2}, 8), 5e-6, 1e-15);
}

const std::string two_memories = two_cores.substr(0, two_cores.find("count")) + R"(count = 8
source = "a test"
[[memory]]
level = "L1"
bytes = 32768
shared_by = 1
bandwidth_gb_per_s = 500
source = "a test"
[[memory]]
level = "memory"
bytes = 1000000000
shared_by = 4
bandwidth_gb_per_s = 20
source = "a test"
)";

TEST(LayeredMachine, StreamsShareTheBandwidthThatIsDescribed) {
  const auto read_text = [](const std::string& text) { return maslin::machine::read_spec(spec_file(text).path()); };
  const auto spec = read_text(two_memories);
  // Each moves 8 GB/s: 2.5 of them saturate a memory of 20 GB/s, and the first four have one.
  const auto curve = described_saturation(spec, 8e9);
  const auto moved = [&](double workers) { return interpolate(curve, workers).value * 1e-9; };
  const std::pair<double, double> expected[] = {{1, 8},  {2, 16}, {2.5, 20}, {3, 20}, {4, 20},
                                                {5, 28}, {6, 36}, {6.5, 40}, {8, 40}};
  for (const auto& [workers, gb] : expected) EXPECT_NEAR(moved(workers), gb, 1e-9) << workers;
  EXPECT_NEAR(curve.back().is.error, 4e9, 1e-3);  // descriptions are known within a tenth
  // What does not fill memory is not held up, and more nodes have more of it.
  for (const double workers : {1., 3., 8.})
    EXPECT_NEAR(interpolate(described_saturation(spec, 1e9), workers).value, workers * 1e9, 1) << workers;
  auto two = spec;
  two.nodes = 2;
  EXPECT_NEAR(interpolate(described_saturation(two, 8e9), 16).value, 80e9, 1);
  // Memories are not shared between nodes: of eight workers on each, three, three and two share one.
  two.memory.back().shared_by = 3;
  const auto uneven = described_saturation(two, 8e9);
  const std::pair<double, double> of_uneven[] = {{3, 20}, {6, 40},  {7, 48},  {8, 56},
                                                 {9, 64}, {10, 72}, {11, 76}, {16, 112}};
  for (const auto& [workers, gb] : of_uneven)
    EXPECT_NEAR(interpolate(uneven, workers).value * 1e-9, gb, 1e-9) << workers;
  EXPECT_TRUE(described_saturation(read_text(two_cores), 8e9).empty());
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

message_curve curve_of(message_curve::call of, placement where, int ranks, int on_a_node, double seconds) {
  return {of, where, ranks, on_a_node, {{8, {seconds, 0}}}, "a test"};
}

TEST(Communication, GoesByTheCurveOfWhereItsRanksAre) {
  constexpr auto send = message_curve::call::send, all_reduce = message_curve::call::all_reduce;
  machine m;
  m.workers = 8;
  m.nodes = 4;
  auto& curves = m.measured_curves.messages;
  curves = {curve_of(send, placement::workers, 2, 1, 1), curve_of(all_reduce, placement::workers, 8, 1, 2)};
  const job within{8, 8, placement::workers}, processes{8, 8, placement::processes};
  EXPECT_EQ(send_time(m, within, 8), 1);
  EXPECT_EQ(send_time(m, processes, 8), 1);  // nothing else was measured
  EXPECT_EQ(all_reduce_time(m, processes, 8), 2);
  curves.push_back(curve_of(send, placement::processes, 2, 1, 10));
  curves.push_back(curve_of(send, placement::processes, 8, 1, 15));
  curves.push_back(curve_of(all_reduce, placement::processes, 8, 1, 20));
  EXPECT_EQ(send_time(m, within, 8), 1);
  EXPECT_EQ(send_time(m, processes, 8), 15);  // eight send at a time
  EXPECT_EQ(all_reduce_time(m, within, 8), 2);
  EXPECT_EQ(all_reduce_time(m, processes, 8), 20);
  EXPECT_EQ(all_reduce_time(m, {2, 2, placement::processes}, 8), 20. / 3);  // one step of three
}

TEST(Communication, BetweenNodesGoesByTheDistributionThatWasMeasured) {
  constexpr auto send = message_curve::call::send, all_reduce = message_curve::call::all_reduce;
  machine m;
  m.workers = 8;
  m.nodes = 4;
  auto& curves = m.measured_curves.messages;
  curves = {curve_of(all_reduce, placement::processes, 2, 1, 3), curve_of(send, placement::nodes, 2, 1, 50),
            curve_of(all_reduce, placement::nodes, 4, 1, 100)};
  EXPECT_EQ(all_reduce_time(m, {4, 1}, 8), 100);
  EXPECT_EQ(all_reduce_time(m, {8, 2}, 8), 103);  // within the nodes, and then between them
  EXPECT_EQ(send_time(m, {8, 2}, 8), 50);
  curves.push_back(curve_of(all_reduce, placement::nodes, 8, 2, 70));
  curves.push_back(curve_of(send, placement::nodes, 8, 2, 60));
  EXPECT_EQ(all_reduce_time(m, {8, 2}, 8), 70);  // as a whole
  EXPECT_EQ(all_reduce_time(m, {4, 1}, 8), 100);
  EXPECT_EQ(all_reduce_time(m, {16, 4}, 8), 6 + 100);
  EXPECT_EQ(send_time(m, {8, 2}, 8), 60);
  EXPECT_EQ(send_time(m, {4, 1}, 8), 50);
}

}  // namespace
}  // namespace maslin::layers
