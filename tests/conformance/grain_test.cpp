// Promises about phases that hold under every policy of MASLIN_GRAIN, on every executor.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "executors.hpp"

namespace {

using under = std::tuple<executor_kind, const char*>;

double halve_and_add(ms::view<const double> from, ms::view<double> into) {
  ms::parallel_for(
      0, static_cast<std::int64_t>(from.size()),
      [&](ms::range r) {
        for (const auto i : r) into[static_cast<std::size_t>(i)] = from[static_cast<std::size_t>(i)] * 0.5 + 1;
      },
      ms::block{16});
  return std::accumulate(into.begin(), into.end(), 0.0);
}
const ms::kernel halving{"halving", halve_and_add};

double search(int stream, int offloads) {
  std::vector<double> a(128, stream);
  std::vector<double> b(128);
  double sum = 0;
  for (int i = 0; i < offloads; ++i) {
    sum += ms::offload(halving, ms::in(a), ms::out(b));
    std::swap(a, b);
  }
  return sum;
}

/// The runtime reads the policy when it starts, so each test starts its own.
class Grain : public testing::TestWithParam<under> {
 protected:
  static ms::Runtime::options options() {
    const auto [kind, policy] = GetParam();
    describe_machine(kind);
    setenv("MASLIN_GRAIN", policy, 1);
    return {.workers = kind.workers, .serial = kind.workers == 0};
  }
  static int workers() { return std::max(1, std::get<0>(GetParam()).workers); }
  static std::string policy() { return std::get<1>(GetParam()); }
  ~Grain() override { unsetenv("MASLIN_GRAIN"); }

  ms::Runtime runtime{options()};
};

std::string name_of(const testing::TestParamInfo<under>& info) {
  std::string name = std::get<1>(info.param);
  for (char& c : name)
    if (c == '-' || c == ':') c = '_';
  return kind_name({std::get<0>(info.param), info.index}) + "_" + name;
}

}  // namespace

TEST_P(Grain, ResultsAreTheSame) {
  for (const int streams : {1, 2, 5, 17}) {
    std::vector<double> got(static_cast<std::size_t>(streams));
    ms::phase("same", streams, [&](std::int64_t i) {
      got[static_cast<std::size_t>(i)] = search(static_cast<int>(i), 150);  // more than an epoch of MGPS each
    });
    for (int i = 0; i < streams; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], search(i, 150)) << "stream " << i;
  }
}

TEST_P(Grain, AConfigurationFitsTheWorkersAndIsThePolicys) {
  for (const int streams : {1, 3, 40}) {
    std::atomic<int> running{0};
    std::atomic<int> most{0};
    ms::phase("fits", streams, [&](std::int64_t i) {
      const int now = ++running;
      for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
      }
      search(static_cast<int>(i), 60);
      --running;
    });
    const auto report = ms::report("fits");
    ASSERT_TRUE(report);
    EXPECT_EQ(report->done, streams);
    EXPECT_LE(most, workers());
    if (workers() == 1) continue;  // runs in place
    EXPECT_EQ(report->policy, policy());
    const ms::configuration c = report->current;
    EXPECT_LE(c.streams * c.width + c.wider, workers());
    if (policy() == "mgps" || policy().starts_with("edtlp")) {
      EXPECT_EQ(report->chosen, c);
      EXPECT_TRUE(report->samples.empty());
    }
    if (policy() == "edtlp") {
      EXPECT_EQ(c, (ms::configuration{std::min(streams, workers()), 1}));
    }
    if (policy() == "edtlp-llp:2") {
      EXPECT_EQ(c, (ms::configuration{std::min(streams, workers() / 2), 2}));
    }
  }
}

TEST_P(Grain, TheEstimatesAgreeWithTheChoice) {
  for (const int streams : {2, 40}) {
    ms::phase("agrees", streams, [&](std::int64_t i) { search(static_cast<int>(i), 150); });
    const auto report = ms::report("agrees");
    ASSERT_TRUE(report);
    const std::vector<ms::phase_estimate>& all = report->estimates;
    EXPECT_TRUE(std::ranges::is_sorted(all, std::greater(), &ms::phase_estimate::throughput));
    for (const ms::phase_estimate& e : all) {
      EXPECT_EQ(std::ranges::count(all, e.under, &ms::phase_estimate::under), 1);
      EXPECT_FALSE(report->unit.empty());
    }
    if (!report->chosen || all.empty()) continue;
    const auto chosen = std::ranges::find(all, *report->chosen, &ms::phase_estimate::under);
    if (policy() != "auto") continue;  // others may choose what they have no sample of
    ASSERT_NE(chosen, all.end());
    EXPECT_GE(chosen->throughput, 0.995 * all.front().throughput);
  }
}

TEST_P(Grain, MgpsWidensOneStreamToAllWorkers) {
  if (policy() != "mgps" || workers() < 3) return;
  ms::phase("one", 1, [&](std::int64_t i) { search(static_cast<int>(i), 150); });
  EXPECT_EQ(ms::report("one")->current, (ms::configuration{1, workers()}));
}

TEST_P(Grain, NestedPhasesAndPhasesBesideEachOtherEnd) {
  std::atomic<int> ran{0};
  for (int t = 0; t < 3; ++t)
    ms::task([&] {
      ms::phase("outer", 3, [&](std::int64_t i) {
        search(static_cast<int>(i), 40);
        ms::phase("inner", 2, [&](std::int64_t k) { search(static_cast<int>(k), 60), ++ran; });
        search(static_cast<int>(i), 40);
      });
    });
  ms::wait();
  EXPECT_EQ(ran, 18);
}

TEST_P(Grain, StreamsThatThrowLeaveTheOthersAlone) {
  std::atomic<int> ran{0};
  EXPECT_THROW(ms::phase("throwing", 9,
                         [&](std::int64_t i) {
                           search(static_cast<int>(i), 30);
                           ++ran;
                           if (i % 4 == 2) throw std::runtime_error("two");
                         }),
               std::runtime_error);
  EXPECT_EQ(ran, 9);
}

INSTANTIATE_TEST_SUITE_P(, Grain,
                         testing::Combine(testing::ValuesIn(executor_kinds()),
                                          testing::Values("edtlp", "edtlp-llp:2", "mgps", "s-mgps", "auto")),
                         name_of);

TEST(PinnedGrain, APinWinsOverThePolicy) {
  describe_machine({4});
  setenv("MASLIN_PIN", "wins=1x3", 1);
  for (const char* policy : {"edtlp", "edtlp-llp:2", "mgps", "s-mgps", "auto"}) {
    setenv("MASLIN_GRAIN", policy, 1);
    const ms::Runtime runtime({.workers = 4, .serial = false});
    for (const char* name : {"wins", "other"}) {
      ms::phase(name, 2, [](std::int64_t i) { search(static_cast<int>(i), 150); });
      const auto report = ms::report(name);
      ASSERT_TRUE(report);
      const bool pinned = report->name == "wins";
      EXPECT_EQ(report->pinned_by, pinned ? "MASLIN_PIN" : "");
      EXPECT_EQ(report->policy, pinned ? "" : policy);
      if (pinned) {
        EXPECT_EQ(report->current, (ms::configuration{1, 3}));
      }
    }
  }
  unsetenv("MASLIN_PIN");
  unsetenv("MASLIN_GRAIN");
}
