// Who gives the workers their parts of a kernel's loops, a worker or the host. Times are exact.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

#include "maslin/maslin.hpp"
#include "maslin/run_report.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

/// To be filled in: hardware threads of the host, and its speed, if one is said.
constexpr const char* machine_text = R"(
name = "accelerators behind a host"
[workers]
kind = "accelerator"
count = 4
source = "this test"
[hosts]
contexts = {}
switch_us = 1
quantum_us = 100
{}
source = "this test"
[transfer]
signal_us = 2
bandwidth_gb_per_s = 10
source = "this test"
)";
const std::string two_hosts = fmt::format(machine_text, 2, "");

/// What each kernel runs by itself.
std::chrono::microseconds by_itself = 0us;
bool has_loop = true;

const ms::kernel of_a_loop{"of a loop", [] {
                             ms::cost(by_itself);
                             if (has_loop)
                               ms::parallel_for(
                                   0, ms::width(), [](ms::range r) { ms::cost(static_cast<double>(r.size()) * 10us); },
                                   ms::block{1});
                             else
                               ms::cost(10us);
                           }};

/// Gives what stands behind that in the text, up to a quote.
std::string word_behind(const std::string& key, const std::string& text) {
  const std::size_t at = text.find(key);
  return at == text.npos ? "not there"
                         : text.substr(at + key.size(), text.find('"', at + key.size()) - at - key.size());
}

struct outcome {
  std::chrono::nanoseconds took{};    ///< of all off-loads
  std::chrono::nanoseconds latest{};  ///< of the last one
  std::string master;                 ///< that was chosen
};

/// Runs streams that off-load so many kernels each, on teams of two, 5 us of the host before each.
outcome run(const std::string& machine, const std::string& master, int off_loads, int streams = 1,
            const char* policy = "edtlp", const char* more = "") {
  const std::string pins = fmt::format("streams={}x2{}", streams, more);
  const variable pin("MASLIN_PIN", pins), how("MASLIN_DURATIONS", "declared"), host("MASLIN_HOST", policy),
      loops("MASLIN_LOOP", "static"), who("MASLIN_MASTER", master);
  outcome out;
  run_on(machine, [&] {
    double first = 1e9, last = 0;
    ms::phase("streams", streams, [&](std::int64_t) {
      first = std::min(first, ms::time().count());
      for (int k = 0; k < off_loads; ++k) {
        const auto before = ms::time();
        ms::cost(5us);
        ms::offload(of_a_loop);
        out.latest = std::chrono::nanoseconds(std::llround(1e9 * (ms::time() - before).count()));
      }
      last = std::max(last, ms::time().count());
    });
    out.took = std::chrono::nanoseconds(std::llround(1e9 * (last - first)));
    out.master = word_behind("\"loop_master\": \"", ms::run_report_json());
  });
  return out;
}

class LoopMaster : public testing::Test {
 protected:
  void SetUp() override {
    by_itself = 0us;
    has_loop = true;
  }
};

// A worker: 5 us, 2 us to it, 2 us from it to the other, 10 us, 2 us back to it, 2 us to the host.
// The host: 5 us, 2 us and 2 us to the workers, 10 us of the second, 2 us back.
constexpr auto with_worker = 23us, with_host = 21us;

TEST_F(LoopMaster, TakesWhatItsSignalsTake) {
  EXPECT_EQ(run(two_hosts, "worker", 20).latest, with_worker);
  EXPECT_EQ(run(two_hosts, "host", 20).latest, with_host);
  // The first one is sent to a worker: nobody knows that it shares a loop.
  EXPECT_EQ(run(two_hosts, "host", 20).took, with_worker + 19 * with_host);
}

