// A trace is a look at a run in virtual time, and no part of it.

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "maslin/maslin.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

const ms::kernel shared_kernel{"shared_kernel", [](int n) {
                                 ms::parallel_for(
                                     0, n, [](ms::range r) { ms::cost(r.size() * 3us); }, ms::block{1});
                               }};

/// Loops that the program itself shares, under each policy, then streams with tasks, off-loads and loops of uneven
/// lengths.
double seconds_of_run() {
  const variable how("MASLIN_DURATIONS", "declared"), quiet("MASLIN_QUIET", "1");
  double seconds = 0;
  run_on(cores(8), [&] {
    for (const ms::schedule policy : {ms::schedule::dbs, ms::schedule::static_, ms::schedule::gss, ms::schedule::afs})
      ms::parallel_for(
          0, 40, [](ms::range r) { ms::cost(r.first * 1us); }, policy, ms::block{1});
    ms::phase("traced", 12, [](std::int64_t i) {
      for (int step = 0; step < 30; ++step) {
        ms::offload(shared_kernel, static_cast<int>(1 + (i * 7 + step) % 20));
        for (int k = 0; k < 4; ++k) ms::task([=] { ms::cost((1 + k * i) * 1us); });
        ms::wait();
      }
    });
    seconds = ms::report("traced")->seconds;
  });
  return seconds;
}

TEST(Trace, TakesNoTimeAndChangesNoOrder) {
  const double alone = seconds_of_run();
  const std::string file = testing::TempDir() + fmt::format("described.{}.mtrace", getpid());
  const variable to("MASLIN_TRACE", file);
  EXPECT_EQ(seconds_of_run(), alone);
  EXPECT_TRUE(std::filesystem::remove(file));
}

}  // namespace
