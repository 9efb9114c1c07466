// The trace holds each copy that a local store makes: on CPU threads when it was made, on described machines when it
// would be.

#include "store_transfers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "described/on_machine.hpp"
#include "maslin/maslin.hpp"
#include "maslin/run_report.hpp"
#include "trace_info.hpp"

namespace ms = maslin;
namespace trace = maslin::trace;
using namespace std::chrono_literals;
using way = trace::transfer_of::way;

namespace {

/// A run, from its trace and its report.
struct told {
  /// When a task of a number was there, in nanoseconds.
  struct life {
    std::int64_t created = -1, began = -1, ended = -1;
  };
  std::string report;
  trace_figures figures;
  std::vector<store_transfer> transfers;
  std::map<std::uint64_t, std::vector<life>> tasks;
  std::int64_t duration_ns = 0;

  std::uint64_t counted(const std::string& name) const {
    const std::size_t at = report.find("\"" + name + "\": ");
    EXPECT_NE(at, std::string::npos) << report;
    return at == std::string::npos ? 0 : std::stoull(report.substr(at + name.size() + 4));
  }
  std::uint64_t bytes(way goes) const {
    std::uint64_t sum = 0;
    for (const store_transfer& t : transfers) sum += t.what.goes == goes ? t.what.bytes : 0;
    return sum;
  }
  std::uint64_t count(way goes, bool is_early) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        transfers, [&](const store_transfer& t) { return t.what.goes == goes && t.what.is_early == is_early; }));
  }
  /// Gives whether a task of that number had a life that suits.
  bool had(std::uint64_t number, const std::function<bool(const life&)>& suits) const {
    const auto found = tasks.find(number);
    return found != tasks.end() && std::ranges::any_of(found->second, suits);
  }
};

std::string trace_path() { return testing::TempDir() + fmt::format("transfers.{}.mtrace", getpid()); }

told read_trace(std::string report) {
  told all;
  all.report = std::move(report);
  const trace::file file(trace_path());
  EXPECT_EQ(file.about().dropped(), 0u);
  all.duration_ns = file.about().duration_ns;
  all.figures = figures_of(file);
  store_transfers puts_together(file.about().workers);
  file.each_event([&](const trace::event& e) {
    if (const auto one = puts_together.add(e)) all.transfers.push_back(*one);
    if (e.kind == trace::event_kind::task_create) all.tasks[e.argument].push_back({.created = e.ns});
    if (all.tasks.contains(e.argument)) {
      told::life& last = all.tasks[e.argument].back();
      if (e.kind == trace::event_kind::task_begin) last.began = e.ns;
      if (e.kind == trace::event_kind::task_end) last.ended = e.ns;
    }
  });
  std::filesystem::remove(trace_path());
  return all;
}

/// Runs it on CPU threads.
told on_threads(int workers, const std::function<void()>& program) {
  std::string report;
  const variable to("MASLIN_TRACE", trace_path()), all("MASLIN_TRACE_FULL", "wait"), checks("MASLIN_CHECK", "0");
  {
    ms::Runtime runtime({.workers = workers});
    program();
    ms::wait();
    report = ms::run_report_json();
  }
  return read_trace(std::move(report));
}

/// Runs it on accelerators with local stores of 64 KiB, whose engines copy 8 bytes in a nanosecond.
told on_accelerators(int workers, double latency_us, const std::function<void()>& program) {
  std::string report;
  const variable to("MASLIN_TRACE", trace_path()), checks("MASLIN_CHECK", "0"), quiet("MASLIN_QUIET", "1");
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(fmt::format(R"(
name = "accelerators with local stores"
[workers]
kind = "accelerator"
count = {}
source = "this test"
[hosts]
contexts = 1
source = "this test"
[local_store]
bytes = 65536
source = "this test"
[transfer]
latency_us = {}
bandwidth_gb_per_s = 8
source = "this test"
)",
                     workers, latency_us),
         [&] {
           program();
           ms::wait();
           report = ms::run_report_json();
         });
  return read_trace(std::move(report));
}

/// What several workers share, and write over again and again.
void share_rows() {
  constexpr std::size_t rows = 12, n = 1000;
  static std::vector<std::vector<int>> x;
  x.assign(rows, std::vector<int>(n, 1));
  const auto add = [](ms::view<const int> from, ms::view<int> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    ms::cost(1us);
  };
  for (std::size_t round = 0; round < 5; ++round)
    for (std::size_t i = 0; i < rows; ++i) ms::task(add, ms::in(x[(i + round + 1) % rows]), ms::inout(x[i]));
  ms::wait();
}

