#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "checkout.hpp"
#include "maslin/error.hpp"
#include "model/links/network.hpp"
#include "model/links/ranks.hpp"
#include "model/links/traffic.hpp"
#include "spec_file.hpp"

namespace maslin::links {
namespace {

/// Eight workers: two processors on each of two nodes. Two GB/s are 500 ps a byte.
network small() {
  const spec_file file(R"(name = "small"
nodes = 2
[workers]
kind = "accelerator"
count = 4
source = "a test"
[hosts]
contexts = 1
source = "a test"
[[hop]]
name = "bus"
shared_by = 2
startup_us = 0.1
bandwidth_gb_per_s = 10
total_gb_per_s = 20
source = "a test"
[[hop]]
name = "bridge"
shared_by = 4
bandwidth_gb_per_s = 5
source = "a test"
[[hop]]
name = "queue"
shared_by = 4
startup_us = 1
bandwidth_gb_per_s = 2
source = "a test"
[[hop]]
name = "wire"
shared_by = 4
startup_us = 3
bandwidth_gb_per_s = 1
total_gb_per_s = 1
source = "a test"
[[route]]
name = "processor"
within = 2
across = ["bus"]
source = "a test"
[[route]]
name = "node"
within = 4
across = ["bus", "bridge"]
source = "a test"
[[route]]
name = "all"
within = 8
out = ["queue"]
across = ["wire"]
in = ["queue"]
source = "a test"
)");
  return read_network(file.path());
}

using script = std::vector<action>;

/// Each rank does what its script says.
class scripted {
 public:
  explicit scripted(std::vector<script> all) : all_(std::move(all)), at_(all_.size()) {}
  action next(std::uint32_t rank) {
    if (at_[rank] == all_[rank].size()) return {};
    return all_[rank][at_[rank]++];
  }

