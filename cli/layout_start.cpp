#include "layout_start.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shared/child.hpp"

start_lines start_lines_of(const std::vector<std::string>& program, const std::string& machine,
                           const maslin::layers::machine& m,
                           const std::vector<std::pair<std::string, maslin::layers::layout>>& phases,
                           maslin::layers::ranks_are ranks) {
  start_lines all;
  for (const auto& [name, at] : phases)
    all.pin += fmt::format("{}{}={}x{}", all.pin.empty() ? "" : ",", name, at.streams, at.width);
  const std::string words = command::command_line(program);
  const std::string pin = fmt::format("MASLIN_PIN={}", command::quoted(all.pin));
  if (ranks == maslin::layers::ranks_are::processes && !phases.empty()) {
    const maslin::layers::layout& at = phases.front().second;
    const int each = m.workers / at.on_a_node;
    all.lines.emplace_back("mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", at.ranks,
                                                 at.on_a_node, each, pin, words));
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

std::vector<std::pair<std::string, std::string>> start_lines_of_ranks(const std::vector<std::string>& program,
                                                                      const maslin::layers::machine& m,
                                                                      std::size_t ranks, const rank_layout& at) {
  const std::string words = command::command_line(program);
  if (at.nodes == 1)
    return {{"shell", fmt::format("MASLIN_WORKERS={} {}", std::min(m.workers, at.on_a_node * at.width), words)}};
  const std::string workers = fmt::format("MASLIN_WORKERS={}", at.width);
  return {{"mpirun", fmt::format("mpirun -n {} --map-by ppr:{}:node:pe={} -x {} {}", ranks, at.on_a_node, at.width,
                                 workers, words)},
          {"srun", fmt::format("{} srun -n {} -N {} --ntasks-per-node={} --cpus-per-task={} {}", workers, ranks,
                               at.nodes, at.on_a_node, at.width, words)}};
}
