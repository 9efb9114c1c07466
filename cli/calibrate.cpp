#include "calibrate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate_curves.hpp"
#include "maslin/loop.hpp"
#include "maslin/machine.hpp"
#include "maslin/runtime.hpp"
#include "maslin/task.hpp"
#include "output.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

/// Computes for about so long, without memory.
void compute(double seconds) {
  const auto begin = clock_type::now();
  while (seconds_since(begin) < seconds) {
  }
}

/// Gives the seconds that a worker takes for an empty task of its own.
double time_of_task() {
  setenv("MASLIN_AT_ONCE", "0", 1);  // or its creator would run it
  std::vector<double> all;
  {
    const maslin::Runtime runtime(maslin::Runtime::options{.workers = 1});
    constexpr int tasks = 2000;
    for (int round = 0; round < 31; ++round) {
      for (int i = 0; i < tasks; ++i) maslin::task([] {});
      const auto begin = clock_type::now();
      maslin::wait();
      all.push_back(seconds_since(begin) / tasks);
    }
  }
  unsetenv("MASLIN_AT_ONCE");
  return median(all);
}

struct sharing {
  double soon;   ///< what sharing a loop among two workers takes when both are awake, in seconds
  double later;  ///< and when the other sleeps
};

sharing time_of_sharing_once() {
  const maslin::Runtime runtime(maslin::Runtime::options{.workers = 2});
  constexpr double half = 40e-6;
  const auto once = [&] {
    const auto begin = clock_type::now();
    maslin::parallel_for(
        0, 2,
        [&](maslin::range some) {
          for ([[maybe_unused]] auto i : some) compute(half);
        },
        maslin::schedule::dbs, maslin::block{1});
    return std::max(0.0, seconds_since(begin) - half);
  };
  std::vector<double> soon, later;
  for (int round = 0; round < 200; ++round) soon.push_back(once());
  for (int round = 0; round < 30; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    later.push_back(once());
  }
  return {median(soon), median(later)};
}

/// The least of some runtimes' times: two workers that the system put on one CPU share nothing.
sharing time_of_sharing() {
  sharing least = time_of_sharing_once();
  for (int round = 1; round < 5; ++round) {
    const sharing next = time_of_sharing_once();
    if (next.soon < least.soon) least = next;
  }
  return least;
}

/// Gives the bytes per second that so many threads read and write together.
double memory_bandwidth(int threads) {
  // 64 MiB an array, beyond the caches of a core; but no more than a gibibyte in all.
  const std::size_t numbers =
      std::min(std::size_t{1} << 23, (std::size_t{1} << 26) / static_cast<std::size_t>(threads));
  std::vector<double> each(static_cast<std::size_t>(threads));
  std::vector<std::vector<double>> arrays(2 * static_cast<std::size_t>(threads), std::vector<double>(numbers, 1.0));
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      std::vector<double>& a = arrays[2 * static_cast<std::size_t>(t)];
      const std::vector<double>& b = arrays[2 * static_cast<std::size_t>(t) + 1];
      std::vector<double> times;
      for (int round = 0; round < 5; ++round) {
        const auto begin = clock_type::now();
        for (std::size_t i = 0; i < numbers; ++i) a[i] = 0.5 * a[i] + b[i];
        times.push_back(seconds_since(begin));
      }
      each[static_cast<std::size_t>(t)] = 3 * sizeof(double) * static_cast<double>(numbers) / median(times);
    });
  team.clear();
  double sum = 0;
  for (const double one : each) sum += one;
  return sum;
}

}  // namespace

std::string calibrated_description(bool curves) {
  namespace machine = maslin::machine;
  const machine::topology here = machine::detect_topology();
  const int workers = machine::budget().cpus;
  for (const char* other : {"MASLIN_MACHINE", "MASLIN_SERIAL", "MASLIN_TRACE", "MASLIN_NODE", "MASLIN_WAIT",
                            "MASLIN_CHECK", "MASLIN_REPORT", "MASLIN_LEARNED"})
    unsetenv(other);
  std::vector<int> teams;
  for (int t = 1; curves && t < workers; t *= 2) teams.push_back(t);
  teams.push_back(workers);
  const auto parts = 2 + teams.size() + (curves ? curve_parts : 0);
  progress bar("measuring", parts);
  std::uint64_t done = 0;
  const double task = time_of_task();
  bar.at(++done);
  std::optional<sharing> shared;
  if (workers > 1) shared = time_of_sharing();
  bar.at(++done);
  std::vector<curve_point> saturation;
  for (const int t : teams) {
    std::vector<double> samples;
    for (int round = 0; round < (curves ? 3 : 1); ++round) samples.push_back(memory_bandwidth(t) * 1e-9);
    saturation.push_back(median_point(t, samples));
    bar.at(++done);
  }
  const double bandwidth = saturation.back().is * 1e9;
  const std::string others = curves ? message_and_sharing_groups(workers, [&] { bar.at(++done); }) : "";

  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto plain = [](std::string text) {  // as a text of TOML
    std::erase_if(text, [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; });
    return text.empty() ? std::string("this machine") : text;
  };
  std::string text;
  line(text, "# Measured by `maslin machine --calibrate`; a machine that is busy gives larger numbers.");
  line(text, "name = \"{}\"", plain(host));
  line(text, "about = \"{}\"", plain(here.processor));
  line(text, "\n[workers]\nkind = \"cpu\"\ncount = {}\nsource = \"the CPUs that this process may use\"", workers);
  line(text, "\n[dispatch]\ntask_us = {:.4f}", task * 1e6);
  if (shared) {
    // A loop that two share is handed over, taken, and handed back.
    const double wake = std::max(0.0, shared->later - shared->soon) * 1e6;
    line(text, "handover_us = {:.3f}\nwake_us = {:.1f}\nspin_us = {:.1f}", shared->soon * 1e6 / 3, wake, 3 * wake);
  }
  line(text, "source = \"measured: 2,000 empty tasks of one worker{}\"",
       shared ? "; a loop of two blocks on two workers, at once and after 5 ms (a worker looks for work for three "
                "wake-ups)"
              : "");
  std::map<int, const machine::cache*> levels;
  for (const machine::cache& c : here.caches) levels.emplace(c.level, &c);
  for (const auto& [level, cache] : levels)
    if (cache->bytes > 0)  // some systems do not tell
      line(text, "\n[[memory]]\nlevel = \"L{}\"\nbytes = {}\nshared_by = {}\nsource = \"as the system tells\"", level,
           cache->bytes, std::clamp(static_cast<int>(cache->cpus.size()), 1, workers));
  std::int64_t bytes = 0;
  for (const machine::numa_node& n : here.numa) bytes += n.bytes;
  if (bytes > 0)
    line(text,
         "\n[[memory]]\nlevel = \"memory\"\nbytes = {}\nshared_by = {}\nbandwidth_gb_per_s = {:.1f}\nsource = \"as the "
         "system tells; measured: a = a / 2 + b with arrays of 64 MiB on every CPU\"",
         bytes, workers, bandwidth * 1e-9);
  if (!curves) return text;
  line(text, "\n[saturation]\n{}source = \"measured: a = a / 2 + b with arrays of 64 MiB on so many CPUs at a time\"",
       arrays_of(saturation, "workers", "gb_per_s", "error_gb_per_s"));
  return text + others;
}
