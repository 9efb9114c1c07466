#include "layout_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>

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

constexpr const char* launcher = "maslin-mpirun";
constexpr std::size_t most_processes = 64;  // of a job of maslin-mpirun

/// Gives the words with a program whose name ends so, if there is one: beside this one, or in PATH.
std::optional<std::vector<std::string>> named_with(const std::string& ending, std::vector<std::string> words) {
  const std::filesystem::path program = words.front() + ending;
  std::error_code unknown;  // counts as missing
  if (program.has_parent_path() && std::filesystem::is_regular_file(program, unknown)) {
    words.front() = program.string();
    return words;
  }
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::filesystem::is_regular_file(std::filesystem::path(folder) / program.filename(), unknown)) {
      words.front() = program.filename().string();
      return words;
    }
  return std::nullopt;
}

/// Gives a line of maslin-mpirun. `words`: it, the number of ranks, and their program; `processes`: of each node;
/// `settings`: variables with their values.
std::string launcher_line(std::vector<std::string> words, int nodes, int processes,
                          const std::vector<std::string>& settings) {
  if (nodes > 1 || processes > 1) words.insert(words.begin() + 1, {"--processes", std::to_string(processes)});
  if (nodes > 1) words.insert(words.begin() + 1, "--nodes");
  const std::string line = command::command_line(words);
  if (nodes == 1) return fmt::format("{} {}", fmt::join(settings, " "), line);
  return fmt::format("mpirun -n {} --map-by ppr:1:node --bind-to none -x {} {}", nodes, fmt::join(settings, " -x "),
                     line);
}

/// The lines for ranks that are processes.
std::vector<std::pair<std::string, std::string>> start_processes(const std::vector<std::string>& program,
                                                                 const maslin::layers::machine& m,
                                                                 const maslin::layers::layout& at,
                                                                 const std::vector<std::string>& variables) {
  const int each = m.workers / at.on_a_node;
  std::vector<std::pair<std::string, std::string>> lines;
  const auto of_launcher = named_with("-mpi", program), of_system = named_with("-system-mpi", program);
  if (of_launcher) {
    std::vector<std::string> launched = {launcher, "-n", std::to_string(at.ranks)};
    launched.insert(launched.end(), of_launcher->begin(), of_launcher->end());
    std::vector<std::string> settings = variables;
    const bool have_processes = at.ranks <= static_cast<int>(most_processes);
    settings.push_back(fmt::format("MASLIN_WORKERS={}", have_processes ? each : m.workers));
    lines.emplace_back(launcher, launcher_line(launched, m.nodes, have_processes ? at.on_a_node : 1, settings));
    if (!of_system) return lines;
  }
  const std::string words = command::command_line(of_system.value_or(program));
  lines.emplace_back("mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", at.ranks, at.on_a_node,
                                           each, fmt::join(variables, " -x "), words));
  lines.emplace_back("srun", fmt::format("{} srun -N {} --ntasks-per-node={} --cpus-per-task={} {}",
                                         fmt::join(variables, " "), m.nodes, at.on_a_node, each, words));
  return lines;
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
    all.lines = start_processes(program, m, phases.front().second->at, variables);
    return all;
  }
  all.lines.emplace_back("shell", fmt::format("{} {}", pin, words));
  if (m.nodes == 1)
    all.lines.emplace_back("srun", fmt::format("{} srun -n 1 --cpus-per-task={} {}", pin, m.workers, words));
  if (!machine.empty())
    all.lines.emplace_back("described", fmt::format("MASLIN_MACHINE={} {} {}", command::quoted(machine), pin, words));
  return all;
}

std::vector<std::pair<std::string, std::string>> start_lines_of_ranks(const std::vector<std::string>& program,
                                                                      const std::string& machine,
                                                                      const maslin::layers::machine& m,
                                                                      std::size_t ranks, const rank_layout& at) {
  const bool has_launcher = std::filesystem::path(program.front()).filename() == launcher;
  std::vector<std::string> launched = program;
  if (!has_launcher) launched.insert(launched.begin(), {launcher, "-n", std::to_string(ranks)});
  const std::string words = command::command_line(program);
  std::vector<std::pair<std::string, std::string>> lines;
  if (m.has_hosts() && at.nodes > 1) return lines;
  // On several nodes each rank is a process, if they can be divided so. Otherwise those of a node are in one, and share
  // its workers.
  const bool have_processes = at.nodes > 1 &&
                              ranks == static_cast<std::size_t>(at.nodes) * static_cast<std::size_t>(at.on_a_node) &&
                              ranks <= most_processes && at.on_a_node * at.width <= m.workers;
  std::vector<std::string> settings;
  if (m.has_hosts()) settings.push_back("MASLIN_MACHINE=" + command::quoted(machine));
  settings.push_back(
      fmt::format("MASLIN_WORKERS={}", have_processes ? at.width : std::min(m.workers, at.on_a_node * at.width)));
  if (at.nodes == 1 && !has_launcher)
    lines.emplace_back("shell", fmt::format("{} {}", fmt::join(settings, " "), words));
  lines.emplace_back(launcher, launcher_line(launched, at.nodes, have_processes ? at.on_a_node : 1, settings));
  if (at.nodes == 1 || has_launcher) return lines;
  const std::string workers = fmt::format("MASLIN_WORKERS={}", at.width);
  lines.emplace_back("mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", ranks, at.on_a_node,
                                           at.width, workers, words));
  lines.emplace_back("srun", fmt::format("{} srun -n {} -N {} --ntasks-per-node={} --cpus-per-task={} {}", workers,
                                         ranks, at.nodes, at.on_a_node, at.width, words));
  return lines;
}
