#include "calibrate_curves.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>

#include "cpu_seconds.hpp"
#include "maslin/ranks.hpp"
#include "maslin/runtime.hpp"
#include "output.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Computes with a table that fits a core's first cache, as threads do that disturb each other there.
double compute(int rounds) {
  std::vector<double> table(2048, 1.0);
  for (int r = 0; r < rounds; ++r)
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = table[i] * 0.999 + table[(i * 7) % table.size()] * 1e-3;
  return table.front();
}

/// Gives the CPU seconds that each of so many threads has computed, all on the first CPU of this process: what they
/// take from each other is no part of it, but what they disturb each other is.
double on_one_cpu(int threads, int rounds) {
  cpu_set_t all, one;
  CPU_ZERO(&all);
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return 0;
  int cpu = 0;
  while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &all)) ++cpu;
  CPU_SET(cpu, &one);
  std::vector<std::jthread> team;
  std::vector<double> seconds(static_cast<std::size_t>(threads)), results = seconds;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      sched_setaffinity(0, sizeof one, &one);
      const double begin = thread_cpu_seconds();
      results[static_cast<std::size_t>(t)] = compute(rounds);
      seconds[static_cast<std::size_t>(t)] = thread_cpu_seconds() - begin;
    });
  team.clear();
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / threads;
}

constexpr int sharing_threads[] = {1, 2, 3, 4, 6};

std::string sharing_group(steady& figures) {
  constexpr int rounds = 8000;  // some scheduling periods of the system
  std::vector<curve_point> points;
  double alone = 0;
  for (const int threads : sharing_threads) {
    curve_point p = figures.measure("[sharing]", threads, steady::best::least,
                                    [&] { return measured_round{on_one_cpu(threads, rounds)}; });
    if (threads == 1) alone = p.is;
    if (!(alone > 0)) return {};
    p.is /= alone;
    p.error /= alone;
    points.push_back(p);
  }
  return fmt::format(
      "\n[sharing]\n{}source = \"measured: as many threads on one CPU, CPU time of each / of one alone\"\n",
      arrays_of(points, "threads", "slow_down", "error"));
}

constexpr int warm_up = 20;

/// Gives the seconds of a message there, of so many numbers, between two ranks.
std::vector<double> send_times(std::size_t numbers) {
  std::vector<double> samples;
  maslin::ranks(2, [&](maslin::communicator& world) {
    std::vector<double> data(numbers, 1.0);
    constexpr int repeats = 60;
    for (int i = 0; i < repeats + warm_up; ++i) {
      const auto begin = clock_type::now();
      if (world.rank() == 0) {
        world.send(data, 1);
        world.receive(data, 1);
        if (i >= warm_up) samples.push_back(seconds_since(begin) / 2);
      } else {
        world.receive(data, 0);
        world.send(data, 0);
      }
    }
  });
  return samples;
}

std::vector<double> all_reduce_times(int ranks, std::size_t numbers) {
  std::vector<double> samples;
  maslin::ranks(ranks, [&](maslin::communicator& world) {
    const std::vector<double> mine(numbers, 1.0);
    std::vector<double> sum(numbers);
    constexpr int repeats = 60;
    for (int i = 0; i < repeats + warm_up; ++i) {
      const auto begin = clock_type::now();
      world.all_reduce(mine, sum, std::plus{});
      if (world.rank() == 0 && i >= warm_up) samples.push_back(seconds_since(begin));
    }
  });
  return samples;
}

constexpr std::size_t message_bytes[] = {8, 512, 8192, 131072};

std::string message_group(const char* call, const char* placement, int ranks, steady& figures,
                          const std::function<std::vector<double>(std::size_t)>& times) {
  std::vector<curve_point> points;
  const std::string name = fmt::format("{} of {} ranks (placement {})", call, ranks, placement);
  for (const std::size_t bytes : message_bytes) {
    const auto at = static_cast<double>(bytes);
    points.push_back(figures.measure(name, at, steady::best::least, [&] {
      const curve_point p = median_point(at, times(bytes / sizeof(double)));
      return measured_round{1e6 * p.is, 1e6 * p.error};
    }));
  }
  return fmt::format(
      "\n[[messages]]\ncall = \"{}\"\nplacement = \"{}\"\nranks = {}\n{}source = \"measured: ms::ranks of "
      "one process, medians of 60\"\n",
      call, placement, ranks, arrays_of(points, "bytes", "us", "error_us"));
}

/// Gives with how many ranks a call of all is measured on so many workers.
std::vector<int> ranks_of_calls(int workers) {
  std::vector<int> all;
  for (const int ranks : {2, 4, 8, 16, 32, 64})
    if (ranks <= (workers == 1 ? 8 : workers)) all.push_back(ranks);
  return all;
}

/// Figures 1 and 2 on what there is here: ranks of one process, on one worker and on workers of their own.
std::string message_groups(int workers, steady& figures) {
  const maslin::Runtime runtime(maslin::Runtime::options{.workers = workers});
  const char* const where = workers == 1 ? "worker" : "workers";
  std::string text = message_group("send", where, 2, figures, send_times);
  for (const int ranks : ranks_of_calls(workers))
    text += message_group("all_reduce", where, ranks, figures,
                          [&](std::size_t numbers) { return all_reduce_times(ranks, numbers); });
  return text;
}

}  // namespace

std::string arrays_of(const std::vector<curve_point>& points, const char* at, const char* is, const char* error) {
  std::vector<std::string> places, values, errors;
  for (const curve_point& p : points) {
    places.push_back(fmt::format("{:.0f}", p.at));
    values.push_back(fmt::format("{:.4g}", p.is));
    errors.push_back(fmt::format("{:.2g}", p.error));
  }
  return fmt::format("{} = [{}]\n{} = [{}]\n{} = [{}]\n", at, fmt::join(places, ", "), is, fmt::join(values, ", "),
                     error, fmt::join(errors, ", "));
}

std::string message_and_sharing_groups(int workers, steady& figures) {
  std::string text = sharing_group(figures);
  text += message_groups(1, figures);
  if (workers > 1) text += message_groups(workers, figures);
  return text;
}

int curve_figures(int workers) {
  std::size_t curves = 1 + ranks_of_calls(1).size();
  if (workers > 1) curves += 1 + ranks_of_calls(workers).size();
  return static_cast<int>(std::size(sharing_threads) + curves * std::size(message_bytes));
}