TEST_F(LoopMaster, SharesLoopsWithTheStreamsTeamUnderEveryPolicy) {
  // Eight blocks, of which the last four are ten times as long.
  static const ms::kernel uneven{"uneven", [] {
                                   ms::parallel_for(
                                       0, 8, [](ms::range r) { ms::cost(r.first < 4 ? 1us : 10us); }, ms::block{1});
                                 }};
  // Two of four workers begin at 2 and 4 us. The second one alone is done with its blocks at 44 us. Where the first
  // takes two of them, that one is the last, at 26 us. The host knows of it 2 us later.
  const variable pin("MASLIN_PIN", "streams=1x2"), how("MASLIN_DURATIONS", "declared"), who("MASLIN_MASTER", "host");
  for (const auto& [policy, takes] : {std::pair("static", 46us), {"afs", 28us}, {"dbs", 28us}}) {
    const variable loops("MASLIN_LOOP", policy);
    std::chrono::nanoseconds latest{};
    run_on(two_hosts, [&, in = &latest] {
      ms::phase("streams", 1, [&](std::int64_t) {
        for (int k = 0; k < 3; ++k) {
          const auto before = ms::time();
          ms::offload(uneven);
          *in = std::chrono::nanoseconds(std::llround(1e9 * (ms::time() - before).count()));
        }
      });
    });
    EXPECT_EQ(latest, takes) << policy;
  }
}

TEST_F(LoopMaster, IsChosenByWhatIsFaster) {
  const outcome alone = run(two_hosts, "auto", 2000);
  EXPECT_EQ(alone.master, "host");
  EXPECT_EQ(alone.latest, with_host);
  // Two streams have a hardware thread together, which a kernel that is not sent keeps.
  by_itself = 8us;
  const std::string one_host = fmt::format(machine_text, 1, "");
  const auto worker = run(one_host, "worker", 2000, 2).took, host = run(one_host, "host", 2000, 2).took;
  const outcome shared = run(one_host, "auto", 2000, 2);
  EXPECT_LT(worker, host);
  EXPECT_EQ(shared.master, "worker");
  EXPECT_LT(shared.took, worker + (host - worker) / 2);
}

TEST_F(LoopMaster, IsNotTriedWhereTheHostIsTooSlowForTheRest) {
  // 4 us more outside of the loop are what two signals are, 8 us are more.
  by_itself = 4us;
  EXPECT_EQ(run(fmt::format(machine_text, 2, "speed = 0.5"), "auto", 2000).latest, 27us);
  const outcome slow = run(fmt::format(machine_text, 2, "speed = 0.3"), "auto", 2000);
  EXPECT_EQ(slow.master, "");
  EXPECT_EQ(slow.took, 2000 * 27us);
}

TEST_F(LoopMaster, IsAWorkerOfKernelsThatShareNoLoop) {
  has_loop = false;
  for (const char* master : {"worker", "host", "auto"}) {
    const outcome out = run(two_hosts, master, 1000);
    EXPECT_EQ(out.took, 1000 * 19us) << master;
    EXPECT_EQ(out.master, "");
  }
}

TEST_F(LoopMaster, IsAWorkerWhereAPinPlacesTheKernelAndWhereWhoWaitsSpins) {
  EXPECT_EQ(run(two_hosts, "host", 20, 1, "edtlp", ",kernels=accelerator").latest, with_worker);
  const outcome native = run(two_hosts, "auto", 2000, 1, "native");
  EXPECT_EQ(native.master, "");
  EXPECT_EQ(native.took, 2000 * with_worker);
}

TEST_F(LoopMaster, LetsThroughWhatKernelsThrow) {
  static const ms::kernel throws{"throws", [](int k) {
                                   ms::parallel_for(
                                       0, 2,
                                       [&](ms::range r) {
                                         if (k == 3 && r.first == 1) throw k;
                                       },
                                       ms::block{1});
                                 }};
  const variable pin("MASLIN_PIN", "streams=1x2"), how("MASLIN_DURATIONS", "declared"), who("MASLIN_MASTER", "host");
  int caught = 0;
  run_on(two_hosts, [&] {
    ms::phase("streams", 1, [&](std::int64_t) {
      for (int k = 0; k < 5; ++k) try {
          ms::offload(throws, k);
        } catch (int thrown) {
          caught = thrown;
        }
    });
  });
  EXPECT_EQ(caught, 3);
}

}  // namespace
