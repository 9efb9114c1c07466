#include "trace/clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/clock.hpp"

namespace maslin::trace::internal {

namespace {

/// Gives whether the processor promises a time stamp counter of one rate (CPUID leaf 0x80000007, EDX bit 8).
bool counter_is_invariant() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d >> 8 & 1u) != 0;
#else
  return false;
#endif
}

}  // namespace

bool use_counter = false;

std::uint64_t (*described_clock)() noexcept = nullptr;

void choose_clock(std::uint64_t (*described)() noexcept) noexcept {
  described_clock = described;
  use_counter = !described && counter_is_invariant();
}

std::uint64_t ticks_per_event() noexcept { return described_clock ? 0 : base::ticks_per_reading(ticks); }

clock_pair read_clocks() noexcept {
  if (described_clock) {
    const std::uint64_t now = described_clock();
    return {now, now};
  }
  clock_pair best{};
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = ticks();
    const std::uint64_t ns = monotonic_ns();
    const std::uint64_t after = ticks();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + (after - before) / 2, ns};
    }
  }
  return best;
}

}  // namespace maslin::trace::internal
