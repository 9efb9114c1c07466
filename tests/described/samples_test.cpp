// What the samples of right-sizing cost a phase on a described machine. Times are virtual, the same in every run.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "maslin/maslin.hpp"
#include "on_machine.hpp"
#include "sanitized.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t streams = 64;

/// 128 us that a team may share, and 20 us that it may not.
const ms::kernel partly_serial{"partly_serial", [] {
                                 ms::parallel_for(
                                     0, 64, [](ms::range r) { ms::cost(2us * r.size()); }, ms::block{1});
                                 ms::cost(20us);
                               }};

/// Gives how long the phase takes; with a configuration if one is named, else as right-sizing has it.
double seconds_of_phase(const char* pinned) {
  const variable how("MASLIN_DURATIONS", "declared"), pin("MASLIN_PIN", pinned);
  double seconds = 0;
  run_on(cores(64), [&] {
    ms::phase("sampled", streams, [](std::int64_t) {
      for (int k = 0; k < 1000; ++k) ms::offload(partly_serial);
    });
    seconds = ms::report("sampled")->seconds;
  });
  return seconds;
}

// Streams stand aside for samples of fewer at a time. They go on as soon as all run again, and end with the others.
TEST(Samples, LeaveNoWorkerIdleAndNoStreamBehind) {
  const double best = seconds_of_phase("sampled=64x1");
  EXPECT_LT(seconds_of_phase(""), 1.05 * best);
}

// A fiber's stack and its guard are two mappings, and a process may have 65,530.
TEST(ManyWorkers, MayAllWaitAtATime) {
  if (sanitized) GTEST_SKIP() << "ThreadSanitizer knows 8,128 fibers; the plain builds run this";
  constexpr int workers = 36'000;
  std::int64_t ran = 0;
  const variable how("MASLIN_DURATIONS", "declared");
  run_on(fmt::format("name = \"very many cores\"\n[workers]\nkind = \"cpu\"\ncount = {}\nsource = \"this test\"\n",
                     workers),
         [&] {
           for (int i = 0; i < workers; ++i)
             ms::task([&] {
               ms::task([&] {
                 ms::cost(1us);
                 ++ran;
               });
               ms::cost(1us);
               ms::wait();
             });
           ms::wait();
         });
  EXPECT_EQ(ran, workers);
}

}  // namespace
