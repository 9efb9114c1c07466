#include "machine/routes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "machine/section.hpp"

namespace maslin::machine {

namespace {

void check_hop(section& s, std::int64_t workers, std::vector<std::string>& names) {
  const std::string name = s.text("name");
  if (std::ranges::find(names, name) != names.end())
    s.fail_at("name", fmt::format("a second [[hop]] is called \"{}\"; expected a name of its own", name));
  const std::int64_t shared_by = s.whole("shared_by", a_count);
  if (workers % shared_by != 0)
    s.fail_at("shared_by",
              fmt::format("'hop.shared_by' is {}, which does not divide the {} workers evenly", shared_by, workers));
  const auto startup = s.optional_number("startup_us", a_time);
  const auto one = s.optional_number("bandwidth_gb_per_s", a_bandwidth);
  const auto all = s.optional_number("total_gb_per_s", a_bandwidth);
  if (!startup && !one && !all)
    s.fail_at("name", fmt::format("the hop \"{}\" takes no time; expected 'startup_us', 'bandwidth_gb_per_s' or "
                                  "'total_gb_per_s'",
                                  name));
  if (all && (!one || *all < *one))
    s.fail_at("total_gb_per_s",
              fmt::format("'hop.total_gb_per_s' is {}; expected 'hop.bandwidth_gb_per_s', which a single message "
                          "reaches, and no less in total",
                          *all));
  s.source();
  s.done();
  names.push_back(name);
}

/// `nearer`: within how many workers the route before it leads.
std::int64_t check_route(section& s, std::int64_t nearer, const std::vector<std::string>& hops,
                         std::vector<std::string>& names) {
  const std::string name = s.text("name");
  if (std::ranges::find(names, name) != names.end())
    s.fail_at("name", fmt::format("a second [[route]] is called \"{}\"; expected a name of its own", name));
  const std::int64_t within = s.whole("within", a_count);
  if (within <= nearer || within % nearer != 0)
    s.fail_at("within",
              fmt::format("'route.within' is {}, behind a route within {}; expected a multiple of it", within, nearer));
  bool leads_somewhere = false;
  for (const char* part : {"out", "across", "in"}) {
    if (!s.has(part)) continue;
    leads_somewhere = true;
    for (const std::string& hop : s.texts(part))
      if (std::ranges::find(hops, hop) == hops.end())
        s.fail_at(part, fmt::format("'route.{}' names the hop \"{}\", which is not described; expected one of {}", part,
                                    hop, fmt::join(hops, ", ")));
  }
  if (!leads_somewhere)
    s.fail_at("name", fmt::format("the route \"{}\" has no hop; expected 'out', 'across' or 'in'", name));
  if (s.has("out") != s.has("in"))
    s.fail_at(s.has("out") ? "out" : "in",
              fmt::format("the route \"{}\" has only one of 'out' and 'in'; expected both, or none", name));
  s.source();
  s.done();
  names.push_back(name);
  return within;
}

}  // namespace

void check_routes(section& description, std::int64_t nodes, std::int64_t workers) {
  std::vector<std::string> hops, routes;
  for (section& hop : description.tables("hop")) check_hop(hop, nodes * workers, hops);
  std::int64_t within = 1;
  std::vector<section> all = description.tables("route");
  for (section& route : all) within = check_route(route, within, hops, routes);
  if (!all.empty() && within != workers && within != nodes * workers)
    all.back().fail_at(
        "within", fmt::format("the last [[route]] is within {} workers; expected all {}{}", within, nodes * workers,
                              nodes > 1 ? fmt::format(", or the {} of a node", workers) : ""));
}

}  // namespace maslin::machine
