#include "machine/budget.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/settings.hpp"
#include "machine/cgroup.hpp"
#include "maslin/error.hpp"

namespace maslin::machine {

namespace {

std::optional<int> number_up_to(std::string_view text, int most) {
  int value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size() || value < 1 || value > most) return std::nullopt;
  return value;
}

int online_cpus() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

/// Gives the number of CPUs in the calling thread's mask, on machines of any size.
int allowed_cpus() {
  constexpr std::size_t largest_mask = 1 << 20;
  for (std::size_t cpus = 1024; cpus <= largest_mask; cpus *= 2) {
    std::vector<cpu_set_t> mask(CPU_ALLOC_SIZE(cpus) / sizeof(cpu_set_t));
    if (sched_getaffinity(0, mask.size() * sizeof(cpu_set_t), mask.data()) == 0)
      return std::max(1, CPU_COUNT_S(mask.size() * sizeof(cpu_set_t), mask.data()));
    if (errno != EINVAL) break;
  }
  return online_cpus();
}

cpu_limit slurm_limit(const std::optional<std::string>& text) {
  constexpr int most_cpus = 1 << 20;
  const std::string name = "SLURM_CPUS_PER_TASK";
  if (!text) return {name, "not set", std::nullopt};
  const auto cpus = number_up_to(*text, most_cpus);
  if (!cpus)
    throw error(
        fmt::format("SLURM_CPUS_PER_TASK=\"{}\": expected the number of CPUs that the batch system grants, 1 or more; "
                    "set it right or unset it",
                    *text));
  return {name, "granted by the batch system", cpus};
}

}  // namespace

surroundings this_process() {
  const char* granted = std::getenv("SLURM_CPUS_PER_TASK");
  return {.root = "/",
          .allowed_cpus = allowed_cpus(),
          .online_cpus = online_cpus(),
          .slurm_cpus_per_task = granted && *granted ? std::optional<std::string>(granted) : std::nullopt};
}

cpu_budget budget(const surroundings& around) {
  cpu_budget result;
  result.limits.push_back({"affinity mask",
                           fmt::format("{} of {} CPUs allowed", around.allowed_cpus, around.online_cpus),
                           around.allowed_cpus});
  for (cpu_limit& limit : cgroup_limits(around.root)) result.limits.push_back(std::move(limit));
  result.limits.push_back(slurm_limit(around.slurm_cpus_per_task));
  result.cpus = around.allowed_cpus;
  for (const cpu_limit& limit : result.limits) result.cpus = std::min(result.cpus, limit.cpus.value_or(result.cpus));
  return result;
}

cpu_budget budget() { return budget(this_process()); }

worker_grant grant_workers(const cpu_budget& budget, std::optional<int> asked) {
  if (!asked) {
    std::string tightest;
    for (const cpu_limit& limit : budget.limits)
      if (limit.cpus == budget.cpus)
        tightest += fmt::format("{}{}: {}", tightest.empty() ? "" : "; ", limit.source, limit.found);
    return {budget.cpus, "one for each CPU of the budget (" + tightest + ")"};
  }
  std::string reason = "MASLIN_WORKERS asks for it";
  if (*asked > budget.cpus)
    reason += fmt::format(", beyond the budget of {}: the workers will share CPUs", budget.cpus);
  return {*asked, reason};
}

worker_grant grant_workers(const cpu_budget& budget) {
  const auto asked = base::number_of("MASLIN_WORKERS");
  return grant_workers(budget, asked ? std::optional(static_cast<int>(*asked)) : std::nullopt);
}

int worker_count(const std::optional<machine_spec>& described) {
  if (!described) return grant_workers(budget()).workers;
  return grant_workers({described->workers.count * described->nodes, {}}).workers;
}

bool oversubscribed(int workers) { return workers > budget().cpus; }

std::optional<machine_spec> described_machine() {
  const char* path = base::text_of("MASLIN_MACHINE");
  return path ? std::optional(read_spec(path)) : std::nullopt;
}

}  // namespace maslin::machine
