#include "calibrate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "calibrate_curves.hpp"
#include "cli/shared/scratch_folder.hpp"
#include "cpu_seconds.hpp"
#include "maslin/error.hpp"
#include "maslin/loop.hpp"
#include "maslin/machine.hpp"
#include "maslin/runtime.hpp"
#include "maslin/task.hpp"
#include "output.hpp"
#include "process_messages.hpp"

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

/// The microseconds that a worker takes for an empty task of its own.
measured_round time_of_task() {
  setenv("MASLIN_AT_ONCE", "0", 1);  // or its creator would run it
  std::vector<double> all;
  double wall = 0, cpu = 0;
  {
    const maslin::Runtime runtime(maslin::Runtime::options{.workers = 1});
    constexpr int tasks = 2000;
    for (int round = 0; round < 31; ++round) {
      for (int i = 0; i < tasks; ++i) maslin::task([] {});
      const auto begin = clock_type::now();
      const double before = process_cpu_seconds();
      maslin::wait();
      cpu += process_cpu_seconds() - before;
      const double seconds = seconds_since(begin);
      wall += seconds;
      all.push_back(1e6 * seconds / tasks);
    }
  }
  unsetenv("MASLIN_AT_ONCE");
  return {median(all), 0, cpu / wall};
}

/// What sharing a loop among two workers takes, in microseconds: when both are awake, or when the other sleeps.
measured_round time_of_sharing(bool asleep) {
  const maslin::Runtime runtime(maslin::Runtime::options{.workers = 2});
  const double half = asleep ? 400e-6 : 40e-6;  // a wake-up must be over before the caller has run its block
  const int loops = asleep ? 30 : 200;
  std::vector<loop_of_two> all;
  const auto begin = clock_type::now();
  const double before = process_cpu_seconds();
  for (int loop = 0; loop < loops; ++loop) {
    // The caller computes until the other sleeps: if it slept, too, its own CPU would have to wake up.
    if (asleep) compute(5e-3);
    std::thread::id by[2];
    const auto called = clock_type::now();
    maslin::parallel_for(
        0, 2,
        [&](maslin::range some) {
          for (auto i : some) {
            by[i] = std::this_thread::get_id();
            compute(half);
          }
        },
        maslin::schedule::dbs, maslin::block{1});
    all.push_back({1e6 * std::max(0.0, seconds_since(called) - half), by[0] != by[1]});
  }
  // Two workers that the system puts on one CPU share nothing.
  const double had = (process_cpu_seconds() - before) / (2 * seconds_since(begin));
  return round_of_shared(all, asleep ? 1 : had);
}

/// The gigabytes a second that so many threads read and write together.
measured_round memory_bandwidth(int threads) {
  // 64 MiB an array, beyond the caches of a core; but no more than a gibibyte in all.
  const std::size_t numbers =
      std::min(std::size_t{1} << 23, (std::size_t{1} << 26) / static_cast<std::size_t>(threads));
  std::vector<measured_round> each(static_cast<std::size_t>(threads));
  std::vector<std::vector<double>> arrays(2 * static_cast<std::size_t>(threads), std::vector<double>(numbers, 1.0));
  std::vector<std::jthread> team;
  for (int t = 0; t < threads; ++t)
    team.emplace_back([&, t] {
      std::vector<double>& a = arrays[2 * static_cast<std::size_t>(t)];
      const std::vector<double>& b = arrays[2 * static_cast<std::size_t>(t) + 1];
      std::vector<double> times;
      const auto first = clock_type::now();
      const double before = thread_cpu_seconds();
      for (int round = 0; round < 5; ++round) {
        const auto begin = clock_type::now();
        for (std::size_t i = 0; i < numbers; ++i) a[i] = 0.5 * a[i] + b[i];
        times.push_back(seconds_since(begin));
      }
      const double had = (thread_cpu_seconds() - before) / seconds_since(first);
      each[static_cast<std::size_t>(t)] = {3 * sizeof(double) * static_cast<double>(numbers) / median(times) * 1e-9, 0,
                                           had};
    });
  team.clear();
  measured_round all;
  for (const measured_round& one : each) {
    all.is += one.is;
    all.had_cpu = std::min(all.had_cpu, one.had_cpu);
  }
  return all;
}

constexpr int most_processes = 64;  // of maslin-mpirun

/// Gives what disturbed the measurements, as far as the system says it.
std::string disturbance(const steady& figures, int cpus) {
  if (figures.taken_by_others() < 0.05) return "the machine was not steady while it was measured";
  return fmt::format("other processes took {:.1f} of {} CPUs while this machine was measured",
                     figures.taken_by_others(), cpus);
}

/// Of what would change how messages and loops run.
void forget_settings() {
  for (const char* other : {"MASLIN_MACHINE", "MASLIN_SERIAL", "MASLIN_TRACE", "MASLIN_NODE", "MASLIN_WAIT",
                            "MASLIN_CHECK", "MASLIN_REPORT", "MASLIN_LEARNED"})
    unsetenv(other);
}

/// Says what is doubtful.
void warn(const steady& figures, int cpus) {
  if (figures.doubts().empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, why] : figures.doubts()) names.push_back(name);
  fmt::print(stderr, "maslin: warning: {}, so these figures are doubtful: {}; measure again on a quiet machine\n",
             disturbance(figures, cpus), fmt::join(names, ", "));
}

}  // namespace

