// `maslin explain`: what the runtime decided in a run, and how to decide otherwise.

#include <fmt/format.h>

#include <memory>
#include <string>

#include "commands.hpp"
#include "explanation.hpp"

void add_explain(CLI::App& app) {
  struct wishes {
    std::string path;
    bool json = false;
  };
  auto wish = std::make_shared<wishes>();
  CLI::App* command = app.add_subcommand(
      "explain", "What the runtime decided in a run and why: configurations of phases, loops that were not shared");
  command->add_option("FILE", wish->path, "The run's trace (record one with MASLIN_TRACE=run.mtrace)")->required();
  command->add_flag("--json", wish->json, "Write the figures as JSON");
  command->callback([wish] {
    const maslin::trace::file trace(wish->path);
    const explanation all = explain(trace);
    fmt::print("{}", wish->json ? explanation_json(all) : explanation_text(trace, all));
  });
}
