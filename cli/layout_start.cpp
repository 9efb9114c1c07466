#include "layout_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "cli/shared/child.hpp"

namespace {

using chosen_phases = std::vector<std::pair<std::string, const maslin::layers::candidate*>>;

/// Gives the value of MASLIN_MASTER with which all phases take what is said of them. Empty if there is no choice, or if
/// they differ: then each phase finds its own while it runs.
std::string master_of(const chosen_phases& phases) {
  std::string all;
  for (const auto& [name, chosen] : phases) {
    if (!chosen->takes.by_master) continue;
    const std::string one = maslin::layers::name_of(chosen->takes.master);
    if (!all.empty() && all != one) return {};
    all = one;
  }
  return all;
}

}  // namespace

start_lines start_lines_of(const std::vector<std::string>& program, const std::string& machine,
                           const maslin::layers::machine& m, const chosen_phases& phases,
                           maslin::layers::ranks_are ranks) {
  start_lines all;
  for (const auto& [name, chosen] : phases)
    all.pin += fmt::format("{}{}={}x{}", all.pin.empty() ? "" : ",", name, chosen->at.streams, chosen->at.width);
  all.master = master_of(phases);
  const std::string words = command::command_line(program);
  std::vector<std::string> variables{fmt::format("MASLIN_PIN={}", command::quoted(all.pin))};
  if (!all.master.empty()) variables.push_back("MASLIN_MASTER=" + all.master);
  const std::string pin = fmt::format("{}", fmt::join(variables, " "));
  if (ranks == maslin::layers::ranks_are::processes && !phases.empty()) {
    const maslin::layers::layout& at = phases.front().second->at;
    const int each = m.workers / at.on_a_node;
    all.lines.emplace_back("mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", at.ranks,
                                                 at.on_a_node, each, fmt::join(variables, " -x "), words));
    all.lines.emplace_back("srun", fmt::format("{} srun -N {} --ntasks-per-node={} --cpus-per-task={} {}", pin, m.nodes,
                                               at.on_a_node, each, words));
    return all;
  }
  all.lines.emplace_back("shell", fmt::format("{} {}", pin, words));
  if (m.nodes == 1)
    all.lines.emplace_back("srun", fmt::format("{} srun -n 1 --cpus-per-task={} {}", pin, m.workers, words));
  if (!machine.empty())
    all.lines.emplace_back("described", fmt::format("MASLIN_MACHINE={} {} {}", command::quoted(machine), pin, words));
  return all;
}

namespace {

constexpr const char* launcher = "maslin-mpirun";
constexpr std::size_t most_processes = 64;  // of a job of maslin-mpirun

/// The line for several nodes of a program that maslin-mpirun starts. `words`: with it, and the number of ranks.
std::pair<std::string, std::string> with_launcher_on_nodes(std::vector<std::string> words,
                                                           const maslin::layers::machine& m, std::size_t ranks,
                                                           const rank_layout& at) {
  // Each rank is a process, if they can be divided so. Otherwise those of a node are in one, and share its workers.
  const bool have_processes = ranks == static_cast<std::size_t>(at.nodes) * static_cast<std::size_t>(at.on_a_node) &&
                              ranks <= most_processes && at.on_a_node * at.width <= m.workers;
  words.insert(words.begin() + 1, {"--nodes", "--processes", std::to_string(have_processes ? at.on_a_node : 1)});
  return {launcher, fmt::format("mpirun -n {} --map-by ppr:1:node --bind-to none -x MASLIN_WORKERS={} {}", at.nodes,
                                have_processes ? at.width : std::min(m.workers, at.on_a_node * at.width),
                                command::command_line(words))};
}

}  // namespace

std::vector<std::pair<std::string, std::string>> start_lines_of_ranks(const std::vector<std::string>& program,
                                                                      const maslin::layers::machine& m,
                                                                      std::size_t ranks, const rank_layout& at) {
  const bool has_launcher = std::filesystem::path(program.front()).filename() == launcher;
  std::vector<std::string> launched = program;
  if (!has_launcher) launched.insert(launched.begin(), {launcher, "-n", std::to_string(ranks)});
  const std::string words = command::command_line(program);
  std::vector<std::pair<std::string, std::string>> lines;
  if (at.nodes == 1) {
    const std::string workers = fmt::format("MASLIN_WORKERS={}", std::min(m.workers, at.on_a_node * at.width));
    if (!has_launcher) lines.emplace_back("shell", fmt::format("{} {}", workers, words));
    lines.emplace_back(launcher, fmt::format("{} {}", workers, command::command_line(launched)));
    return lines;
  }
  lines.push_back(with_launcher_on_nodes(launched, m, ranks, at));
  if (has_launcher) return lines;
  const std::string workers = fmt::format("MASLIN_WORKERS={}", at.width);
  lines.emplace_back("mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", ranks, at.on_a_node,
                                           at.width, workers, words));
  lines.emplace_back("srun", fmt::format("{} srun -n {} -N {} --ntasks-per-node={} --cpus-per-task={} {}", workers,
                                         ranks, at.nodes, at.on_a_node, at.width, words));
  return lines;
}
