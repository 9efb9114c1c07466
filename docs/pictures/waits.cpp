// page_picture_waits SITUATION [OFF-LOADS]: a phase of one stream that off-loads loops to a team of two and computes
// alone in between, while the other worker waits. SITUATION: alike (loops of 20 us, 10 us in between), varied (lengths
// from 1 to 200 us) or long (2 ms in between). Prints one JSON line: how long the phase took, its CPU time, and how its
// workers waited. Its run is drawn in docs/policies/wait.md (waits.py). Status 1 where a result was wrong.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "maslin/maslin.hpp"

namespace ms = maslin;

namespace {

struct turn {
  double loop_us;
  double alone_us;
};

/// The `k`th turn of a situation.
turn turn_of(std::string_view situation, std::uint64_t k) {
  if (situation == "alike") return {20, 10};
  if (situation == "long") return {20, 2000};
  const auto length = [](std::uint64_t seed) {  // between 1 and 200 us, as many below 14 as above
    const double share = static_cast<double>(seed * 0x9e3779b97f4a7c15u >> 11) / 9007199254740992.0;
    return std::pow(200.0, share);
  };
  return {length(2 * k + 1), length(2 * k + 2)};
}

/// Computes for about so long on a free core; gives a number that depends on nothing else.
std::uint64_t compute(double us) {
  std::uint64_t value = 1;
  for (auto steps = static_cast<std::int64_t>(750 * us); steps > 0; --steps) value = value * 6364136223846793005u + 1;
  return value;
}

std::uint64_t shared(double us) {
  return ms::parallel_reduce(
      0, 2, std::uint64_t{0}, std::plus{}, [us](ms::range) { return compute(us); }, ms::schedule::dbs, ms::block{1});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view situation = argc > 1 ? argv[1] : "alike";
  const std::uint64_t off_loads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000;
  static const ms::kernel loop{"loop", shared};
  std::uint64_t total = 0;
  ms::phase("waits", 1, [&](std::int64_t) {
    for (std::uint64_t k = 0; k < off_loads; ++k) {
      const turn now = turn_of(situation, k);
      total += ms::offload(loop, now.loop_us);
      total += compute(now.alone_us);
    }
  });
  for (std::uint64_t k = 0; k < off_loads; ++k) {
    const turn now = turn_of(situation, k);
    total -= 2 * compute(now.loop_us) + compute(now.alone_us);
  }
  const auto report = ms::report("waits");
  std::printf("{\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"waiting\": \"%s\", \"reason\": \"%s\"}\n", report->seconds,
              report->cpu_seconds.value_or(0), report->waiting.c_str(), report->waiting_reason.c_str());
  return total == 0 ? 0 : 1;
}
