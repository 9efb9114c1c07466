#include "model/links/network.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "maslin/error.hpp"
#include "maslin/machine.hpp"

namespace maslin::links {

namespace {

/// Gives the picoseconds that a byte takes at that many GB/s.
double of_a_byte(double gb_per_s) { return gb_per_s > 0 ? 1e3 / gb_per_s : 0; }

/// `machine::read_spec` has checked the table.
hop hop_of(const toml::table& table) {
  hop h;
  h.name = table["name"].value_or(std::string());
  h.shared_by = table["shared_by"].value_or(1U);
  h.startup_ps = std::lround(table["startup_us"].value_or(0.0) * 1e6);
  h.byte_ps = of_a_byte(table["bandwidth_gb_per_s"].value_or(0.0));
  const double total = table["total_gb_per_s"].value_or(0.0);
  h.holds_startup = total == 0;
  h.held_byte_ps = total > 0 ? of_a_byte(total) : h.byte_ps;
  return h;
}

std::vector<std::uint32_t> places(const toml::table& route, const char* key, const std::vector<hop>& hops) {
  std::vector<std::uint32_t> all;
  if (const toml::array* names = route[key].as_array())
    for (const toml::node& name : *names) {
      const auto at = std::ranges::find(hops, name.value_or(std::string()), &hop::name);
      all.push_back(static_cast<std::uint32_t>(at - hops.begin()));
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

/// Gives the place of the hop that the machine's link is; nothing if it has none.
std::optional<std::uint32_t> add_link(network& to, const machine::machine_spec& spec, machine::link_spec::ends between,
                                      std::uint32_t shared_by) {
  const auto one = std::ranges::find(spec.links, between, &machine::link_spec::between);
  if (one == spec.links.end()) return {};
  const double byte = of_a_byte(one->bandwidth_gb_per_s);
  const auto startup = std::lround(one->latency_us.value_or(0.0) * 1e6);
  const char* const name = between == machine::link_spec::ends::nodes ? "nodes" : "groups";
  to.hops.push_back({name, shared_by, startup, byte, byte, false});
  return static_cast<std::uint32_t>(to.hops.size() - 1);
}

/// Joins the nodes, if there are several.
void add_nodes(network& to, const machine::machine_spec& spec) {
  if (spec.nodes == 1) return;
  const auto link = add_link(to, spec, machine::link_spec::ends::nodes, static_cast<std::uint32_t>(spec.workers.count));
  if (!link)
    throw error(fmt::format("{}: no [[link]] between nodes; expected what joins its {} nodes", spec.file, spec.nodes));
  to.routes.push_back({"machine", to.workers, {}, {*link}, {}, true});
}

/// The machine's groups and nodes, joined by its links.
network of_links(const machine::machine_spec& spec) {
  const auto count = static_cast<std::uint32_t>(spec.workers.count), nodes = static_cast<std::uint32_t>(spec.nodes);
  network n{spec.name, count * nodes, {}, {}};
  std::vector<std::uint32_t> across;
  const std::uint32_t group = count / static_cast<std::uint32_t>(spec.workers.groups);
  if (group < count) {
    n.routes.push_back({"group", group, {}, {}, {}, true});
    if (const auto link = add_link(n, spec, machine::link_spec::ends::groups, group)) across = {*link};
  }
  n.routes.push_back({"node", count, {}, across, {}, true});
  add_nodes(n, spec);
  return n;
}

}  // namespace

bool has_routes(const std::string& file) { return parsed(file).contains("route"); }

bool has_network(const std::string& file) {
  if (has_routes(file)) return true;
  const machine::machine_spec spec = machine::read_spec(file);
  const auto joins_nodes = [](const machine::link_spec& one) { return one.between == machine::link_spec::ends::nodes; };
  return !spec.links.empty() && (spec.nodes == 1 || std::ranges::any_of(spec.links, joins_nodes));
}

network network_of(const std::string& file) {
  const machine::machine_spec spec = machine::read_spec(file);
  if (has_routes(file)) return read_network(file);
  if (spec.links.empty())
    throw error(
        fmt::format("{}: no [[route]] and no [[link]]; expected what messages between workers pass: "
                    "specs/README.md",
                    file));
  return of_links(spec);
}

network with_other_links(network of, double bandwidth, double startup) {
  for (hop& h : of.hops) {
    h.byte_ps /= bandwidth;
    h.held_byte_ps /= bandwidth;
    h.startup_ps = std::lround(static_cast<double>(h.startup_ps) * startup);
  }
  return of;
}

network read_network(const std::string& file) {
  const machine::machine_spec spec = machine::read_spec(file);
  const toml::table all = parsed(file);
  network n;
  n.name = spec.name;
  n.workers = static_cast<std::uint32_t>(spec.nodes) * static_cast<std::uint32_t>(spec.workers.count);
  if (const toml::array* hops = all["hop"].as_array())
    for (const toml::node& one : *hops) n.hops.push_back(hop_of(*one.as_table()));
  if (const toml::array* routes = all["route"].as_array())
    for (const toml::node& one : *routes) {
      const toml::table& table = *one.as_table();
      n.routes.push_back({table["name"].value_or(std::string()), table["within"].value_or(1U),
                          places(table, "out", n.hops), places(table, "across", n.hops), places(table, "in", n.hops)});
    }
  if (n.routes.empty())
    throw error(fmt::format("{}: no [[route]]; expected what messages between workers pass: specs/README.md", file));
  if (n.routes.back().within < n.workers) add_nodes(n, spec);
  return n;
}

network between_hosts(const network& workers) {
  const auto far = std::ranges::find_if(workers.routes, [](const route& r) { return !r.out.empty(); });
  if (far == workers.routes.end())
    throw error(fmt::format("{}: no [[route]] has 'out'; expected hosts that forward messages", workers.name));
  const std::uint32_t behind = workers.hops[far->out.front()].shared_by;
  network n{workers.name, workers.workers / behind, workers.hops, {}};
  for (hop& h : n.hops) h.shared_by = std::max(1U, h.shared_by / behind);
  for (auto at = far; at != workers.routes.end(); ++at)
    n.routes.push_back({at->name, at->within / behind, {at->out.back()}, at->across, {}});
  return n;
}

network without_links(std::uint32_t workers) {
  return {"no links", workers, {}, {{"everywhere", workers, {}, {}, {}}}};
}

}  // namespace maslin::links