 private:
  std::vector<script> all_;
  std::vector<std::size_t> at_;
};

std::int64_t time_of(const network& on, std::vector<script> all) {
  const auto count = static_cast<std::uint32_t>(all.size());
  scripted program(std::move(all));
  return ranks(on, count, program).run();
}

constexpr std::int64_t us = 1'000'000;

TEST(Links, TheRouteIsThatOfTheSmallestNeighbourhoodThatHasBoth) {
  const network n = small();
  EXPECT_EQ(n.workers, 8U);
  EXPECT_EQ(n.between(0, 1).name, "processor");
  EXPECT_EQ(n.between(1, 2).name, "node");
  EXPECT_EQ(n.between(2, 3).name, "processor");
  EXPECT_EQ(n.between(3, 4).name, "all");
  EXPECT_TRUE(n.between(0, 3).is_direct());
  EXPECT_FALSE(n.between(0, 7).is_direct());
}

TEST(Links, HopsWithATotalAreHeldForTheirBytesAloneAndOthersForTheStartUpToo) {
  const network n = small();
  traffic t(n);
  EXPECT_EQ(t.pass_out(0, 0, 1000, 0), us / 10 + 100'000);  // the bus: 100 ps a byte, held for 50
  EXPECT_EQ(t.pass_out(0, 1, 1000, 0), 50'000 + us / 10 + 100'000);
  EXPECT_EQ(t.pass_out(0, 2, 1000, 0), us / 10 + 100'000) << "another processor's";
  EXPECT_EQ(t.pass_out(2, 0, 1000, 0), us + 500'000);
  EXPECT_EQ(t.pass_out(2, 3, 1000, 0), 2 * (us + 500'000));
  EXPECT_EQ(t.pass_in(2, 3, 1000, 0), us + 500'000) << "the other direction";
}

TEST(Links, AMessageIsOnAllHopsAcrossAtOnce) {
  const network n = small();
  traffic t(n);
  EXPECT_EQ(t.cross(n.between(0, 2), 0, 2, 1000, 0), us / 10 + 200'000);  // the slower of bus and bridge
}

TEST(Links, AReceiverThatWaitsGetsTheDataAndThenTheFlag) {
  const network n = small();
  // The sender comes when the descriptor has come: data, flag.
  EXPECT_EQ(time_of(n, {{action::compute(us), action::send(1, 1000)}, {action::receive(0)}}),
            us + (us / 10 + 100'000) + (us / 10 + 400));
  // The receiver comes last: descriptor, data, flag.
  EXPECT_EQ(time_of(n, {{action::send(1, 1000)}, {action::compute(us), action::receive(0)}}),
            us + (us / 10 + 6'400) + (us / 10 + 100'000) + (us / 10 + 400));
}

TEST(Links, OverHostsEachHasTheWholeMessageAndTheLastStepWaitsForTheReceiver) {
  const network n = small();
  const script nothing;
  const std::int64_t to_host = (us + 500'000) + (3 * us + us), last = us + 500'000;
  EXPECT_EQ(time_of(n, {{action::send(4, 1000)}, nothing, nothing, nothing, {action::receive(0)}}), to_host + last);
  EXPECT_EQ(
      time_of(n, {{action::send(4, 1000)}, nothing, nothing, nothing, {action::compute(50 * us), action::receive(0)}}),
      50 * us + (us + 32'000) + last)
      << "the receiver's descriptor, and the last hop";
}

TEST(Links, WorkersBehindAHostQueueForIt) {
  const network n = small();
  const std::int64_t queue = us + 500'000, wire = 4 * us;
  const auto both = [&](std::uint32_t second) {
    std::vector<script> all(8);
    all[0] = {action::send(4, 1000)};
    all[4] = {action::receive(0)};
    all[second] = {action::send(second + 4, 1000)};
    all[second + 4] = {action::receive(second)};
    return time_of(n, all);
  };
  EXPECT_EQ(both(1), 2 * queue + wire + queue);
  EXPECT_EQ(both(3), both(1));
}

TEST(Links, RanksThatWaitForEachOtherAreAnErrorThatNamesOne) {
  const network n = small();
  try {
    time_of(n, {{action::receive(1)}, {action::receive(0)}});
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("rank 0 receives from rank 1, which does not answer"), std::string::npos);
  }
  EXPECT_THROW(time_of(n, std::vector<script>(9)), error);
}

TEST(Links, HostsAsRanksSendOverWhatIsLeft) {
  const network n = between_hosts(small());
  EXPECT_EQ(n.workers, 2U);
  ASSERT_EQ(n.routes.size(), 1U);
  EXPECT_EQ(n.between(0, 1).name, "all");
  EXPECT_EQ(time_of(n, {{action::send(1, 1000)}, {action::receive(0)}}), (us + 500'000) + 4 * us);
}

TEST(Links, WithoutLinksAMessageTakesNoTime) {
  const network n = without_links(2);
  EXPECT_EQ(time_of(n, {{action::compute(us), action::send(1, 1000)}, {action::receive(0)}}), us);
}

TEST(Links, AMachineWithoutRoutesIsAnErrorThatNamesTheFile) {
  try {
    read_network((checkout() / "specs" / "epyc-128.toml").string());
    FAIL();
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("epyc-128.toml: no [[route]]; expected"), std::string::npos);
  }
}

/// The parts that the paper gives, and their sum, are those of its text.
TEST(Links, ATribladesChainAddsUpToWhatIsPublished) {
  for (const char* name : {"triblade.toml", "roadrunner.toml"}) {
    const network n = read_network((checkout() / "specs" / name).string());
    std::vector<script> all(17);
    all[0] = {action::send(16, 0)};
    all[16] = {action::receive(0)};
    EXPECT_EQ(time_of(n, all), 11'770'000);  // ps
    std::int64_t software = 0;
    for (const hop& h : n.hops)
      software += h.name == "PCIe" ? 2 * h.startup_ps : h.name == "Opteron MPI" ? h.startup_ps : 0;
    EXPECT_EQ(software, 9'240'000);
  }
  const network all = read_network((checkout() / "specs" / "roadrunner.toml").string());
  EXPECT_EQ(all.workers, 97'920U);
  EXPECT_EQ(all.between(0, 7).name, "processor");
  EXPECT_EQ(all.between(0, 8).name, "blade");
  EXPECT_EQ(all.between(0, 16).name, "triblade");
  EXPECT_EQ(all.between(0, 32).name, "unit");
  EXPECT_EQ(all.between(0, 5759).name, "unit");
  EXPECT_EQ(all.between(0, 5760).name, "cluster");
}

/// Of a message of 0 bytes.
std::int64_t time_between(const network& n, std::uint32_t from, std::uint32_t to) {
  std::vector<script> all(std::max(from, to) + 1);
  all[from] = {action::send(to, 0)};
  all[to] = {action::receive(from)};
  return time_of(n, all);
}

TEST(Links, WithoutOpteronsTheChainIsThatOfATribladeWithoutTheirHops) {
  const network with = read_network((checkout() / "specs" / "triblade.toml").string());
  const network without = read_network((checkout() / "specs" / "qs21-cluster.toml").string());
  EXPECT_EQ(without.between(0, 7).name, "processor");
  EXPECT_EQ(without.between(0, 15).name, "blade");
  EXPECT_EQ(without.between(0, 16).name, "chassis");
  for (const std::uint32_t to : {1U, 8U}) EXPECT_EQ(time_between(without, 0, to), time_between(with, 0, to));
  // DaCS has no part in it, on either side.
  EXPECT_EQ(time_between(with, 0, 16) - time_between(without, 0, 16), 2 * 3'080'000);
}

TEST(Links, AMachineWhoseRoutesEndAtItsNodesHasTheLinkBetweenThem) {
  std::ifstream in(checkout() / "specs" / "ps3.toml");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  text.replace(text.find("\n[workers]"), 1, "\nnodes = 8\n");
  const spec_file file(text);
  const network n = read_network(file.path());
  EXPECT_EQ(n.workers, 48U);
  EXPECT_TRUE(n.between(0, 5).is_direct());
  EXPECT_EQ(n.between(5, 6).name, "machine");
  EXPECT_FALSE(n.between(5, 6).is_direct());
  // Puts of a descriptor, of no data and of a flag; and Ethernet alone.
  EXPECT_EQ(time_between(n, 0, 5), 3 * 31'250 + 2'500 + 156);
  std::vector<script> all(7);
  all[5] = {action::send(6, 1'000'000)};
  all[6] = {action::receive(5)};
  EXPECT_EQ(time_of(n, all), 8000 * us);
}

}  // namespace
}  // namespace maslin::links
