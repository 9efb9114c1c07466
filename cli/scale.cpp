// `maslin scale`: how much faster a program would be on more workers, and what would be in its way.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate.hpp"
#include "cli/shared/numbers.hpp"
#include "cli/shared/scratch_folder.hpp"
#include "cli/shared/terminal.hpp"
#include "commands.hpp"
#include "cpu_share.hpp"
#include "json_text.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "memory_rates.hpp"
#include "output.hpp"
#include "replay.hpp"
#include "scaling.hpp"
#include "scaling_picture.hpp"
#include "sequential_run.hpp"
#include "traffic.hpp"

namespace {

struct wishes {
  std::vector<std::string> command;
  std::vector<int> workers;
  std::string machine, loops = "dbs", picture;
  bool trimmed = false, beside = false, json = false;
};

constexpr int most_workers = 4096;
constexpr int rounds = 3;  // alone and beside, in turn

std::string name_of(const line_share& l) {
  if (!l.line.empty()) return l.line;
  return l.after.empty() ? "the program itself, before its first call"
                         : fmt::format("the program itself, after its call at {}", l.after);
}

/// Gives the numbers of workers to look at: those that were asked for, or powers of two. Throws where a description has
/// fewer workers; this machine is taken to have more of the same.
std::vector<int> workers_of(std::vector<int> asked, const std::string& machine) {
  int most = 256;
  if (!machine.empty()) {
    const maslin::machine::machine_spec spec = maslin::machine::read_spec(machine);
    if (!asked.empty()) expect_workers(asked.back(), spec);
    most = std::min(spec.workers.count * spec.nodes, most_workers);
  }
  if (!asked.empty()) return asked;
  for (int n = 1; n < most; n *= 2) asked.push_back(n);
  asked.push_back(most);
  return asked;
}

void print(const recorded& program, const scaling& s, const std::string& machine, const by_line& rates, bool beside) {
  fmt::print("{}: {} tasks, {} loops, on more workers of {}\n\n", program.program, program.tasks.size(),
             program.loops.size(), machine);
  fmt::print("work           {:.6g} s   on one worker\n", s.work);
  fmt::print("span           {:.6g} s   on any number of workers; no run is faster\n", s.span);
  fmt::print("burdened span  {:.6g} s   with what the runtime itself takes, on the best number of workers\n",
             s.burdened_span);
  fmt::print("parallelism    {:.1f}       work / span\n\n", s.work / s.span);
  fmt::print("workers    seconds  speed-up\n");
  const double best = std::max_element(s.points.begin(), s.points.end(), [](const auto& a, const auto& b) {
                        return a.seconds > b.seconds;
                      })->seconds;
  const char* const cell = command::locale_is_utf8() ? "█" : "#";
  for (const scaling::point& p : s.points) {
    constexpr double columns = 40;
    std::string bar;
    for (int i = 0; i < std::lround(columns * best / p.seconds); ++i) bar += cell;
    const char* by = to_string(p.by);
    fmt::print("{:7} {:10.4g} {:9.2f}  {}{}{}\n", p.workers, p.seconds, s.work / p.seconds, bar, *by ? "  " : "", by);
  }
  fmt::print("\nWhat holds it up on {} workers (at each moment the time is shared by those that compute):\n",
             s.points.back().workers);
  for (std::size_t i = 0; i < s.lines.size() && i < 3; ++i)
    fmt::print("{:6.1f} %  {}\n", 100 * s.lines[i].share, name_of(s.lines[i]));
  if (const std::string silent = about_silent_loops(program, "--beside measures it"); !beside && !silent.empty())
    fmt::print("\n{}", silent);
  if (beside && rates.empty())
    fmt::print("\nNothing waits for memory here; what more CPUs would share is not known.\n");
  if (!rates.empty()) fmt::print("\nWhat waits for memory, and what one worker alone moves there:\n");
  for (const auto& [line, rate] : rates) fmt::print("{:6.1f} GB/s  {}\n", rate * 1e-9, line);
  if (!s.unsaid.empty())
    fmt::print("\nnot described, counted as nothing (a speed as 1): {}\n", fmt::join(s.unsaid, ", "));
}

nlohmann::ordered_json as_json(const recorded& program, const scaling& s, const std::string& machine,
                               const by_line& rates, bool beside) {
  nlohmann::ordered_json all{{"program", program.program},
                             {"tasks", program.tasks.size()},
                             {"loops", program.loops.size()},
                             {"machine", machine},
                             {"work_s", s.work},
                             {"span_s", s.span},
                             {"burdened_span_s", s.burdened_span},
                             {"memory_bytes", s.memory_bytes}};
  for (const scaling::point& p : s.points)
    all["points"].push_back({{"workers", p.workers},
                             {"seconds", p.seconds},
                             {"without_dispatch_s", p.ideal},
                             {"speed_up", s.work / p.seconds},
                             {"limit", to_string(p.by)}});
  for (const line_share& l : s.lines)
    all["lines"].push_back({{"line", l.line}, {"after", l.after}, {"share", l.share}});
  for (const auto& [line, rate] : rates) all["from_memory"].push_back({{"line", line}, {"gb_per_s", rate * 1e-9}});
  all["loops_traffic_known"] = beside || silent_loops(program).empty();
  all["unsaid"] = s.unsaid;
  return all;
}

void run(wishes w) {
  std::sort(w.workers.begin(), w.workers.end());
  w.workers = workers_of(w.workers, w.machine);
  command::scratch_folder folder;
  const one_worker_trace trace = trace_on_one_worker(w.command, folder);
  recorded program = read_recorded(trace.path);
  const std::optional<double> share = cpu_share(program, trace.cpu_share);
  std::string machine = w.machine;
  by_line rates;
  if (machine.empty() || w.beside) {
    const std::string here = folder.file("this.toml");
    std::vector<by_line> alone{line_seconds(program)}, beside;
    for (int round = 0; w.beside && round < rounds; ++round) {
      if (round > 0) alone.push_back(line_seconds(read_recorded(trace_on_one_worker(w.command, folder).path)));
      beside.push_back(line_seconds(read_recorded(trace_beside_copies(w.command, folder).path)));
    }
    write_file(here, calibrated_description(false));
    const auto spec = maslin::machine::read_spec(here);
    if (w.beside) rates = memory_rates(alone, beside, spec.workers.count, bandwidth(spec, spec.workers.count));
    if (machine.empty()) machine = here;
  }
  if (rates.empty())
    count_named_data(program, maslin::machine::read_spec(machine));
  else
    add_measured(program, rates);
  scaling s = scale(program, machine, w.workers, w.loops, w.trimmed);
  if (w.machine.empty()) std::erase(s.unsaid, "workers.speed");  // it is as fast as itself
  const std::string shown = w.machine.empty() ? "this machine" : w.machine;
  if (!w.picture.empty()) write_file(w.picture, scaling_picture(program.program, shown, s));
  if (w.json) {
    auto all = as_json(program, s, shown, rates, w.beside);
    if (share) all["cpu_share"] = *share;
    fmt::print("{}\n", json_text(all));
    return;
  }
  fmt::print("{}", about_cpu_share(share));
  print(program, s, shown, rates, w.beside);
}

}  // namespace

