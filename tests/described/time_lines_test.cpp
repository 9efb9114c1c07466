// What happens when on described machines: time lines of small programs with declared costs, kept in golden/.
// MASLIN_WRITE_GOLDEN=1 writes the files anew.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "maslin/maslin.hpp"
#include "maslin/trace.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

constexpr const char* four_cores = R"(
name = "four cores"
[workers]
kind = "cpu"
count = 4
source = "this test"
[transfer]
signal_us = 0.5
bandwidth_gb_per_s = 10
source = "this test"
)";

constexpr const char* four_accelerators = R"(
name = "four accelerators behind two host contexts"
[workers]
kind = "accelerator"
count = 4
source = "this test"
[hosts]
contexts = 2
contention = 0.25
quantum_us = 100
switch_us = 2
source = "this test"
[transfer]
signal_us = 1
bandwidth_gb_per_s = 10
source = "this test"
)";

/// Gives an event's name; lines of the source by the order in which they appear, because they move.
std::string short_name(std::string_view name, std::map<std::string, std::size_t, std::less<>>& sites) {
  if (name.find(".cpp:") == std::string_view::npos) return std::string(name);
  return fmt::format("site {}", sites.emplace(name, sites.size() + 1).first->second);
}

/// Runs the program on the machine, only declared costs counting, and gives its time line: a line an event.
std::string time_line(const std::string& machine, const std::function<void()>& program) {
  const std::string trace = testing::TempDir() + fmt::format("time_line.{}.mtrace", getpid());
  {
    const variable to("MASLIN_TRACE", trace), how("MASLIN_DURATIONS", "declared");
    run_on(machine, program);
  }
  std::string text;
  std::map<std::string, std::size_t, std::less<>> sites;
  const ms::trace::file run(trace);
  EXPECT_EQ(run.about().dropped(), 0u);
  run.each_event([&](const ms::trace::event& e) {
    text += fmt::format("{:>9} ns  {:>2}  {:<14} {}\n", e.ns, e.worker, ms::trace::to_string(e.kind),
                        short_name(e.id ? run.name(e.id) : "", sites));
  });
  std::filesystem::remove(trace);
  return text;
}

