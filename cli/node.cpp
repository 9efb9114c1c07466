// `maslin node`: the CPUs of this node as the processes of a job share them.

#include "maslin/node.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "commands.hpp"
#include "json_text.hpp"
#include "maslin/error.hpp"
#include "output.hpp"

namespace {

using json = nlohmann::ordered_json;

std::string text_of(const maslin::shared_node& node) {
  std::string out;
  line(out, "job {}: {} processes share {} CPUs", node.job, node.processes.size(), node.cpus.size());
  line(out, "");
  line(out, "{:>9}  {:<15}  {:>4}  {:>4}  {:>7}  {:>9}  {:>9}  {:>10}", "process", "command", "owns", "uses", "workers",
       "lent", "borrowed", "taken back");
  for (const maslin::sharing_process& p : node.processes)
    line(out, "{:>9}  {:<15}  {:>4}  {:>4}  {:>7}  {:>9}  {:>9}  {:>10}{}", p.process, p.command, p.own, p.used,
         p.working, p.lent, p.borrowed, p.regained,
         !p.alive       ? "  dead: its CPUs go to whoever looks for some"
         : p.wants_more ? "  wants more"
                        : "");
  line(out, "");
  line(out, "{:>9}  {:<15}  {}", "CPU", "owner", "used by");
  for (const maslin::shared_cpu_state& c : node.cpus)
    line(out, "{:>9}  {:<15}  {}", c.cpu, c.owner ? std::to_string(*c.owner) : "nobody",
         !c.user             ? "nobody: lent"
         : c.user == c.owner ? "its owner"
                             : fmt::format("{}, who borrowed it", *c.user));
  return out;
}

json as_json(const maslin::shared_node& node) {
  const auto process = [](const std::optional<int>& p) { return p ? json(*p) : json(nullptr); };
  json out = {{"job", node.job}, {"processes", json::array()}, {"cpus", json::array()}};
  for (const maslin::sharing_process& p : node.processes)
    out["processes"].push_back({{"process", p.process},
                                {"command", p.command},
                                {"alive", p.alive},
                                {"owns", p.own},
                                {"uses", p.used},
                                {"workers", p.working},
                                {"wants_more", p.wants_more},
                                {"lent", p.lent},
                                {"borrowed", p.borrowed},
                                {"taken_back", p.regained}});
  for (const maslin::shared_cpu_state& c : node.cpus)
    out["cpus"].push_back({{"cpu", c.cpu}, {"owner", process(c.owner)}, {"user", process(c.user)}});
  return out;
}

struct wishes {
  std::string job;
  bool as_json = false;
};

void run(const wishes& wish) {
  json all = json::array();
  std::string text;
  const auto jobs = wish.job.empty() ? maslin::jobs_on_node() : std::vector<std::string>{wish.job};
  for (const std::string& job : jobs) {
    const auto node = maslin::look_at_node(job);
    if (!node && !wish.job.empty())
      throw maslin::error("no process of yours on this node shares it as '" + job + "'; `maslin node` lists the jobs");
    if (!node) continue;  // it has just ended
    all.push_back(as_json(*node));
    if (!text.empty()) line(text, "");
    text += text_of(*node);
  }
  if (wish.as_json)
    fmt::print("{}\n", json_text(all));
  else
    fmt::print("{}", text.empty() ? "no process of yours shares this node\n" : text);
}

}  // namespace

void add_node(CLI::App& app) {
  auto wish = std::make_shared<wishes>();
  CLI::App* command =
      app.add_subcommand("node", "Which processes share this node's CPUs: who owns, uses, lends and borrows");
  command->add_option("JOB", wish->job, "The job's name (MASLIN_NODE); all of yours if not given");
  command->add_flag("--json", wish->as_json, "Print JSON");
  command->callback([wish] { run(*wish); });
}