void under_all_settings(const std::function<void()>& check) {
  for (const char* const write : {"through", "back"})
    for (const char* const ahead : {"0", "2"})
      for (const char* const keep : {"none", "all"}) {
        const variable writes("MASLIN_STORE_WRITE", write), fetches("MASLIN_STORE_AHEAD", ahead);
        const variable keeps("MASLIN_STORE_KEEP", keep);
        SCOPED_TRACE(fmt::format("{} {} {}", write, ahead, keep));
        check();
      }
}

void expect_what_the_report_counts(const told& run) {
  EXPECT_GT(run.transfers.size(), 0u);
  EXPECT_EQ(run.counted("on_memory"), 0u) << run.report;
  EXPECT_EQ(run.bytes(way::from_memory), run.counted("bytes_in"));
  EXPECT_EQ(run.bytes(way::from_peer), run.counted("bytes_from_peers"));
  EXPECT_EQ(run.bytes(way::to_memory), run.counted("bytes_out"));
  std::uint64_t copies = 0, bytes = 0;
  for (const auto& sum : run.figures.transfers) {
    copies += sum.count;
    bytes += sum.bytes;
  }
  EXPECT_EQ(copies, run.transfers.size());
  EXPECT_EQ(bytes, run.bytes(way::from_memory) + run.bytes(way::from_peer) + run.bytes(way::to_memory));
}

/// The copies of a store follow each other.
void expect_one_at_a_time(std::vector<store_transfer> all) {
  std::ranges::stable_sort(all, {}, &store_transfer::begin_ns);
  std::map<int, std::int64_t> until;
  for (const store_transfer& t : all) {
    EXPECT_GE(t.begin_ns, until[t.store]) << "store " << t.store;
    until[t.store] = t.end_ns;
  }
}

/// Between two workers' clocks, as the reader of traces has it.
constexpr std::int64_t skew_ns = 200;

TEST(StoreTransfers, OfThreadsAreWhatTheReportCounts) {
  const variable store("MASLIN_STORE", "64K");
  under_all_settings([] {
    for (const int workers : {1, 3}) expect_what_the_report_counts(on_threads(workers, share_rows));
  });
}

TEST(StoreTransfers, OfThreadsLieWithinTheirTaskOrBeforeIt) {
  const variable store("MASLIN_STORE", "64K");
  under_all_settings([] {
    const told run = on_threads(2, share_rows);
    expect_one_at_a_time(run.transfers);
    for (const store_transfer& t : run.transfers) {
      if (!t.task) {
        EXPECT_EQ(t.what.goes, way::to_memory) << "only what was dirty is copied for nobody in particular";
        continue;
      }
      EXPECT_TRUE(run.had(*t.task,
                          [&](const told::life& task) {
                            const std::int64_t from = t.what.is_early ? task.created : task.began;
                            const std::int64_t to = t.what.is_early ? task.began : task.ended;
                            return from - skew_ns <= t.begin_ns && t.end_ns <= to + skew_ns;
                          }))
          << transfer_sorts[sort_of(t.what)].text << " of task " << *t.task << " from " << t.begin_ns << " to "
          << t.end_ns;
    }
  });
}

TEST(StoreTransfers, OfATileAreOneCopyEach) {
  const variable store("MASLIN_STORE", "64K");
  std::vector<double> matrix(64 * 64, 1.0);
  const told run = on_threads(1, [&] {
    for (int i = 0; i < 20; ++i)
      ms::task([](ms::tile<double> t) { t(0, 0) += 1; }, ms::inout(ms::tile<double>{&matrix[8 * 64 + 8], 16, 16, 64}));
  });
  ASSERT_EQ(run.transfers.size(), 1u + 20u);
  EXPECT_EQ(run.bytes(way::from_memory), 2048u);
  for (const store_transfer& t : run.transfers) {
    EXPECT_EQ(t.what.bytes, 2048u);
    EXPECT_EQ(t.store, 0);
    EXPECT_TRUE(t.task.has_value());
    EXPECT_LT(t.begin_ns, t.end_ns);
  }
}

TEST(StoreTransfers, SayWhichWereEarly) {
  std::vector<std::vector<int>> x(10, std::vector<int>(100, 1));
  const auto program = [&] {
    for (std::vector<int>& one : x) ms::task([](ms::view<int> v) { v[0] = 2; }, ms::inout(one));
  };
  const variable store("MASLIN_STORE", "64K");
  const told early = on_threads(1, program);
  EXPECT_EQ(early.count(way::from_memory, true), early.counted("early"));
  EXPECT_EQ(early.count(way::from_memory, false), 10 - early.counted("early"));
  EXPECT_GT(early.counted("early"), 0u);
  const variable late("MASLIN_STORE_AHEAD", "0");
  EXPECT_EQ(on_threads(1, program).count(way::from_memory, false), 10u);
}