/// Compares with golden/NAME.txt.
void expect_golden(const std::string& name, const std::string& found) {
  const std::string path = std::string(GOLDEN) + "/" + name + ".txt";
  if (std::getenv("MASLIN_WRITE_GOLDEN")) {
    std::ofstream(path) << found;
    GTEST_SKIP() << "written: " << path;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; MASLIN_WRITE_GOLDEN=1 writes it";
  const std::string expected(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(found, expected);
}

void kernel_body(std::chrono::microseconds serial, std::chrono::microseconds each) {
  ms::cost(serial);
  ms::parallel_for(0, 8, [each](ms::range r) { ms::cost(r.size() * each); });
}
const ms::kernel kernel{"kernel", kernel_body};

void tasks() {
  std::array<int, 4> x{};
  for (int& one : x) ms::task([](ms::view<int>) { ms::cost(10us); }, ms::out(one));
  ms::task([](ms::view<const int>, ms::view<const int>, ms::view<int>) { ms::cost(5us); }, ms::in(x[0]), ms::in(x[1]),
           ms::inout(x[2]));
  ms::task([](ms::view<int>) { ms::cost(20us); }, ms::inout(x[3]));
  ms::cost(3us);
  ms::wait();
}

/// Columns of a triangle, the heavy ones last.
void triangle() {
  ms::cost(1us);
  ms::parallel_for(
      0, 16, [](ms::range r) { ms::cost(r.first * 1us); }, ms::block{1});
}

void streams() {
  ms::phase("streams", 6, [](std::int64_t i) {
    for (int k = 0; k < 3; ++k) {
      ms::cost((i + 1) * 2us);
      ms::offload(kernel, 4us, 3us);
    }
  });
}

TEST(VirtualTime, ACreatorWhoseWindowIsFullStillFeedsTheOthers) {
  constexpr int tasks = 40'000;  // ten windows
  double seconds = 0;
  time_line(four_cores, [&] {
    ms::cost(0us);
    const auto begin = ms::time();
    for (int i = 0; i < tasks; ++i) ms::task([] { ms::cost(10us); });
    ms::wait();
    seconds = (ms::time() - begin).count();
  });
  EXPECT_GE(seconds, tasks * 10e-6 / 4);
  EXPECT_LE(seconds, tasks * 10e-6 / 4 * 1.05);
}

TEST(VirtualTime, NobodyGetsAheadOfTheProgramsOwnThread) {
  for (const char* policy : {"dbs", "static", "gss", "afs"})
    for (const char* workers : {"2", "4"}) {
      const variable loops("MASLIN_LOOP", policy), some("MASLIN_WORKERS", workers);
      double seconds = 0;
      time_line(four_cores, [&] {
        const auto begin = ms::time();
        ms::parallel_for(
            0, 4, [](ms::range) { ms::parallel_for(0, 64, [](ms::range r) { ms::cost((65 - r.last) * 1us); }); },
            ms::block{1});
        ms::parallel_for(0, 64, [](ms::range r) { ms::cost((65 - r.last) * 1us); });
        seconds = (ms::time() - begin).count();
      });
      EXPECT_GE(seconds * std::atoi(workers), 5 * 64 * 65 / 2 * 1e-6) << policy << " on " << workers;
    }
}

TEST(VirtualTime, WhatIsDeclaredIsNotMeasuredAsWell) {
  const auto work = [] {
    const auto end = std::chrono::steady_clock::now() + 20ms;
    while (std::chrono::steady_clock::now() < end) {
    }
  };
  double seconds = 0;
  run_on(four_cores, [&] {
    ms::task([&] {
      work();
      ms::cost(1us);
      work();
    });
    ms::wait();
    const auto begin = ms::time();
    ms::offload(ms::kernel("works", [&] {
      work();
      ms::cost(1us);
    }));
    ms::task([&] {
      ms::cost(1us);
      work();
    });
    ms::wait();
    seconds = (ms::time() - begin).count();
  });
  EXPECT_LT(seconds, 20e-3);  // any of the pieces of work
}

TEST(VirtualTime, ACostThatIsNoTimeIsAnError) {
  time_line(four_cores, [] {
    EXPECT_THROW(ms::cost(-1us), ms::error);
    EXPECT_THROW(ms::cost(std::chrono::duration<double>(1e300)), ms::error);
    EXPECT_THROW(ms::cost(std::chrono::duration<double>(0.0 / 0.0)), ms::error);
  });
}

TEST(VirtualTime, CostsThatAreTooMuchTogetherAreAnError) {
  time_line(four_cores, [] {
    const auto most = std::chrono::duration<double>(9e6);
    ms::cost(most);
    EXPECT_THROW(ms::cost(most), ms::error);
  });
}

TEST(VirtualTime, APhaseInPlaceTakesVirtualTime) {
  run_on(cores(1), [] {
    ms::phase("in place", 3, [](std::int64_t) { ms::cost(10ms); });
    EXPECT_NEAR(ms::report("in place")->seconds, 0.03, 0.001);
  });
}

TEST(VirtualTime, ForksComeBackToAProcessorThatWasLent) {
  int left = 0, right = 0;
  run_on(cores(1), [&] {
    std::thread([] {
      ms::task([] {});
      ms::wait();
    }).join();
    ms::fork([&] { left = 1; }, [&] { right = 1; });
  });
  EXPECT_EQ(left + right, 2);
}

TEST(VirtualTime, NoTaskBeginsBeforeItsCreation) {
  time_line(four_cores, [] {
    int x = 0;
    ms::task([](ms::view<int>) { ms::cost(10us); }, ms::out(x));
    ms::cost(50us);  // the first task ends meanwhile
    const auto created = ms::time();
    ms::task([created](ms::view<int>) { EXPECT_GE(ms::time(), created); }, ms::inout(x));
    ms::wait();
  });
}

TEST(TimeLines, Tasks) {
  const variable check("MASLIN_CHECK", "0");  // which takes copies of its own
  expect_golden("tasks", time_line(four_cores, tasks));
}

TEST(TimeLines, LoopsUnderEachPolicy) {
  for (const char* policy : {"dbs", "static", "gss", "afs"}) {
    const variable loops("MASLIN_LOOP", policy);
    expect_golden(fmt::format("triangle-{}", policy), time_line(four_cores, triangle));
  }
}

TEST(TimeLines, StreamsOnCores) {
  const variable pin("MASLIN_PIN", "streams=2x2");
  expect_golden("streams-2x2", time_line(four_cores, streams));
}

TEST(TimeLines, StreamsOnHostsUnderEachPolicy) {
  const variable pin("MASLIN_PIN", "streams=4x1");
  for (const char* policy : {"edtlp", "yield", "adaptive", "native"}) {
    const variable host("MASLIN_HOST", policy);
    expect_golden(fmt::format("hosts-{}", policy), time_line(four_accelerators, streams));
  }
}

TEST(TimeLines, StreamsOnHostsWithTeamsOfAccelerators) {
  const variable pin("MASLIN_PIN", "streams=2x2");
  expect_golden("hosts-2x2", time_line(four_accelerators, streams));
}

}  // namespace
