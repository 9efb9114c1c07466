// Where kernels run on machines with hosts: what is too small to be off-loaded runs there. Times are exact.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "maslin/maslin.hpp"
#include "maslin/trace.hpp"
#include "on_machine.hpp"

namespace ms = maslin;
using namespace std::chrono_literals;

namespace {

/// To be filled in: the host's speed, microseconds of a switch and of a signal.
constexpr const char* machine_text = R"(
name = "four accelerators behind a host"
[workers]
kind = "accelerator"
count = 4
source = "this test"
[hosts]
contexts = 1
speed = {}
switch_us = {}
quantum_us = 100
source = "this test"
[transfer]
signal_us = {}
bandwidth_gb_per_s = 10
source = "this test"
)";

const ms::kernel small{"small", [] { ms::cost(1us); }};
const ms::kernel large{"large", [] { ms::cost(100us); }};

/// Gives how long streams take together that off-load ten small kernels each, and ten large ones if wanted. Pins where
/// kernels run if something is given.
std::chrono::nanoseconds small_and_large(const std::string& machine, int streams, bool with_large, const char* where,
                                         const char* policy = "edtlp") {
  const std::string pins = fmt::format("streams={}x1{}{}", streams, *where ? "," : "", where);
  const variable pin("MASLIN_PIN", pins), how("MASLIN_DURATIONS", "declared"), host("MASLIN_HOST", policy);
  double first = 1e9, last = 0;
  run_on(machine, [&] {
    ms::phase("streams", streams, [&](std::int64_t) {
      first = std::min(first, ms::time().count());
      for (int k = 0; k < 10; ++k) {
        ms::cost(1us);
        ms::offload(small);
        if (with_large) ms::offload(large);
      }
      last = std::max(last, ms::time().count());
    });
  });
  return std::chrono::nanoseconds(std::llround(1e9 * (last - first)));
}

/// Gives how long it takes one stream to off-load kernels of these lengths that have one name.
std::chrono::nanoseconds one_after_the_other(const std::string& machine,
                                             const std::vector<std::chrono::microseconds>& lengths) {
  static const ms::kernel changing{"changing", [](std::chrono::microseconds length) { ms::cost(length); }};
  const variable pin("MASLIN_PIN", "streams=1x1"), how("MASLIN_DURATIONS", "declared");
  double seconds = 0;
  run_on(machine, [&] {
    ms::phase("streams", 1, [&](std::int64_t) {
      const auto begin = ms::time();
      for (const auto length : lengths) ms::offload(changing, length);
      seconds = (ms::time() - begin).count();
    });
  });
  return std::chrono::nanoseconds(std::llround(1e9 * seconds));
}

TEST(Granularity, WhatIsTooSmallRunsOnTheHostAndWhatIsLargeIsOffLoaded) {
  // Small: 1 us and two signals are no gain against four times 1 us. Large: 100 us and two signals against 400 us.
  const std::string machine = fmt::format(machine_text, 0.25, 2, 2);
  const auto off_loaded = 10 * (1us + 5us + 104us);
  EXPECT_EQ(small_and_large(machine, 1, true, "kernels=accelerator"), off_loaded);
  // What is not known yet is off-loaded, once.
  EXPECT_EQ(small_and_large(machine, 1, true, ""), off_loaded - 9 * 1us);
  EXPECT_EQ(small_and_large(machine, 1, true, "small=host"), off_loaded - 10 * 1us);
  EXPECT_EQ(small_and_large(machine, 1, true, "kernels=host,small=accelerator"), 10 * (1us + 5us + 400us));
}

TEST(Granularity, WhatGainsNothingIsNotOffLoaded) {
  EXPECT_EQ(small_and_large(fmt::format(machine_text, 0.25, 2, 1.5), 1, false, ""), 10 * (1us + 4us));
  EXPECT_EQ(small_and_large(fmt::format(machine_text, 0.25, 2, 1.25), 1, false, ""), 10 * (1000ns + 3500ns));
}