std::string description_with_messages(const std::string& file, const std::vector<std::string>& launcher) {
  const maslin::machine::machine_spec spec = maslin::machine::read_spec(file);  // before anything is run
  forget_settings();
  const int cpus = maslin::machine::budget().cpus;
  std::optional<progress> bar(std::in_place, "measuring", 1);
  steady figures(cpus, [&](const std::string& name) { bar->at(0, name); });
  const std::vector<message_group> groups = messages_between_processes(launcher, figures);
  bar.reset();
  warn(figures, cpus);
  std::string text = with_messages(file, groups, figures);
  command::scratch_folder folder;
  const std::string written = folder.file("description.toml");
  write_file(written, text);
  maslin::machine::read_spec(written);
  for (const message_group& group : groups)
    if (const int nodes = group.of.ranks / group.of.on_a_node;
        group.of.where == maslin::layers::placement::nodes && nodes > spec.nodes) {
      fmt::print(stderr, "maslin: note: {} describes {} node{}; for layouts on {} write nodes = {} there\n", file,
                 spec.nodes, spec.nodes == 1 ? "" : "s", nodes, nodes);
      break;
    }
  return text;
}

std::string calibrated_description(bool curves) {
  namespace machine = maslin::machine;
  const machine::topology here = machine::detect_topology();
  const int workers = machine::budget().cpus;
  forget_settings();
  std::vector<int> teams;
  for (int t = 1; curves && t < workers; t *= 2) teams.push_back(t);
  teams.push_back(workers);
  std::vector<std::string> launcher;
  if (curves && workers > 1) launcher = launcher_of_processes(std::min(workers, most_processes));
  const auto count = 1 + (workers > 1 ? 2 : 0) + teams.size() +
                     static_cast<std::size_t>((curves ? curve_figures(workers) : 0) + (launcher.empty() ? 0 : 1));
  std::optional<progress> bar(std::in_place, "measuring", count);
  std::uint64_t begun = 0;
  steady figures(workers, [&](const std::string& name) { bar->at(begun++, name); });
  using best = steady::best;
  const double task = figures.measure("dispatch.task_us", 0, best::least, time_of_task).is;
  double soon = 0, later = 0;
  if (workers > 1) {
    soon = figures.measure("dispatch.handover_us", 0, best::least, [] { return time_of_sharing(false); }).is;
    later = figures.measure("dispatch.wake_us", 0, best::least, [] { return time_of_sharing(true); }).is;
  }
  std::vector<curve_point> saturation;
  for (const int t : teams)
    saturation.push_back(figures.measure(fmt::format("memory bandwidth of {} worker{}", t, t == 1 ? "" : "s"), t,
                                         best::most, [&] { return memory_bandwidth(t); }));
  std::string others = curves ? message_and_sharing_groups(workers, figures) : "";
  std::string unmeasured;
  if (!launcher.empty()) try {
      for (const message_group& group : messages_between_processes(launcher, figures)) others += "\n" + group.text;
    } catch (const maslin::error& e) {  // where processes cannot share memory, for one
      unmeasured = e.what();
    }
  bar.reset();
  if (!unmeasured.empty())
    fmt::print(stderr, "maslin: warning: messages between processes are left out: {}\n", unmeasured);
  warn(figures, workers);

  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const auto plain = [](std::string text) {  // as a text of TOML
    std::erase_if(text, [](unsigned char c) { return c == '"' || c == '\\' || c < ' '; });
    return text.empty() ? std::string("this machine") : text;
  };
  std::string text;
  line(text, "# Measured by `maslin machine --calibrate`. A machine that is busy has longer times and less bandwidth.");
  if (!figures.doubts().empty()) {
    line(text, "# Warning: {}. Doubtful are:", disturbance(figures, workers));
    for (const auto& [name, why] : figures.doubts()) line(text, "#   {}: {}", name, why);
  }
  line(text, "name = \"{}\"", plain(host));
  line(text, "about = \"{}\"", plain(here.processor));
  line(text, "\n[workers]\nkind = \"cpu\"\ncount = {}\nsource = \"the CPUs that this process may use\"", workers);
  line(text, "\n[dispatch]\ntask_us = {:.4f}", task);
  if (workers > 1) {
    // A loop that two share is handed over, taken, and handed back.
    const double wake = std::max(0.0, later - soon);
    line(text, "handover_us = {:.3f}\nwake_us = {:.1f}\nspin_us = {:.1f}", soon / 3, wake, 3 * wake);
  }
  line(text, "source = \"measured: 2,000 empty tasks of one worker{}\"",
       workers > 1
           ? "; loops of two blocks that two workers shared, at once and when the caller had computed alone for "
             "5 ms (a worker looks for work for three wake-ups)"
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
         bytes, workers, saturation.back().is);
  if (!curves) return text;
  line(text, "\n[saturation]\n{}source = \"measured: a = a / 2 + b with arrays of 64 MiB on so many CPUs at a time\"",
       arrays_of(saturation, "workers", "gb_per_s", "error_gb_per_s"));
  return text + others;
}