void add_scale(CLI::App& app) {
  const auto w = std::make_shared<wishes>();
  CLI::App* command = app.add_subcommand(
      "scale", "How much faster a program would be on more workers, what would limit it, and at which source line");
  command
      ->add_option("PROGRAM", w->command,
                   "The program with its arguments, options behind -- (it runs once, on one worker); or a trace of it")
      ->required();
  command
      ->add_option(
          "--workers", w->workers,
          "Numbers of workers, e.g. 1,2,4,64 (default: 1, 2, 4 and so on, up to 256 of this machine, or to all that "
          "are described)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->transform(command::whole_number(1, most_workers))
      ->type_name("N,...");
  command->add_flag("--beside", w->beside,
                    "Run the program three times beside copies of itself on all other CPUs, and three times alone: a "
                    "line that is slower beside them waits for memory, and will do so on more workers");
  command
      ->add_option(
          "--machine", w->machine,
          "Description of the machine that has these workers, e.g. specs/epyc-128.toml (default: this one, measured)")
      ->type_name("FILE");
  command->add_option("--loop", w->loops, "The policy by which loops are shared: dbs, static, gss or afs")
      ->check(CLI::IsMember({"dbs", "static", "gss", "afs"}))
      ->capture_default_str();
  command->add_flag("--trim", w->trimmed,
                    "Leave out what the program computes before its first call of Maslin and after its last");
  command->add_option("--picture", w->picture, "Draw the result in this file, as SVG")->type_name("FILE");
  command->add_flag("--json", w->json, "Print one JSON object");
  command->callback([w] { run(*w); });
}
