#include "steady.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cpu_seconds.hpp"

namespace {

constexpr std::size_t few = 3, many = 9;  // rounds
constexpr double enough_seconds = 3;      // of one figure, however unstable it is
constexpr double bound = 0.1;             // of the best rounds, relative
constexpr double enough_cpu = 0.95;       // that threads have, of their time
constexpr double busy = 0.05;             // what others take of all CPUs

/// Gives the seconds in which the CPUs of this process were not idle; less than 0 where the system does not say.
double busy_seconds() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return -1;
  std::ifstream in("/proc/stat");
  double ticks = 0;
  int found = 0;
  for (std::string text; std::getline(in, text);) {
    std::istringstream words(text);
    std::string name;
    words >> name;
    if (name.size() < 4 || name.compare(0, 3, "cpu") != 0) continue;
    if (const int cpu = std::atoi(name.c_str() + 3); cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &mine)) continue;
    // user, nice, system, idle, waiting for a device, interrupts, the same deferred, other guests of the host
    double of[8] = {};
    for (double& one : of) words >> one;
    ticks += of[0] + of[1] + of[2] + of[5] + of[6] + of[7];
    ++found;
  }
  return found == CPU_COUNT(&mine) ? ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : -1;
}

}  // namespace

curve_point median_point(double at, std::vector<double> samples) {
  if (samples.empty()) return {at, 0, 0};
  std::sort(samples.begin(), samples.end());
  const std::size_t n = samples.size();
  // Of a median: half the distance of the samples that are as far from the middle as √n / 2 of them.
  const auto off = std::max<std::size_t>(1, static_cast<std::size_t>(std::sqrt(static_cast<double>(n)) / 2));
  const std::size_t low = n / 2 > off ? n / 2 - off : 0, high = std::min(n - 1, n / 2 + off);
  return {at, samples[n / 2], (samples[high] - samples[low]) / 2};
}

measured_round round_of_shared(const std::vector<loop_of_two>& loops, double had_cpu) {
  std::vector<double> shared, all;
  for (const loop_of_two& one : loops) {
    all.push_back(one.more);
    if (one.both) shared.push_back(one.more);
  }
  if (shared.empty()) return {median_point(0, all).is, 0, 0};
  return {median_point(0, shared).is, 0, had_cpu};
}

cpu_use cpu_use_so_far() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return {now.count(), busy_seconds(), process_cpu_seconds() + cpu_seconds_of_children()};
}

steady::steady(int cpus, std::function<void(const std::string&)> next, std::function<cpu_use()> look)
    : cpus_(cpus), next_(std::move(next)), look_(std::move(look)) {}

curve_point steady::measure(const std::string& name, double at, best which,
                            const std::function<measured_round()>& round) {
  curve_point point;
  watch(name, [&] { point = settle(name, at, which, round); });
  return point;
}

void steady::watch(const std::string& name, const std::function<void()>& work) {
  next_(name);
  const cpu_use before = look_();
  work();
  const cpu_use after = look_();
  if (before.all < 0 || after.all < 0) return;
  constexpr double ticks = 0.02;  // the system counts in hundredths of a second
  const double seconds = after.now - before.now;
  const double others = std::max(0.0, (after.all - before.all) - (after.own - before.own));
  seconds_ += seconds;
  others_seconds_ += others;
  if (others - ticks > busy * cpus_ * seconds)
    doubt(name, fmt::format("other processes took {:.1f} of {} CPUs meanwhile", others / seconds, cpus_));
}

curve_point steady::settle(const std::string& name, double at, best which,
                           const std::function<measured_round()>& round) {
  const auto is_better = [&](const measured_round& a, const measured_round& b) {
    return which == best::least ? a.is < b.is : a.is > b.is;
  };
  std::vector<measured_round> rounds;  // the best first
  const auto spread = [&] { return std::abs(rounds[few - 1].is - rounds[0].is); };
  const auto is_stable = [&] { return rounds.size() >= few && spread() <= bound * std::abs(rounds[1].is); };
  const double begin = look_().now;
  while (!is_stable() && rounds.size() < many && (rounds.size() < few || look_().now - begin < enough_seconds)) {
    const measured_round one = round();
    rounds.insert(std::upper_bound(rounds.begin(), rounds.end(), one, is_better), one);
  }
  const measured_round& middle = rounds[1];
  if (!is_stable())
    doubt(name,
          fmt::format("{} rounds gave from {:.3g} to {:.3g}", rounds.size(),
                      std::min(rounds.front().is, rounds.back().is), std::max(rounds.front().is, rounds.back().is)));
  if (middle.had_cpu < enough_cpu)
    doubt(name, fmt::format("its threads had a CPU for {:.0f} % of the time", 100 * middle.had_cpu));
  return {at, middle.is, std::max(middle.error, spread() / 2)};
}

void steady::doubt(const std::string& name, const std::string& why) {
  if (doubts_.empty() || doubts_.back().first != name) doubts_.emplace_back(name, why);
}
