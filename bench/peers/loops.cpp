// Loops that are hardly worth sharing, and loops whose iterations differ.

#include <algorithm>
#include <cmath>

#include "figures.hpp"
#include "peer.hpp"

namespace bench {

namespace {

/// An empty loop in which both workers take part, without anybody's promise about who runs what: the iterations wait
/// for each other. Gives whether they met.
bool both_take_part() {
  std::atomic<int> arrived = 0;
  std::atomic<int> met = 0;
  peer::loop(peer::even, workers, [&](long i) {
    mine.note(static_cast<std::uint64_t>(i));
    if (meet(arrived, 1)) met.fetch_add(1, std::memory_order_relaxed);
  });
  return met.load() == workers;
}

/// Whether each enlisted worker has run its half of `loops` loops.
bool halves_each(std::uint64_t loops) {
  const tally all = all_tallies();
  return all.count == 2 * loops && all.sum == loops && mine.count == loops;
}

results triangle(const char* figure, bool heavy_first) {
  constexpr long columns = 512;
  const double steps_in_all = static_cast<double>(steps_for(0.12e-3));
  std::vector<long> steps(columns);
  std::vector<double> expected(columns);
  for (long i = 0; i < columns; ++i) {
    const long weight = heavy_first ? columns - i : i + 1;
    const double share = static_cast<double>(weight) / (0.5 * columns * (columns + 1));
    steps[static_cast<std::size_t>(i)] = std::max(1L, std::lround(share * steps_in_all));
    expected[static_cast<std::size_t>(i)] = work(steps[static_cast<std::size_t>(i)]);
  }
  const auto column = [&](long i) {
    const auto at = static_cast<std::size_t>(i);
    if (work(steps[at]) == expected[at]) mine.note(static_cast<std::uint64_t>(i));
  };
  results found;
  for (std::size_t s = 0; s < peer::schedules.size(); ++s) {
    bool right = true;
    std::vector<double> over_half;
    const timing seconds = time_of([&] {
      const double serial = seconds_of([&] {
        for (long i = 0; i < columns; ++i) column(i);
      });
      clear_tallies();
      const double taken = seconds_of([&] { peer::loop(s, columns, column); });
      right = right && each_ran_once(columns);
      over_half.push_back(taken / (serial / workers));
      return taken;
    });
    found.push_back({figure, seconds, 0, right, {{"over_half", median(over_half)}}, peer::schedules[s]});
  }
  return found;
}

}  // namespace

results fork_join() {
  if (peer::schedules.empty()) return {};
  constexpr std::uint64_t batch = 1000;
  bool right = true;
  const timing seconds = time_of([&] {
    clear_tallies();
    const double taken = seconds_of([&] {
      for (std::uint64_t k = 0; k < batch; ++k) right = both_take_part() && right;
    });
    right = right && halves_each(batch);
    return taken / static_cast<double>(batch);
  });
  return {{"fork-join", seconds, 1, right}};
}

results fork_join_after_gap() {
  if (peer::schedules.empty()) return {};
  constexpr double gap = 100e-6;
  bool right = true;
  const timing seconds = time_of([&] {
    for (const double end = now() + gap; now() < end;) continue;
    clear_tallies();
    const double taken = seconds_of([&] { right = both_take_part() && right; });
    right = right && halves_each(1);
    return taken;
  });
  return {{"fork-join-after-gap", seconds, 1, right}};
}

results triangle_light_first() { return triangle("triangle-light-first", false); }
results triangle_heavy_first() { return triangle("triangle-heavy-first", true); }

}  // namespace bench
