#include "scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/shared/scratch_folder.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "model/layers/machine.hpp"
#include "output.hpp"
#include "replay.hpp"

namespace {

/// As many workers as stand for any number of them.
constexpr int very_many = 4096;

/// Gives what a run takes with a look at memory, which moves `fast` bytes a second, if it takes `seconds` without: a
/// line that moves data is held up where it would be faster than memory. The shares of the lines follow.
double with_memory(double fast, const by_line& bytes, std::vector<line_share>& shares, double seconds) {
  if (fast <= 0) return seconds;
  double longer = seconds;
  for (line_share& l : shares) {
    l.share *= seconds;
    const auto moved = bytes.find(l.line);
    if (moved == bytes.end()) continue;
    const double held_up = std::max(0.0, moved->second / fast - l.share);
    l.share += held_up;
    longer += held_up;
  }
  for (line_share& l : shares) l.share /= longer;
  std::sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  return longer;
}

}  // namespace

const char* to_string(scaling::limit by) {
  constexpr std::array names{"", "span", "memory bandwidth", "dispatch", "imbalance"};
  return names[static_cast<std::size_t>(by)];
}

double bandwidth(const maslin::machine::machine_spec& machine, int workers) {
  const double described = static_cast<double>(machine.workers.count) * machine.nodes;
  for (const auto& level : machine.memory)
    if (level.level == "memory" && level.bandwidth_gb_per_s)
      return *level.bandwidth_gb_per_s * 1e9 * std::ceil(std::min<double>(workers, described) / level.shared_by);
  return 0;
}

double bytes_from_memory(const recorded& program, const maslin::machine::machine_spec& machine, std::uint64_t data) {
  double caches = 0;
  for (const auto& level : machine.memory)
    if (level.level != "memory")
      caches = std::max(caches, static_cast<double>(level.bytes) * machine.workers.count / level.shared_by);
  if (static_cast<double>(data) <= caches) return 0;
  double sum = 0;
  for (const recorded::task& t : program.tasks)
    for (std::uint32_t i = 0; i < t.accesses; ++i) {
      const auto& form = program.accesses[t.first_access + i].form;
      const bool both = form.mode == maslin::access_mode::inout || form.mode == maslin::access_mode::concurrent;
      sum += static_cast<double>(form.bytes) * static_cast<double>(form.columns) * (both ? 2 : 1);
    }
  return sum;
}

std::vector<std::string> unsaid_of(const maslin::machine::machine_spec& machine) {
  std::vector<std::string> keys;
  if (!maslin::layers::says_speed(machine.file)) keys.emplace_back("workers.speed");
  const maslin::machine::dispatch_spec said = machine.dispatch.value_or(maslin::machine::dispatch_spec());
  if (!said.task_us) keys.emplace_back("dispatch.task_us");
  if (!said.handover_us) keys.emplace_back("dispatch.handover_us");
  if (!said.wake_us) keys.emplace_back("dispatch.wake_us");
  if (bandwidth(machine, 1) <= 0) keys.emplace_back("the bandwidth of memory");
  using ends = maslin::machine::link_spec::ends;
  const auto signals_take_time = [&](ends between) {
    return std::any_of(machine.links.begin(), machine.links.end(),
                       [&](const auto& link) { return link.between == between && link.latency_us; });
  };
  if (machine.workers.groups > 1 && !signals_take_time(ends::groups))
    keys.emplace_back("link between groups: latency_us");
  if (machine.nodes > 1 && !signals_take_time(ends::nodes)) keys.emplace_back("link between nodes: latency_us");
  return keys;
}

scaling scale(const recorded& program, const std::string& machine, const std::vector<int>& workers,
              const std::string& loops, bool trimmed, const by_line& bytes_per_second) {
  const auto spec = maslin::machine::read_spec(machine);
  if (spec.hosts)
    throw maslin::error(
        fmt::format("{}: its workers are accelerators; what is recorded on CPU cores is replayed there "
                    "with `maslin replay`, but how it scales is asked of a machine of CPU cores",
                    machine));
  command::scratch_folder folder;
  const std::string free_machine = folder.file("free.toml");
  const std::string last = folder.file("last.mtrace");
  write_file(free_machine,
             fmt::format("name = \"free\"\n[workers]\nkind = \"cpu\"\ncount = {}\nspeed = {}\nsource = \"a machine "
                         "whose runtime takes no time\"\n",
                         very_many, spec.workers.speed));
  replay again(program);
  replay_wishes how;
  how.loops = loops;
  how.trimmed = trimmed;
  const bool measured = !bytes_per_second.empty();
  by_line bytes = line_seconds(program);
  std::erase_if(bytes, [&](const auto& line) { return !bytes_per_second.contains(line.first); });
  for (auto& [line, sum] : bytes) sum *= bytes_per_second.at(line);
  progress bar("replaying", 2 * workers.size() + 3);
  std::uint64_t done = 0;
  const auto seconds_on = [&](const std::string& where, int count) {
    how.machine = where;
    how.workers = count;
    const double seconds = again.run(how);
    bar.at(++done);
    return seconds;
  };
  scaling all;
  all.work = seconds_on(free_machine, 1);
  if (!(all.work > 0))
    throw maslin::error("the trace holds no work: nothing in it took any time, so there is nothing to scale");
  all.span = seconds_on(free_machine, very_many);
  all.burdened_span = seconds_on(machine, very_many);
  if (!measured) all.memory_bytes = bytes_from_memory(program, spec, again.data_bytes());
  all.unsaid = unsaid_of(spec);
  for (const int count : workers) {
    scaling::point p{count, 0, seconds_on(free_machine, count), scaling::limit::none};
    all.span = std::min(all.span, p.ideal);
    how.trace = count == workers.back() || measured ? last : "";
    p.seconds = seconds_on(machine, count);
    if (!how.trace.empty()) all.lines = critical_lines(maslin::trace::file(last));
    how.trace.clear();
    const double fast = bandwidth(spec, count);
    const double memory = measured   ? with_memory(fast, bytes, all.lines, p.seconds)
                          : fast > 0 ? all.memory_bytes / fast
                                     : 0;
    const double perfect = all.work / count;
    const std::array<std::pair<double, scaling::limit>, 4> lost{
        {{std::max(0.0, all.span - perfect), scaling::limit::span},
         {std::max(0.0, p.ideal - std::max(perfect, all.span)), scaling::limit::imbalance},
         {std::max(0.0, p.seconds - p.ideal), scaling::limit::dispatch},
         {std::max(0.0, memory - p.seconds), scaling::limit::memory}}};
    p.seconds = std::max(p.seconds, memory);
    const auto most = std::max_element(lost.begin(), lost.end());
    constexpr double worth_naming = 0.05;
    if (most->first > worth_naming * p.seconds) p.by = most->second;
    all.points.push_back(p);
  }
  return all;
}