TEST(Granularity, AKernelOnTheHostKeepsIt) {
  const std::string machine = fmt::format(machine_text, 0.25, 4, 2);
  // The first stream off-loads its first kernel, which takes the host a signal and a switch. The second stream knows
  // how small it is and goes on to its end, then the first does.
  EXPECT_EQ(small_and_large(machine, 2, false, ""), 1us + 2us + 4us + 10 * 5us + 9 * 5us);
  EXPECT_EQ(small_and_large(machine, 2, false, "kernels=accelerator"), 20 * (1us + 2us + 4us));
}

TEST(Granularity, WhatAHostDoesAsFastIsOffLoadedIfStreamsShareIt) {
  const std::string machine = fmt::format(machine_text, 1, 2, 2);
  EXPECT_EQ(small_and_large(machine, 1, true, "small=host"), 104us + 9 * 100us + 10 * 2us);
  EXPECT_EQ(small_and_large(machine, 4, true, "small=host"),
            small_and_large(machine, 4, true, "small=host,large=accelerator"));
  EXPECT_LT(small_and_large(machine, 4, true, "small=host") * 3, small_and_large(machine, 4, true, "kernels=host"));
}

/// The same machine, where bringing a version of the kernels' code takes 8 + 2 us.
std::string with_code(double host_speed, double switch_us, double signal_us) {
  std::string machine = fmt::format(machine_text, host_speed, switch_us, signal_us);
  const std::string before = "bandwidth_gb_per_s";
  machine.insert(machine.find(before), "latency_us = 2\n");
  return machine + "[local_store]\nbytes = 262144\ncode_bytes = 80000\nsource = \"this test\"\n";
}

/// Gives how long one stream takes in phases with teams of these widths, one after the other, that off-load three
/// kernels of two iterations each.
std::chrono::nanoseconds phases_take(const std::string& machine, const std::vector<int>& widths,
                                     std::chrono::microseconds iteration) {
  static const std::array names{"first", "second", "third"};
  std::string pins;
  for (std::size_t i = 0; i < widths.size(); ++i)
    pins += fmt::format("{}{}=1x{}", i > 0 ? "," : "", names.at(i), widths[i]);
  const variable pin("MASLIN_PIN", pins), how("MASLIN_DURATIONS", "declared");
  const ms::kernel two{"two",
                       [iteration] { ms::parallel_for(0, 2, [&](ms::range r) { ms::cost(r.size() * iteration); }); }};
  std::chrono::duration<double> taken{};
  run_on(machine, [&] {
    const auto begin = ms::time();
    for (std::size_t i = 0; i < widths.size(); ++i)
      ms::phase(names.at(i), 1, [&](std::int64_t) {
        for (int k = 0; k < 3; ++k) ms::offload(two);
      });
    taken = ms::time() - begin;
  });
  return std::chrono::nanoseconds(std::llround(1e9 * taken.count()));
}

TEST(Granularity, AVersionOfTheCodeIsBroughtWhereItIsMissing) {
  const std::string without = fmt::format(machine_text, 0.25, 2, 0), with = with_code(0.25, 2, 0);
  const auto more = [&](const std::vector<int>& widths) {
    return phases_take(with, widths, 100us) - phases_take(without, widths, 100us);
  };
  EXPECT_EQ(more({1}), 10us);
  EXPECT_EQ(more({1, 1}), 10us);
  EXPECT_EQ(more({2}), 20us);  // to the first worker, and with the first loop to the second
  EXPECT_EQ(more({1, 2, 1}), 40us);
}

TEST(Granularity, CodeThatWouldHaveToComeCounts) {
  // 190 us on a worker and two signals of 2 us against 200 us on the host: a gain, but not with 10 us for the code.
  const auto last_phase = [](const std::string& machine, int width_before) {
    return phases_take(machine, {1, width_before, 1}, 95us) - phases_take(machine, {1, width_before}, 95us);
  };
  const std::string without = fmt::format(machine_text, 0.95, 2, 2), with = with_code(0.95, 2, 2);
  EXPECT_EQ(last_phase(with, 1), last_phase(without, 1));
  EXPECT_EQ(last_phase(with, 2), last_phase(without, 2) + 3 * (200us - 194us));
}

