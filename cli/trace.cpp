// `maslin trace`: what a run left in its trace file, in figures, for other programs, as a picture, or for the report.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/shared/numbers.hpp"
#include "commands.hpp"
#include "maslin/error.hpp"
#include "reuse.hpp"
#include "task_graph.hpp"
#include "trace_export.hpp"
#include "trace_info.hpp"

namespace {

constexpr std::uint64_t most_cache_bytes = std::uint64_t{1} << 30;

struct wishes {
  std::string path;
  std::string output;
  bool json = false;
  bool perfetto = false;
  bool paraver = false;
  bool dot = false;
  bool svg = false;
  double resolution = 0;
  std::string picture;
  std::optional<std::uint64_t> cache_bytes;
  std::optional<std::uint64_t> l3_bytes;
  time_window window;
};

void warn_of_drops(const maslin::trace::file& trace) {
  if (const auto dropped = trace.about().dropped())
    fmt::print(stderr,
               "maslin: warning: the trace lacks {} events that came faster than they could be written; slices next "
               "to them may be too long or missing\n",
               dropped);
}

/// Gives "run" for "run.mtrace".
std::string stem_of(const std::string& trace) {
  const auto dot = trace.find_last_of('.');
  const auto slash = trace.find_last_of('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1) && dot > 0;
  return has_extension ? trace.substr(0, dot) : trace;
}

void info(const wishes& w) {
  const maslin::trace::file trace(w.path);
  const trace_figures figures = figures_of(trace);
  fmt::print("{}", w.json ? info_json(trace, figures) : info_text(trace, figures));
}

void export_graph(const wishes& w) {
  const task_graph graph = task_graph_of(w.path, w.window);
  const std::string path = w.output.empty() ? stem_of(w.path) + (w.svg ? ".svg" : ".dot") : w.output;
  write_file(path, w.svg ? to_svg(graph) : to_dot(graph));
  if (path != "-") fmt::print("{}: {}{}\n", path, graph.size(), w.svg ? "" : "; Graphviz draws it");
}

void export_trace(const wishes& w) {
  if (!(w.window.to > w.window.from))  // one of them may be nan
    throw maslin::error(
        fmt::format("--to {} does not lie behind --from {}: nothing would be exported", w.window.to, w.window.from));
  if (w.dot || w.svg) return export_graph(w);
  const maslin::trace::file trace(w.path);
  if (w.paraver) {
    if (w.output == "-") throw maslin::error("--paraver writes three files, so it cannot write to the standard output");
    const std::string stem = w.output.empty()             ? stem_of(w.path)
                             : w.output.ends_with(".prv") ? stem_of(w.output)
                                                          : w.output;
    const paraver_records written = export_paraver(trace, w.path, w.window, stem);
    warn_of_drops(trace);
    if (!written.left_out.empty())
      fmt::print(stderr, "maslin: warning: transfers are left out of {}.prv: {}\n", stem, written.left_out);
    fmt::print("{0}.prv: {1} records; open it in Paraver, which also reads {0}.pcf and {0}.row\n", stem, written.count);
    return;
  }
  const std::string path = w.output.empty() ? stem_of(w.path) + ".perfetto.json" : w.output;
  output_file to(path);
  const std::uint64_t written = export_perfetto(trace, w.window, to);
  to.commit();
  warn_of_drops(trace);
  if (path != "-") fmt::print("{}: {} trace events; open it at https://ui.perfetto.dev\n", path, written);
}

void spans(const wishes& w) {
  const maslin::trace::file trace(w.path);
  write_file(w.output.empty() ? "-" : w.output, spans_json(trace, w.resolution));
  warn_of_drops(trace);
}

void show_reuse(const wishes& w) {
  maslin::reuse::sizes machine = caches_here(std::max(maslin::trace::file(w.path).about().workers, 1));
  machine.own_bytes = w.cache_bytes.value_or(machine.own_bytes);
  machine.shared_bytes = w.l3_bytes.value_or(machine.shared_bytes);
  for (const auto& [name, bytes] : {std::pair{"--cache", machine.own_bytes}, std::pair{"--l3", machine.shared_bytes}})
    if (bytes > most_cache_bytes)
      throw maslin::error(fmt::format("{} is {} bytes; expected {} at most", name, bytes, most_cache_bytes));
  const reuse r = reuse_of(w.path, machine);
  if (!w.picture.empty()) write_file(w.picture, reuse_svg(r));
  fmt::print("{}", w.json ? reuse_json(r) : reuse_text(r));
}

}  // namespace

void add_trace(CLI::App& app) {
  auto* trace =
      app.add_subcommand("trace", "What a run left in its trace file (record one with MASLIN_TRACE=run.mtrace)");
  trace->require_subcommand(1);
  const auto w = std::make_shared<wishes>();
  const auto add = [&](const char* name, const char* what, void (*run)(const wishes&)) {
    auto* command = trace->add_subcommand(name, what);
    command->add_option("FILE", w->path, "The trace")->required();
    command->callback([w, run] { run(*w); });
    return command;
  };

  auto* figures = add("info", "Duration, workers and how busy they were, events of each kind, drops", info);
  figures->add_flag("--json", w->json, "Print one JSON object");

  auto* reused =
      add("reuse", "Where each line's tasks would find their data: in caches, or in memory (modelled)", show_reuse);
  reused
      ->add_option("--cache", w->cache_bytes,
                   "Size of each worker's cache, e.g. 512k (default: its part of the L2 here)")
      ->transform(command::size());
  reused->add_option("--l3", w->l3_bytes, "Size of the cache that all workers share; 0: none (default: the L3 here)")
      ->transform(command::size());
  reused->add_flag("--json", w->json, "Print one JSON object");
  reused->add_option("--svg", w->picture, "Also draw it")->type_name("FILE");
  reused->footer(
      "From the trace: which task began when and where, and the data that it names.\n"
      "Assumed: it uses each byte of them once, when it begins; caches are fully associative and hold what was used\n"
      "last; renamed data lie where the program named them. Not seen: loops, kernels, and data that tasks do not "
      "name.");

  auto* exported = add("export", "Write the trace so that other programs can show it", export_trace);
  CLI::Option* forms[] = {
      exported->add_flag("--perfetto", w->perfetto, "As JSON for the Perfetto UI and chrome://tracing (the default)"),
      exported->add_flag("--paraver", w->paraver, "As the three files that Paraver reads: .prv, .pcf, .row"),
      exported->add_flag("--dot", w->dot, "The tasks and their dependences, for Graphviz"),
      exported->add_flag("--svg", w->svg, "The same as a picture")};
  for (CLI::Option* one : forms)
    for (CLI::Option* other : forms)
      if (one < other) one->excludes(other);
  exported
      ->add_option("-o,--output", w->output,
                   "Where to; '-' is the standard output (default: beside FILE, .perfetto.json, .prv, .dot or .svg)")
      ->type_name("FILE");
  exported->add_option("--from", w->window.from, "Leave out what ended before this second of the run")
      ->type_name("SECONDS");
  exported->add_option("--to", w->window.to, "Leave out what began after this second of the run")->type_name("SECONDS");

  auto* intervals = add("spans", "Each worker's intervals by stream, phases and decisions, as JSON for reports", spans);
  intervals->add_option("-o,--output", w->output, "Where to (default: the standard output)")->type_name("FILE");
  intervals->add_option("--resolution", w->resolution, "Merge intervals of one stream closer than this many seconds")
      ->check(command::number_that([](double value) { return value >= 0; }, "a number that is not below 0"))
      ->type_name("SECONDS");
}
