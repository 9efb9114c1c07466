// `maslin explain`: what the runtime decided in a run, and how to decide otherwise.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "commands.hpp"
#include "explanation.hpp"
#include "maslin/error.hpp"
#include "run_report.hpp"

namespace {

struct wishes {
  std::string what;
  bool list = false;
  bool json = false;
};

enum class content { none, trace, report, other };

content content_of(const std::string& path) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return content::none;
  constexpr int trace_begins = 0x89, report_begins = '{';
  std::ifstream file(path, std::ios::binary);
  if (!file) throw maslin::error(fmt::format("'{}' cannot be read: {}", path, std::strerror(errno)));
  const int first = file.get();
  return first == trace_begins ? content::trace : first == report_begins ? content::report : content::other;
}

[[noreturn]] void fail(const wishes& wish, const known_runs& known, content is) {
  constexpr const char* what_to_do =
      "run a program with a phase (MASLIN_REPORT=off, and described machines, leave no report), or record a trace with "
      "MASLIN_TRACE=run.mtrace and name that";
  if (is == content::other)
    throw maslin::error(fmt::format(
        "'{}' is neither a trace nor a report, and there is no report of a program of that name in '{}': {}", wish.what,
        known.folder, what_to_do));
  if (known.runs.empty())
    throw maslin::error(fmt::format("{}there is no report of a run in '{}': {}",
                                    wish.what.empty() ? "" : fmt::format("there is no file '{}', and ", wish.what),
                                    known.folder, what_to_do));
  throw maslin::error(fmt::format(
      "'{}' is no file, and no process or program of which there is a report: `maslin explain --list` lists "
      "those, `maslin explain` takes the last one",
      wish.what));
}

/// Says of which runs there is more to know, where the user named none.
void tell_of_others(const known_runs& known) {
  const auto others = std::ranges::count_if(known.runs.begin() + 1, known.runs.end(), [](const auto& run) {
    return run.what.report_of->is == process_state::life::runs;
  });
  if (others > 0)
    fmt::print(
        "\n{} more run at the moment: `maslin explain --list` lists them, `maslin explain PROCESS` explains one.\n",
        others);
}

void run(const wishes& wish) {
  const content is = wish.list || wish.what.empty() ? content::none : content_of(wish.what);
  std::optional<explanation> all;
  if (is == content::trace) all = explain(maslin::trace::file(wish.what));
  if (is == content::report) all = read_run_report(wish.what);
  if (all) {
    fmt::print("{}", wish.json ? explanation_json(*all) : explanation_text(*all));
    return;
  }
  const known_runs known = look_for_runs();
  for (const std::string& message : known.damaged) fmt::print(stderr, "maslin: {}\n", message);
  const known_runs::run* const found = known.find(wish.what);
  if (!found) fail(wish, known, is);
  if (wish.list) {
    fmt::print("{}", wish.json ? runs_json(known) : runs_text(known));
    return;
  }
  fmt::print("{}", wish.json ? explanation_json(found->what) : explanation_text(found->what));
  if (wish.what.empty() && !wish.json) tell_of_others(known);
}

}  // namespace

void add_explain(CLI::App& app) {
  auto wish = std::make_shared<wishes>();
  CLI::App* command = app.add_subcommand(
      "explain",
      "What the runtime decided and why, in the last run or one that goes on: configurations of phases, how workers "
      "waited; from a trace also which loops and tasks were not shared");
  command->add_option("WHAT", wish->what,
                      "A process's number, a program's name, the file of a report (MASLIN_REPORT) or of a trace "
                      "(MASLIN_TRACE); the last run if not given");
  command->add_flag("--list", wish->list, "List the runs of which there is a report");
  command->add_flag("--json", wish->json, "Write the figures as JSON");
  command->callback([wish] { run(*wish); });
}