TEST(Granularity, WhereNobodySaysHowFastTheHostIsAllIsOffLoaded) {
  std::string machine = fmt::format(machine_text, 0.25, 2, 2);
  machine.erase(machine.find("speed"), std::string("speed = 0.25\n").size());
  EXPECT_EQ(small_and_large(machine, 1, false, ""), 10 * (1us + 5us));
}

TEST(Granularity, TheOperatingSystemHasNone) {
  const std::string machine = fmt::format(machine_text, 0.25, 2, 2);
  EXPECT_EQ(small_and_large(machine, 1, false, "", "native"), 10 * (1us + 5us));
  EXPECT_EQ(small_and_large(machine, 1, false, "small=host", "native"), 10 * (1us + 4us));
}

TEST(Granularity, AKernelThatGrowsIsOffLoadedAgainAndOneThatShrinksIsNotAnyMore) {
  const std::string machine = fmt::format(machine_text, 0.25, 2, 2);
  EXPECT_EQ(one_after_the_other(machine, {1us, 1us, 100us, 100us}), 5us + 4us + 400us + 104us);
  std::vector<std::chrono::microseconds> lengths(2, 3us);
  lengths.insert(lengths.end(), 400, 1us);
  const auto all_off_loaded = 2 * 7us + 400 * 5us;
  EXPECT_LT(one_after_the_other(machine, lengths), all_off_loaded);
}

TEST(Granularity, WhatAKernelOnTheHostGivesAndThrowsComesBack) {
  const ms::kernel sum{"sum", [](std::int64_t n) {
                         ms::cost(1us);
                         return ms::parallel_reduce(0, n, std::int64_t{0}, std::plus{}, [](ms::range r) {
                           std::int64_t part = 0;
                           for (std::int64_t i = r.first; i < r.last; ++i) part += i;
                           return part;
                         });
                       }};
  const ms::kernel thrower{"thrower", [] { throw ms::error("too small"); }};
  const variable pin("MASLIN_PIN", "kernels=host"), how("MASLIN_DURATIONS", "declared");
  run_on(fmt::format(machine_text, 0.25, 2, 2), [&] {
    std::int64_t in_stream = 0;
    ms::phase("streams", 4, [&](std::int64_t) {
      in_stream = ms::offload(sum, 1000);
      EXPECT_THROW(ms::offload(thrower), ms::error);
    });
    EXPECT_EQ(in_stream, 499500);
    EXPECT_EQ(ms::offload(sum, 1000), 499500);
    EXPECT_THROW(ms::offload(thrower), ms::error);
    EXPECT_EQ(ms::offload(sum, 10), 45);
  });
}

TEST(Granularity, ATraceSaysWhereAKernelRan) {
  const std::string trace = testing::TempDir() + fmt::format("granularity.{}.mtrace", getpid());
  {
    const variable to("MASLIN_TRACE", trace);
    small_and_large(fmt::format(machine_text, 0.25, 2, 2), 1, true, "");
  }
  std::map<std::pair<std::string, bool>, int> found;
  const ms::trace::file run(trace);
  run.each_event([&](const ms::trace::event& e) {
    if (e.kind == ms::trace::event_kind::offload_begin)
      ++found[{std::string(run.name(e.id)), e.argument == ms::trace::on_host}];
    if (e.kind == ms::trace::event_kind::offload_end)
      --found[{std::string(run.name(e.id)) + " ends", e.argument == ms::trace::on_host}];
  });
  std::filesystem::remove(trace);
  const std::map<std::pair<std::string, bool>, int> expected = {
      {{"small", false}, 1},       {{"small", true}, 9},       {{"large", false}, 10},
      {{"small ends", false}, -1}, {{"small ends", true}, -9}, {{"large ends", false}, -10}};
  EXPECT_EQ(found, expected);
}

}  // namespace
