#include "model/layers/machine.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <toml++/toml.h>
#include "maslin/error.hpp"
#include "model/memory/instances.hpp"

namespace maslin::layers {

namespace {

constant said(const std::optional<double>& number, double unit) {
  if (!number) return {};
  return {*number * unit, *number * unit * error_of_descriptions, true};
}

/// Gives the points of a table whose two arrays are equally long, which `read_spec` has checked.
std::vector<point> points_of(const toml::table& table, const char* at, const char* is, const char* error, double unit) {
  std::vector<point> all;
  const toml::array* const places = table[at].as_array();
  const toml::array* const values = table[is].as_array();
  const toml::array* const errors = table[error].as_array();
  if (!places || !values) return all;
  for (std::size_t i = 0; i < places->size() && i < values->size(); ++i) {
    const double off = errors && i < errors->size() ? errors->get(i)->value_or(0.0) * unit : 0;
    all.push_back({places->get(i)->value_or(0.0), {values->get(i)->value_or(0.0) * unit, off}});
  }
  return all;
}

toml::table parsed(const std::string& file) {
  try {
    return toml::parse_file(file);
  } catch (const toml::parse_error& e) {
    throw error(file + ": " + std::string(e.description()));
  }
}

}  // namespace

std::vector<std::string> machine::unknown() const {
  std::vector<std::string> names;
  for (const auto& [member, key] : constants::all()) {
    const bool of_hosts =
        member == &constants::contention || member == &constants::smt || member == &constants::context_switch;
    const bool of_dispatch = member == &constants::steal || member == &constants::wake;
    if ((of_hosts && !has_hosts()) || (of_dispatch && has_hosts())) continue;
    if (member == &constants::signal && !has_hosts()) continue;  // it is that of stealing there
    if (member == &constants::smt && threads_per_core == 1) continue;
    if (member == &constants::between_groups && groups == 1) continue;
    if ((member == &constants::between_nodes || member == &constants::node_byte) && nodes == 1) continue;
    if (member == &constants::local_byte) continue;  // only messages ask
    if (!(cost.*member).is_known) names.emplace_back(key);
  }
  return names;
}

bool says_speed(const std::string& file) { return bool(parsed(file)["workers"]["speed"]); }

curves read_curves(const std::string& file) {
  const toml::table all = parsed(file);
  curves out;
  if (const toml::array* messages = all["messages"].as_array())
    for (const toml::node& one : *messages) {
      const toml::table* const table = one.as_table();
      if (!table) continue;
      message_curve c;
      c.of = (*table)["call"].value_or(std::string()) == "send" ? message_curve::call::send
                                                                : message_curve::call::all_reduce;
      const std::string where = (*table)["placement"].value_or(std::string("workers"));
      c.where = where == "worker"      ? placement::worker
                : where == "processes" ? placement::processes
                : where == "nodes"     ? placement::nodes
                                       : placement::workers;
      c.ranks = (*table)["ranks"].value_or(2);
      c.on_a_node = (*table)["on_a_node"].value_or(1);
      c.seconds = points_of(*table, "bytes", "us", "error_us", 1e-6);
      c.source = (*table)["source"].value_or(std::string());
      out.messages.push_back(std::move(c));
    }
  if (const toml::table* table = all["saturation"].as_table()) {
    out.saturation = points_of(*table, "workers", "gb_per_s", "error_gb_per_s", 1e9);
    out.saturation_source = (*table)["source"].value_or(std::string());
  }
  if (const toml::table* table = all["sharing"].as_table()) {
    out.contention = points_of(*table, "threads", "slow_down", "error", 1);
    out.contention_source = (*table)["source"].value_or(std::string());
  }
  return out;
}

std::vector<point> described_saturation(const maslin::machine::machine_spec& spec, double bytes_per_second) {
  std::vector<point> curve;
  const auto* const level = memory::main_memory(spec);
  if (!level) return curve;
  const double one = *level->bandwidth_gb_per_s * 1e9;
  const memory::instances instances(*level, spec);
  const double enough = one / bytes_per_second;  // workers fill an instance
  double full = 0;                               // what the workers before this instance move
  for (int first = 0; first < spec.workers.count * spec.nodes; first = instances.end(first)) {
    const double there = instances.end(first) - first;
    const auto add = [&](double count) {
      if (!curve.empty() && first + count <= curve.back().at) return;
      const double moved = full + std::min(count * bytes_per_second, one);
      curve.push_back({first + count, {moved, moved * error_of_descriptions}});
    };
    add(1);
    if (enough < there) add(enough);
    add(there);
    full += std::min(there * bytes_per_second, one);
  }
  return curve;
}

machine machine_of(const maslin::machine::machine_spec& spec, curves measured_there) {
  constexpr double us = 1e-6;
  machine m;
  m.name = spec.name;
  m.nodes = spec.nodes;
  m.workers = spec.workers.count;
  m.groups = spec.workers.groups;
  m.worker_speed = spec.workers.speed;
  if (spec.transfer) m.cost.signal = said(spec.transfer->signal_us, us);
  if (spec.dispatch) {
    m.cost.signal = m.cost.steal = said(spec.dispatch->handover_us, us);
    m.cost.wake = said(spec.dispatch->wake_us, us);
    m.spin = spec.dispatch->spin_us.value_or(0) * us;
  }
  if (spec.hosts) {
    m.contexts = spec.hosts->contexts;
    m.threads_per_core = spec.hosts->threads_per_core;
    m.host_speed = spec.hosts->speed.value_or(1);
    m.cost.contention = said(spec.hosts->contention, 1);
    m.cost.smt = said(spec.hosts->smt, 1);
    m.cost.context_switch = said(spec.hosts->switch_us, us);
  }
  for (const maslin::machine::link_spec& l : spec.links) {
    const bool nodes = l.between == maslin::machine::link_spec::ends::nodes;
    (nodes ? m.cost.between_nodes : m.cost.between_groups) = said(l.latency_us, us);
    if (nodes) m.cost.node_byte = said(1 / (l.bandwidth_gb_per_s * 1e9), 1);
  }
  if (const auto* const level = memory::main_memory(spec))
    m.cost.local_byte = said(1 / (*level->bandwidth_gb_per_s * 1e9), 1);
  if (spec.local_store) {
    m.engines.worker = std::numeric_limits<double>::infinity();
    if (const auto& t = spec.transfer) {
      m.engines.latency = t->latency_us.value_or(0) * us;
      m.engines.worker = t->bandwidth_gb_per_s * 1e9;
      m.engines.of_a_bus = m.workers / m.groups;
      if (t->total_gb_per_s) m.engines.bus = *t->total_gb_per_s * 1e9;
    }
    if (const auto* const level = memory::main_memory(spec)) {
      m.engines.of_a_memory = level->shared_by;
      m.engines.memory = *level->bandwidth_gb_per_s * 1e9;
    }
  }
  if (!m.cost.contention.is_known && !measured_there.contention.empty()) {
    const measured a = fit_contention(measured_there.contention);
    m.cost.contention = {a.value, a.error, true};
  }
  m.measured_curves = std::move(measured_there);
  return m;
}

}  // namespace maslin::layers
