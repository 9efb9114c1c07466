#include "traffic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "model/memory/instances.hpp"
#include "replay.hpp"

namespace {

using step = recorded::step;
using act = recorded::act;

double bytes_named(const recorded& program, const recorded::task& t) {
  double sum = 0;
  for (std::uint32_t i = 0; i < t.accesses; ++i) {
    const auto& form = program.accesses[t.first_access + i].form;
    const bool both = form.mode == maslin::access_mode::inout || form.mode == maslin::access_mode::concurrent;
    sum += static_cast<double>(form.bytes) * static_cast<double>(form.columns) * (both ? 2 : 1);
  }
  return sum;
}

/// The body moves nothing, and neither do its loops.
void move_nothing(recorded& program, std::uint32_t body) {
  auto& steps = program.bodies[body].steps;
  std::erase_if(steps, [](const step& s) { return s.does == act::move; });
  for (const step& s : steps)
    if (s.does == act::loop)
      for (const recorded::piece& p : program.loops[s.what].pieces) move_nothing(program, p.runs);
}

}  // namespace

double bandwidth(const maslin::machine::machine_spec& machine, int workers) {
  double gb_per_s = std::numeric_limits<double>::infinity();
  if (const auto* const level = maslin::memory::main_memory(machine))
    gb_per_s = *level->bandwidth_gb_per_s * maslin::memory::instances(*level, machine).of_first(workers);
  if (const auto& t = machine.transfer; t && has_stores(machine)) {
    const int of_a_bus = machine.workers.count / machine.workers.groups;
    gb_per_s = std::min(gb_per_s, t->bandwidth_gb_per_s * workers);
    if (t->total_gb_per_s) gb_per_s = std::min(gb_per_s, *t->total_gb_per_s * ((workers + of_a_bus - 1) / of_a_bus));
  }
  return std::isfinite(gb_per_s) ? gb_per_s * 1e9 : 0;
}

bool has_stores(const maslin::machine::machine_spec& machine) {
  const char* const store = std::getenv("MASLIN_STORE");  // also gives stores to a machine that has none
  return machine.local_store || (store && *store);
}

bool counts_traffic(const maslin::machine::machine_spec& machine) { return !machine.hosts || has_stores(machine); }

void count_named_data(recorded& program, const maslin::machine::machine_spec& machine) {
  if (has_stores(machine)) {
    for (const recorded::task& t : program.tasks)
      if (t.accesses > 0) move_nothing(program, t.runs);
    return;
  }
  if (!counts_traffic(machine)) return;
  double caches = 0;
  for (const auto& level : machine.memory)
    if (level.level != "memory")
      caches = std::max(caches, static_cast<double>(level.bytes) * maslin::memory::instances(level, machine).count());
  if (static_cast<double>(data_bytes(program)) <= caches) return;
  for (const recorded::task& t : program.tasks) {
    const double bytes = bytes_named(program, t);
    if (bytes <= 0 || program.tells_traffic(t.runs)) continue;
    auto& steps = program.bodies[t.runs].steps;
    steps.insert(steps.begin(), {act::move, static_cast<std::uint64_t>(bytes)});
  }
}

void add_measured(recorded& program, const by_line& bytes_per_second) {
  program.each_named_body([&](std::uint32_t name, std::uint32_t body) {
    const auto rate = bytes_per_second.find(program.name(name));
    if (rate == bytes_per_second.end() || program.tells_traffic(body)) return;
    std::vector<step> steps;
    for (const step& s : program.bodies[body].steps) {
      if (s.does == act::compute)
        steps.push_back({act::move, static_cast<std::uint64_t>(static_cast<double>(s.what) * 1e-9 * rate->second)});
      steps.push_back(s);
    }
    program.bodies[body].steps = std::move(steps);
  });
}

double bytes_moved(const recorded& program) {
  double sum = 0;
  for (const recorded::body& b : program.bodies)
    for (const step& s : b.steps)
      if (s.does == act::move) sum += static_cast<double>(s.what);
  return sum;
}

double seconds_of_moving(const recorded& program) {
  double ns = 0;
  for (std::uint32_t body = 0; body < program.bodies.size(); ++body) {
    if (!program.tells_traffic(body)) continue;
    for (const step& s : program.bodies[body].steps)
      if (s.does == act::compute) ns += static_cast<double>(s.what);
  }
  return ns * 1e-9;
}

std::vector<std::string> silent_loops(const recorded& program) {
  std::map<std::string, bool> tells;
  for (const recorded::loop& l : program.loops) {
    bool& one = tells[program.name(l.site)];
    one |= std::any_of(l.pieces.begin(), l.pieces.end(),
                       [&](const recorded::piece& p) { return program.tells_traffic(p.runs); });
  }
  std::vector<std::string> silent;
  for (const auto& [line, does] : tells)
    if (!does) silent.push_back(line);
  return silent;
}

std::string about_silent_loops(const recorded& program, const std::string& else_by) {
  std::vector<std::string> silent = silent_loops(program);
  if (silent.empty()) return {};
  constexpr std::size_t named = 3;
  const std::size_t more = silent.size() - std::min(silent.size(), named);
  silent.resize(silent.size() - more);
  return fmt::format("What these loops read and write is not known: {}{}.\nThey can say it (ms::memory_traffic); {}.\n",
                     fmt::join(silent, ", "), more > 0 ? fmt::format(" and {} more", more) : "", else_by);
}