TEST(StoreTransfers, SayFromWhichStoreTheyCame) {
  const variable store("MASLIN_STORE", "4K"), back("MASLIN_STORE_WRITE", "back");
  std::vector<int> x(100, 1);
  int first = 0, second = 0;
  std::atomic<int> there{0};
  const told run = on_threads(2, [&] {
    const auto meet = [&there](ms::view<const int> v, ms::view<int> to) {
      for (++there; there < 2;) std::this_thread::yield();
      to[0] = v[99];
    };
    ms::task([](ms::view<int> v) { v[99] = 2; }, ms::inout(x));
    ms::task(meet, ms::in(x), ms::out(first));
    ms::task(meet, ms::in(x), ms::out(second));
  });
  EXPECT_EQ(first + second, 4);
  expect_what_the_report_counts(run);
  ASSERT_EQ(run.bytes(way::from_peer), 400u);
  for (const store_transfer& t : run.transfers)
    if (t.what.goes == way::from_peer) {
      EXPECT_EQ(t.what.peer, 1 - t.store);
    }
}

TEST(StoreTransfers, OfDescribedMachinesAreWhatTheReportCounts) {
  under_all_settings([] {
    for (const int workers : {1, 3}) {
      const told run = on_accelerators(workers, 0.1, share_rows);
      expect_what_the_report_counts(run);
      expect_one_at_a_time(run.transfers);
      const std::string ahead = std::getenv("MASLIN_STORE_AHEAD");
      if (ahead == "0") {
        EXPECT_EQ(run.count(way::from_memory, true), 0u);
      }
      for (const store_transfer& t : run.transfers) {
        EXPECT_LE(t.end_ns, run.duration_ns);
        if (!t.task) {
          EXPECT_EQ(t.what.goes, way::to_memory);
          continue;
        }
        EXPECT_TRUE(run.had(*t.task,
                            [&](const told::life& task) {
                              if (t.what.goes == way::to_memory) return task.ended <= t.begin_ns;
                              const bool may_be_stolen = t.what.is_early && workers > 1;
                              return task.created <= t.begin_ns && (t.end_ns <= task.began || may_be_stolen);
                            }))
            << transfer_sorts[sort_of(t.what)].text << " of task " << *t.task << " from " << t.begin_ns << " to "
            << t.end_ns;
      }
    }
  });
}

TEST(StoreTransfers, OfADescribedMachineTakeTheirTimeOneAfterTheOther) {
  constexpr std::int64_t tasks = 10, body = 20'000, copy = 1'000;
  std::vector<std::vector<float>> data(tasks, std::vector<float>(2000));
  for (const double latency_us : {0.0, 0.25}) {
    const told run = on_accelerators(1, latency_us, [&] {
      for (auto& one : data) ms::task([](ms::view<float>) { ms::cost(20us); }, ms::inout(one));
    });
    const auto latency = static_cast<std::int64_t>(1000 * latency_us);
    ASSERT_EQ(run.transfers.size(), 2u * tasks);
    EXPECT_EQ(run.count(way::from_memory, true), tasks - 1u);
    EXPECT_EQ(run.count(way::to_memory, false), static_cast<std::uint64_t>(tasks));
    std::vector<std::int64_t> gets, puts;
    for (const store_transfer& t : run.transfers) {
      EXPECT_EQ(t.end_ns - t.begin_ns, copy);
      EXPECT_EQ(t.what.bytes, 8'000u);
      (t.what.goes == way::to_memory ? puts : gets).push_back(t.begin_ns);
    }
    // While a body runs, the results of the one before it go, and then come the data of the next one.
    const std::int64_t first_body = latency + copy;
    std::vector<std::int64_t> expected_gets{latency, latency + copy}, expected_puts;
    for (std::int64_t i = 0; i < tasks; ++i) {
      const std::int64_t ended = first_body + (i + 1) * body;
      expected_puts.push_back(ended + latency);
      if (i + 2 < tasks) expected_gets.push_back(ended + latency + copy);
    }
    EXPECT_EQ(gets, expected_gets);
    EXPECT_EQ(puts, expected_puts);
  }
}

TEST(StoreTransfers, AreInNoTraceWithoutStores) {
  const told run = on_threads(2, share_rows);
  EXPECT_TRUE(run.transfers.empty());
}

}  // namespace
