// `maslin machine`: this machine and the share of it that this process may use, or a described machine.

#include "maslin/machine.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "calibrate.hpp"
#include "cli/shared/child.hpp"
#include "commands.hpp"
#include "json_text.hpp"
#include "maslin/error.hpp"
#include "model/layers/machine.hpp"
#include "output.hpp"

namespace {

namespace machine = maslin::machine;
namespace layers = maslin::layers;
using json = nlohmann::ordered_json;

struct options {
  bool as_json = false;
  std::string spec;
  std::string calibrated;             ///< where the description of this machine goes
  std::vector<std::string> launcher;  ///< of processes between which messages are measured for that
};

std::string bytes_text(std::int64_t bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string counted(int n, const char* noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

void print_line(const std::string& what, const std::string& value) {
  if (value.empty())
    fmt::print("{}\n", what);
  else
    fmt::print("{:<12} {}\n", what, value);
}

void print_caches(const machine::topology& t) {
  std::map<std::tuple<int, std::string, std::int64_t, std::size_t>, int> alike;
  for (const machine::cache& c : t.caches) ++alike[{c.level, c.kind, c.bytes, c.cpus.size()}];
  for (const auto& [cache, number] : alike) {
    const auto& [level, kind, bytes, sharers] = cache;
    print_line(fmt::format("  L{}{}", level, kind == "data" ? "d" : ""),
               fmt::format("{} x {}, each {}", number, bytes_text(bytes),
                           sharers == 1 ? "one CPU's own" : fmt::format("shared by {} CPUs", sharers)));
  }
}

void print_here(const machine::topology& t, const machine::cpu_budget& b, const machine::worker_grant& grant) {
  print_line("machine", t.processor.empty() ? "(the system does not name its processor)" : t.processor);
  print_line("", fmt::format("{}, {}, {} (hardware threads)", counted(t.packages, "package"), counted(t.cores, "core"),
                             counted(t.cpus, "CPU")));
  print_line("caches", t.caches.empty() ? "(the system does not show them)" : "");
  print_caches(t);
  print_line("memory", counted(static_cast<int>(t.numa.size()), "NUMA node"));
  for (const machine::numa_node& n : t.numa)
    print_line(fmt::format("  node {}", n.index),
               fmt::format("{}, {}", bytes_text(n.bytes), counted(static_cast<int>(n.cpus.size()), "CPU")));
  fmt::print("\n");
  print_line("budget", fmt::format("{}: the smallest of", counted(b.cpus, "CPU")));
  for (const machine::cpu_limit& l : b.limits)
    fmt::print("  {:<20} {:>5}  {}\n", l.source, l.cpus ? std::to_string(*l.cpus) : "-", l.found);
  print_line("workers", fmt::format("{}: {}", grant.workers, grant.reason));
}

json here_as_json(const machine::topology& t, const machine::cpu_budget& b, const machine::worker_grant& grant) {
  json out;
  out["processor"] = t.processor;
  out["packages"] = t.packages;
  out["cores"] = t.cores;
  out["cpus"] = t.cpus;
  out["caches"] = json::array();
  for (const machine::cache& c : t.caches)
    out["caches"].push_back({{"level", c.level}, {"kind", c.kind}, {"bytes", c.bytes}, {"cpus", c.cpus}});
  out["numa"] = json::array();
  for (const machine::numa_node& n : t.numa)
    out["numa"].push_back({{"index", n.index}, {"bytes", n.bytes}, {"cpus", n.cpus}});
  json limits = json::array();
  for (const machine::cpu_limit& l : b.limits)
    limits.push_back({{"source", l.source}, {"cpus", l.cpus ? json(*l.cpus) : json(nullptr)}, {"found", l.found}});
  out["budget"] = {{"cpus", b.cpus}, {"limits", limits}};
  out["workers"] = {{"count", grant.workers}, {"reason", grant.reason}};
  return out;
}

template <class T>
void put(json& into, const char* key, const std::optional<T>& value) {
  if (value) into[key] = *value;
}

const char* kind_text(machine::worker_kind kind) { return kind == machine::worker_kind::cpu ? "cpu" : "accelerator"; }
const char* ends_text(machine::link_spec::ends ends) {
  return ends == machine::link_spec::ends::groups ? "groups" : "nodes";
}

/// A curve as two arrays, and one of its errors.
void put_points(json& into, const std::vector<layers::point>& points, const char* at, const char* is, const char* error,
                double unit) {
  for (const layers::point& p : points) {
    into[at].push_back(p.at);
    into[is].push_back(p.is.value / unit);
    into[error].push_back(p.is.error / unit);
  }
}

/// What the model of layered parallelism reads of the file.
void put_curves(json& out, const layers::curves& all) {
  for (const layers::message_curve& c : all.messages) {
    constexpr const char* places[] = {"worker", "workers", "processes", "nodes"};
    json one = {{"call", c.of == layers::message_curve::call::send ? "send" : "all_reduce"},
                {"placement", places[static_cast<std::size_t>(c.where)]},
                {"ranks", c.ranks}};
    if (c.on_a_node > 1) one["on_a_node"] = c.on_a_node;
    put_points(one, c.seconds, "bytes", "us", "error_us", 1e-6);
    one["source"] = c.source;
    out["messages"].push_back(one);
  }
  const auto put_group = [&](const char* name, const std::vector<layers::point>& points, const std::string& source,
                             const char* at, const char* is, const char* error, double unit) {
    if (points.empty()) return;
    put_points(out[name], points, at, is, error, unit);
    out[name]["source"] = source;
  };
  put_group("saturation", all.saturation, all.saturation_source, "workers", "gb_per_s", "error_gb_per_s", 1e9);
  put_group("sharing", all.contention, all.contention_source, "threads", "slow_down", "error", 1);
}

/// The description with the keys of its file.
json spec_as_json(const machine::machine_spec& s) {
  json out = {{"file", s.file}, {"name", s.name}, {"about", s.about}, {"nodes", s.nodes}};
  out["workers"] = {{"kind", kind_text(s.workers.kind)},
                    {"count", s.workers.count},
                    {"speed", s.workers.speed},
                    {"groups", s.workers.groups},
                    {"source", s.workers.source}};
  if (s.hosts) {
    json& h = out["hosts"] = {{"contexts", s.hosts->contexts}};
    put(h, "speed", s.hosts->speed);
    put(h, "contention", s.hosts->contention);
    h["threads_per_core"] = s.hosts->threads_per_core;
    put(h, "smt", s.hosts->smt);
    put(h, "quantum_us", s.hosts->quantum_us);
    put(h, "switch_us", s.hosts->switch_us);
    h["source"] = s.hosts->source;
  }
  if (s.dispatch) {
    json& d = out["dispatch"] = json::object();
    put(d, "task_us", s.dispatch->task_us);
    put(d, "handover_us", s.dispatch->handover_us);
    put(d, "wake_us", s.dispatch->wake_us);
    put(d, "spin_us", s.dispatch->spin_us);
    d["source"] = s.dispatch->source;
  }
  if (s.local_store) {
    json& l = out["local_store"] = {{"bytes", s.local_store->bytes}};
    put(l, "code_bytes", s.local_store->code_bytes);
    l["source"] = s.local_store->source;
  }
  if (s.transfer) {
    json& t = out["transfer"] = json::object();
    put(t, "signal_us", s.transfer->signal_us);
    put(t, "latency_us", s.transfer->latency_us);
    t["bandwidth_gb_per_s"] = s.transfer->bandwidth_gb_per_s;
    put(t, "total_gb_per_s", s.transfer->total_gb_per_s);
    put(t, "packet_bytes", s.transfer->packet_bytes);
    t["source"] = s.transfer->source;
  }
  for (const machine::memory_spec& m : s.memory) {
    json level = {{"level", m.level}, {"bytes", m.bytes}, {"shared_by", m.shared_by}};
    put(level, "latency_ns", m.latency_ns);
    put(level, "bandwidth_gb_per_s", m.bandwidth_gb_per_s);
    level["source"] = m.source;
    out["memory"].push_back(level);
  }
  for (const machine::link_spec& l : s.links) {
    json link = {{"between", ends_text(l.between)}, {"bandwidth_gb_per_s", l.bandwidth_gb_per_s}};
    put(link, "latency_us", l.latency_us);
    link["source"] = l.source;
    out["link"].push_back(link);
  }
  put_curves(out, layers::read_curves(s.file));
  return out;
}

/// Prints one group of a description: its numbers in one line, their source in the next.
void print_group(const std::string& title, const json& group) {
  std::string numbers;
  for (const auto& [key, value] : group.items())
    if (key != "source")
      numbers += fmt::format("{}{} {}", numbers.empty() ? "" : ", ", key,
                             value.is_string() ? value.get<std::string>() : json_text(value, -1));
  print_line(title, numbers);
  print_line("", "[" + group["source"].get<std::string>() + "]");
}

void print_spec(const machine::machine_spec& s) {
  const json all = spec_as_json(s);
  print_line("described", s.about.empty() ? s.name : fmt::format("{}: {}", s.name, s.about));
  print_line("", s.file);
  if (s.nodes > 1) print_line("nodes", std::to_string(s.nodes));
  for (const char* group : {"workers", "hosts", "dispatch", "local_store", "transfer", "saturation", "sharing"})
    if (all.contains(group)) print_group(group, all[group]);
  for (const char* groups : {"memory", "link", "messages"})
    if (all.contains(groups))
      for (const json& group : all[groups]) print_group(groups, group);
}

void run(const options& wish) {
  if (!wish.launcher.empty()) {
    if (wish.calibrated.empty())
      throw maslin::error(
          fmt::format("'{}': a command that starts ranks goes with --calibrate FILE", wish.launcher[0]));
    write_file(wish.calibrated, description_with_messages(wish.calibrated, wish.launcher));
    fmt::print("{}: with messages between the processes of {}\n", wish.calibrated,
               command::command_line(wish.launcher));
    return;
  }
  if (!wish.calibrated.empty()) {
    output_file to(wish.calibrated);  // first: a place that cannot be written is no reason to measure
    to.write(calibrated_description(true));
    to.commit();
    if (wish.calibrated != "-") fmt::print("{}: this machine, measured; use it with MASLIN_MACHINE\n", wish.calibrated);
    return;
  }
  if (!wish.spec.empty()) {
    const machine::machine_spec spec = machine::read_spec(wish.spec);
    if (wish.as_json)
      fmt::print("{}\n", json_text(spec_as_json(spec)));
    else
      print_spec(spec);
    return;
  }
  const machine::cpu_budget budget = machine::budget();
  const machine::worker_grant grant = machine::grant_workers(budget);
  const machine::topology topology = machine::detect_topology();
  if (wish.as_json)
    fmt::print("{}\n", json_text(here_as_json(topology, budget, grant)));
  else
    print_here(topology, budget, grant);
}

}  // namespace

void add_machine(CLI::App& app) {
  auto wish = std::make_shared<options>();
  CLI::App* command =
      app.add_subcommand("machine", "What this machine is, and how many CPUs this process may use and why");
  command->add_flag("--json", wish->as_json, "Print JSON");
  command
      ->add_option("--machine", wish->spec,
                   "Check and print a described machine instead, for example specs/cell-qs20.toml")
      ->envname("MASLIN_MACHINE")
      ->type_name("FILE");
  command
      ->add_option("--calibrate", wish->calibrated,
                   "Measure this machine for some seconds and write its description; '-' is the standard output")
      ->type_name("FILE");
  command->add_option(
      "LAUNCHER", wish->launcher,
      "Behind --calibrate FILE --: what starts ranks, such as mpirun -n 8 --map-by ppr:2:node, or "
      "maslin-mpirun -n 4 --processes 4; only messages between these processes are measured, and added to "
      "the description");
  command->callback([wish] { run(*wish); });
}
