#include "scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/shared/scratch_folder.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "model/layers/machine.hpp"
#include "output.hpp"
#include "replay.hpp"
#include "traffic.hpp"

namespace {

/// As many workers as stand for any number of them.
constexpr int very_many = 4096;

}  // namespace

const char* to_string(scaling::limit by) {
  constexpr std::array names{"", "span", "memory bandwidth", "dispatch", "imbalance"};
  return names[static_cast<std::size_t>(by)];
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
              const std::string& loops, bool trimmed) {
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
  scaling all;
  all.memory_bytes = bytes_moved(program);
  const bool waits = all.memory_bytes > 0 && bandwidth(spec, 1) > 0 && counts_traffic(spec);
  progress bar("replaying", (waits ? 3 : 2) * workers.size() + 2);
  std::uint64_t done = 0;
  const auto seconds_on = [&](const std::string& where, int count, bool memory = false) {
    how.machine = where;
    how.workers = count;
    how.memory = memory;
    const double seconds = again.run(how);
    bar.at(++done);
    return seconds;
  };
  all.work = seconds_on(free_machine, 1);
  if (!(all.work > 0))
    throw maslin::error("the trace holds no work: nothing in it took any time, so there is nothing to scale");
  all.span = seconds_on(free_machine, very_many);
  all.unsaid = unsaid_of(spec);
  for (const int count : workers) {
    scaling::point p{count, 0, seconds_on(free_machine, count), scaling::limit::none};
    all.span = std::min(all.span, p.ideal);
    const double without_memory = waits ? seconds_on(machine, count) : 0;
    how.trace = count == workers.back() ? last : "";
    p.seconds = seconds_on(machine, count, true);
    how.trace.clear();
    const double computes = waits ? without_memory : p.seconds;
    if (all.points.empty() || computes < all.burdened_span) all.burdened_span = computes;
    const double perfect = all.work / count;
    const std::array<std::pair<double, scaling::limit>, 4> lost{
        {{std::max(0.0, all.span - perfect), scaling::limit::span},
         {std::max(0.0, p.ideal - std::max(perfect, all.span)), scaling::limit::imbalance},
         {std::max(0.0, computes - p.ideal), scaling::limit::dispatch},
         {std::max(0.0, p.seconds - computes), scaling::limit::memory}}};
    const auto most = std::max_element(lost.begin(), lost.end());
    constexpr double worth_naming = 0.05;
    if (most->first > worth_naming * p.seconds) p.by = most->second;
    all.points.push_back(p);
  }
  // What the runtime takes grows with the workers that are told of work, so more of them may be slower. Numbers that
  // even perfect speed-up does not make fast enough are not looked at.
  for (int count = very_many; all.work / count < all.burdened_span && count > 1; count /= 2)
    if (std::find(workers.begin(), workers.end(), count) == workers.end())
      all.burdened_span = std::min(all.burdened_span, seconds_on(machine, count));
  all.span = std::min(all.span, all.burdened_span);
  all.lines = critical_lines(maslin::trace::file(last));
  return all;
}
