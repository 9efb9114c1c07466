// `maslin layout`: how many ranks, streams and workers for each to start a program with, by the model of layered
// parallelism.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibrate.hpp"
#include "cli/shared/numbers.hpp"
#include "cli/shared/scratch_folder.hpp"
#include "commands.hpp"
#include "cpu_share.hpp"
#include "json_text.hpp"
#include "layout_profile.hpp"
#include "layout_start.hpp"
#include "maslin/error.hpp"
#include "model/layers/layouts.hpp"
#include "output.hpp"
#include "rank_layout.hpp"
#include "rank_trace.hpp"
#include "sequential_run.hpp"
#include "traffic.hpp"

namespace {

namespace layers = maslin::layers;
using json = nlohmann::ordered_json;

struct options {
  std::vector<std::string> command;
  std::string machine, ranks = "none";
  std::vector<std::string> layouts, sends, all_reduces;
  double memory_gb_per_s = 0;
  bool beside = false, all = false, json = false;
};

constexpr std::array rank_words{"none", "streams", "processes"};

/// Gives the whole numbers of "AxBxC"; nothing for any other text.
std::optional<std::vector<std::int64_t>> numbers_of(const std::string& text) {
  std::vector<std::int64_t> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at <= end) {
    std::int64_t number = 0;
    const auto [next, problem] = std::from_chars(at, end, number);
    if (problem != std::errc() || number < 1) return std::nullopt;
    all.push_back(number);
    if (next == end) return all;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
  return std::nullopt;
}

layers::messages messages_of(const std::vector<std::string>& said, const char* option) {
  layers::messages all;
  for (const std::string& text : said) {
    const auto n = numbers_of(text);
    if (!n || n->size() > 2)
      throw maslin::error(
          fmt::format("{} {}: expected BYTES, or COUNTxBYTES of several messages, such as 8 or 4x4096", option, text));
    const std::int64_t count = n->size() == 2 ? n->front() : 1;
    // Of several sizes, the mean.
    const double bytes = all.bytes * static_cast<double>(all.count) + static_cast<double>(count * n->back());
    all.count += count;
    all.bytes = bytes / static_cast<double>(all.count);
  }
  return all;
}

layers::layout layout_of(const std::string& text, const layers::machine& m, layers::ranks_are ranks) {
  const bool processes = ranks == layers::ranks_are::processes;
  const auto n = numbers_of(text);
  constexpr std::int64_t most = 1'000'000;
  if (!n || n->size() != (processes ? 3u : 2u) || *std::max_element(n->begin(), n->end()) > most)
    throw maslin::error(fmt::format(
        "--layout {}: expected {}", text,
        processes ? "RANKSxSTREAMSxWIDTH, such as 16x1x4, because ranks are processes" : "STREAMSxWIDTH, such as 8x2"));
  const auto at = [&](std::size_t i) { return static_cast<int>((*n)[i]); };
  layers::layout l{1, 1, at(processes ? 1 : 0), at(processes ? 2 : 1)};
  if (processes) {
    l.ranks = at(0);
    l.on_a_node = (l.ranks + m.nodes - 1) / m.nodes;
  }
  if (!layers::fits(m, l, ranks))
    throw maslin::error(fmt::format("--layout {}: it needs more workers than '{}' has: {} on each of {} node{}", text,
                                    m.name, m.workers, m.nodes, m.nodes == 1 ? "" : "s"));
  return l;
}

/// A phase with its candidates, and the one to start with.
struct laid_out {
  const layers::phase* of;
  std::vector<layers::candidate> all;
  const layers::candidate* best = nullptr;

  std::int64_t streams() const {
    std::size_t most = 0;
    for (const layers::phase_run& run : of->runs) most = std::max(most, run.streams.size());
    return static_cast<std::int64_t>(most);
  }
  std::int64_t off_loads() const {
    std::int64_t sum = 0;
    for (const layers::phase_run& run : of->runs)
      for (const layers::stream& s : run.streams) sum += s.kernels;
    return sum;
  }
};

/// Gives the fastest candidate with so many ranks.
const layers::candidate* best_with(const laid_out& phase, int ranks) {
  for (const layers::candidate& c : phase.all)
    if (c.at.ranks == ranks) return &c;
  return nullptr;
}

/// Chooses for all phases: ranks are the same for them, streams and widths are not.
void choose(std::vector<laid_out>& phases) {
  double least = -1;
  std::vector<int> tried;
  for (const layers::candidate& c : phases.front().all) {
    if (std::find(tried.begin(), tried.end(), c.at.ranks) != tried.end()) continue;
    tried.push_back(c.at.ranks);
    double sum = 0;
    for (const laid_out& p : phases) {
      const layers::candidate* const best = best_with(p, c.at.ranks);
      sum = best ? sum + best->takes.seconds : 1e300;
    }
    if (least >= 0 && sum >= least) continue;
    least = sum;
    for (laid_out& p : phases) p.best = best_with(p, c.at.ranks);
  }
}

/// Does the time of one (`layers::prediction`, `rank_layout`) differ from the best one's by less than their error bars?
template <class Takes>
bool is_as_good(const Takes& one, const Takes& best) {
  return one.seconds - one.error <= best.seconds + best.error;
}

/// Gives the program's words; of a trace, the name of the program in this folder.
std::vector<std::string> words_of(const std::vector<std::string>& command, const std::string& program) {
  return names_trace(command) ? std::vector{"./" + program} : command;
}

/// Says what the lines that start a program lack.
void print_what_to_add(bool is_trace) {
  if (is_trace)
    fmt::print("A trace holds the program's name only: add its arguments, and its folder if it is another.\n");
}

void print_unknown(const std::vector<std::string>& unknown) {
  if (!unknown.empty()) fmt::print("not described, counted as nothing: {}\n", fmt::join(unknown, ", "));
}

struct part {
  const char* key;
  const char* words;
  double layers::terms::*of;
};
constexpr std::array<part, 7> parts{{
    {"host_s", "streams' own code", &layers::terms::host},
    {"host_overhead_s", "off-loading", &layers::terms::host_overhead},
    {"parallel_s", "loops of kernels", &layers::terms::parallel},
    {"serial_s", "serial parts of kernels", &layers::terms::serial},
    {"accelerator_overhead_s", "sharing kernels", &layers::terms::accelerator_overhead},
    {"waiting_s", "waiting for hosts and others", &layers::terms::waiting},
    {"communication_s", "messages", &layers::terms::communication},
}};

std::string most_of(const layers::terms& t) {
  const auto most =
      std::max_element(parts.begin(), parts.end(), [&](const part& a, const part& b) { return t.*a.of < t.*b.of; });
  return fmt::format("{:.0f} % {}", 100 * (t.*most->of) / std::max(1e-300, t.sum()), most->words);
}

std::string name_of(const layers::layout& at, layers::ranks_are ranks) {
  if (ranks == layers::ranks_are::processes) return fmt::format("{}x{}x{}", at.ranks, at.streams, at.width);
  return fmt::format("{}x{}", at.streams, at.width);
}

void print_phase(const laid_out& p, layers::ranks_are ranks, bool all, bool beside) {
  fmt::print("\nphase '{}': {} stream{}, {} off-load{} in {} run{}\n", p.of->name, p.streams(),
             p.streams() == 1 ? "" : "s", p.off_loads(), p.off_loads() == 1 ? "" : "s", p.of->runs.size(),
             p.of->runs.size() == 1 ? "" : "s");
  if (beside)
    fmt::print("  each other worker that computes makes loops take {:.1f} % longer, other code {:.1f} %\n",
               100 * p.of->slowed_by.loops, 100 * p.of->slowed_by.code);
  fmt::print("  {:<22} {:>10} {:>9}  most of it\n",
             ranks == layers::ranks_are::processes ? "ranks x streams x width" : "streams x width", "seconds", "+-");
  constexpr std::size_t few = 10;
  std::size_t shown = 0, as_good = 0;
  for (const layers::candidate& c : p.all) {
    if (&c != p.best && is_as_good(c.takes, p.best->takes)) ++as_good;
    if (!all && ++shown > few && &c != p.best) continue;
    fmt::print("  {:<23} {:>9.4g} {:>9.2g}  {}{}{}\n", name_of(c.at, ranks), c.takes.seconds, c.takes.error,
               c.takes.master == layers::loop_master::host ? "hosts give out loops; " : "", most_of(c.takes.by),
               &c == p.best ? "  <- start with this" : "");
  }
  if (!all && p.all.size() > few) fmt::print("  ... and {} more (--all)\n", p.all.size() - few);
  if (as_good > 0) fmt::print("  as good within the errors: {} more\n", as_good);
}

json as_json(const laid_out& p) {
  json phase{{"name", p.of->name}, {"streams", p.streams()}, {"runs", p.of->runs.size()}, {"off_loads", p.off_loads()}};
  phase["slowed_by_each"] = {{"code", p.of->slowed_by.code}, {"loops", p.of->slowed_by.loops}};
  for (const layers::candidate& c : p.all) {
    json one{{"ranks", c.at.ranks},
             {"ranks_on_a_node", c.at.on_a_node},
             {"streams", c.at.streams},
             {"width", c.at.width},
             {"seconds", c.takes.seconds},
             {"error_s", c.takes.error},
             {"idealised_s", c.takes.idealised},
             {"chosen", &c == p.best}};
    if (const auto& seconds = c.takes.by_master) {
      one["loop_master"] = layers::name_of(c.takes.master);
      one["seconds_by_master"] = {{"worker", seconds->front()}, {"host", seconds->back()}};
    }
    for (const part& of : parts) one["terms"][of.key] = c.takes.by.*of.of;
    phase["candidates"].push_back(one);
  }
  return phase;
}

/// Gives the layouts of ranks that were asked for.
std::vector<rank_layout> asked_of_ranks(const options& wish, std::size_t ranks, const layers::machine& m) {
  std::vector<rank_layout> all;
  for (const std::string& text : wish.layouts) {
    const auto n = numbers_of(text);
    const auto count = static_cast<std::int64_t>(ranks);
    if (!n || n->size() != 2 || n->front() > count || n->back() > m.workers)
      throw maslin::error(
          fmt::format("--layout {}: expected RANKSxWIDTH, such as 4x8: of {} ranks so many on a node, and workers for "
                      "each, of which a node of '{}' has {}",
                      text, ranks, m.name, m.workers));
    const std::int64_t nodes = (count + n->front() - 1) / n->front();
    if (nodes > m.nodes || (n->back() > 1 && n->front() * n->back() > m.workers))
      throw maslin::error(fmt::format("--layout {}: it needs more than '{}' has: {} workers on each of {} node{}", text,
                                      m.name, m.workers, m.nodes, m.nodes == 1 ? "" : "s"));
    all.push_back({static_cast<int>(nodes), static_cast<int>(n->front()), static_cast<int>(n->back())});
  }
  return all;
}

/// Looks at layouts of a program whose trace holds ranks and their messages.
void run_ranks(const recorded_ranks& ranks, const options& wish, const std::string& file, std::optional<double> share) {
  if (wish.ranks != rank_words[0] || !wish.sends.empty() || !wish.all_reduces.empty() || wish.memory_gb_per_s > 0 ||
      wish.beside)
    throw maslin::error(
        "the trace holds ranks and what they exchange: leave --ranks, --send, --all-reduce, --memory and --beside out");
  if (ranks.workers != 1)
    throw maslin::error(
        fmt::format("'{}' was recorded on {} workers; record it with MASLIN_WORKERS=1", ranks.name, ranks.workers));
  const layers::machine m = layers::machine_of(maslin::machine::read_spec(file), {});
  const std::size_t count = ranks.program.ranks.size();
  const std::vector<std::string> unknown = unknown_to_ranks(m, file);
  const std::vector<rank_layout> all = layouts_of_ranks(ranks, file, m, asked_of_ranks(wish, count, m));
  const bool is_trace = names_trace(wish.command);
  const std::vector<std::string> words = words_of(wish.command, ranks.name);
  const auto start = start_lines_of_ranks(words, wish.machine, m, count, all.front());
  if (wish.json) {
    json out{{"program", ranks.name},
             {"machine", m.name},
             {"nodes", m.nodes},
             {"workers", m.workers},
             {"ranks", count},
             {"messages", ranks.messages},
             {"message_bytes", ranks.bytes},
             {"calls_of_all", ranks.calls},
             {"loops", ranks.loops.size()},
             {"recorded_s", ranks.seconds},
             {"seconds", all.front().seconds},
             {"error_s", all.front().error},
             {"unknown", unknown}};
    for (const rank_layout& one : all)
      out["candidates"].push_back({{"nodes", one.nodes},
                                   {"ranks_on_a_node", one.on_a_node},
                                   {"width", one.width},
                                   {"seconds", one.seconds},
                                   {"error_s", one.error},
                                   {"without_messages_s", one.without_messages}});
    for (const auto& [with, text] : start) out["start"][with] = text;
    out["start_has_arguments"] = !is_trace;
    if (share) out["cpu_share"] = *share;
    fmt::print("{}\n", json_text(out));
    return;
  }
  fmt::print("{} on {}: {} node{} of {} workers; recorded on one worker: {:.4g} s\n", ranks.name,
             wish.machine.empty() ? "this machine" : m.name, m.nodes, m.nodes == 1 ? "" : "s", m.workers,
             ranks.seconds);
  fmt::print("{}", about_cpu_share(share));
  print_unknown(unknown);
  fmt::print("{} ranks, {} messages of {:.6g} MB in all, {} calls of all ranks, {} loops\n\n", count, ranks.messages,
             static_cast<double>(ranks.bytes) * 1e-6, ranks.calls, ranks.loops.size());
  fmt::print("  nodes  ranks of each x width    seconds        +-  without messages\n");
  constexpr std::size_t few = 10;
  for (std::size_t i = 0; i < (wish.all ? all.size() : std::min(few, all.size())); ++i)
    fmt::print("  {:>5}  {:<21} {:>10.4g} {:>9.2g}  {:>16.4g}{}\n", all[i].nodes,
               fmt::format("{}x{}", all[i].on_a_node, all[i].width), all[i].seconds, all[i].error,
               all[i].without_messages, i == 0 ? "  <- start with this" : "");
  if (!wish.all && all.size() > few) fmt::print("  ... and {} more (--all)\n", all.size() - few);
  const auto as_good =
      std::count_if(all.begin() + 1, all.end(), [&](const rank_layout& one) { return is_as_good(one, all.front()); });
  if (as_good > 0) fmt::print("  as good within the errors: {} more\n", as_good);
  if (start.empty()) return;
  fmt::print("\nstart it with\n");
  for (const auto& [with, text] : start) fmt::print("  {}:\n    {}\n", with, text);
  print_what_to_add(is_trace);
}

/// What the program moves on one worker.
struct traffic {
  bool is_said = false;    ///< by its bodies, and that counts there, and nothing else
  bool to_stores = false;  ///< of the workers, so it is the profile that holds it
};

traffic traffic_there(const options& wish) {
  if (wish.memory_gb_per_s > 0 || wish.beside) return {};
  if (wish.machine.empty()) return {true, false};
  const auto there = maslin::machine::read_spec(wish.machine);
  const bool counts = counts_traffic(there);
  return {counts, counts && has_stores(there)};
}

/// Gives the bytes a second, as the command line says, or as bodies do.
double bytes_per_second(const traffic& moves, const recorded& program, const options& wish) {
  const double seconds = seconds_of_moving(program);
  if (!moves.is_said || seconds <= 0) return wish.memory_gb_per_s * 1e9;
  return bytes_moved(program) / seconds;
}

/// Lets workers without local stores share memory.
void tell_traffic(layers::wishes& w, const traffic& moves, const recorded& program, const options& wish) {
  if (moves.to_stores) return;
  w.memory_traffic = bytes_per_second(moves, program, wish);
  const double seconds = seconds_of_moving(program);
  if (moves.is_said && seconds > 0) w.loops_share = std::min(1.0, seconds / program.work);
}

/// Has the machine a saturation curve, if memory matters and its description says anything of it. Gives whether it is
/// one that was not measured.
bool let_workers_share_memory(layers::machine& m, const maslin::machine::machine_spec& spec, const layers::wishes& w,
                              const options& wish) {
  auto& curve = m.measured_curves.saturation;
  if (w.memory_traffic <= 0 || !curve.empty()) return false;
  curve = layers::described_saturation(spec, w.memory_traffic);
  if (curve.empty()) {
    if (wish.memory_gb_per_s <= 0) return false;  // nobody has asked for it
    throw maslin::error(
        fmt::format("--memory: '{}' says neither how fast its memory is ([[memory]] bandwidth_gb_per_s) nor how much "
                    "its workers move together ([saturation], which `maslin machine --calibrate` measures)",
                    wish.machine));
  }
  m.measured_curves.saturation_source = "described: [[memory]] bandwidth_gb_per_s";
  if (curve.front().is.value < w.memory_traffic)
    throw maslin::error(
        fmt::format("{}{:.6g}: the memory of '{}' moves {:.6g} GB/s at most; expected no more than that",
                    wish.memory_gb_per_s > 0 ? "--memory " : "the program says that it moves, in GB/s, ",
                    w.memory_traffic * 1e-9, m.name, curve.front().is.value * 1e-9));
  return true;
}

/// Throws where the program cannot be recorded beside copies of itself for that machine.
void expect_this_machine(const maslin::machine::machine_spec& spec) {
  const int cpus = maslin::machine::budget().cpus;
  if (spec.hosts || spec.workers.count * spec.nodes != cpus)
    throw maslin::error(
        fmt::format("--beside: the program and its copies run on this machine, on {} CPUs; '{}' is another one: leave "
                    "--machine out, or give what `maslin machine --calibrate` writes here",
                    cpus, spec.name));
}

/// Records the program beside copies of itself and tells the profile what differs. Gives the copies' number.
int tell_neighbours(layers::profile& profile, const options& wish, command::scratch_folder& folder) {
  const trace_beside trace = trace_beside_copies(wish.command, folder);
  add_neighbours(profile, profile_of(read_recorded(trace.path), trace.path), trace.copies);
  return trace.copies;
}

/// Looks at layouts of all phases: at those that were asked for, or at all.
std::vector<laid_out> laid_out_on(const layers::machine& m, const layers::profile& profile, const layers::wishes& w,
                                  const std::vector<std::string>& asked) {
  std::vector<laid_out> phases;
  std::vector<std::vector<layers::layout>> layouts;
  std::uint64_t total = 0, done = 0;
  for (const layers::phase& p : profile.phases) {
    phases.push_back({&p, {}});
    std::vector<layers::layout>& all = layouts.emplace_back();
    for (const std::string& text : asked) all.push_back(layout_of(text, m, w.ranks));
    if (all.empty()) all = layers::layouts_of(m, phases.back().streams(), w.ranks);
    total += all.size();
  }
  progress bar("looking at layouts", total);
  for (std::size_t i = 0; i < phases.size(); ++i)
    phases[i].all = layers::ranked(*phases[i].of, m, layouts[i], w, [&] { bar.at(++done); });
  choose(phases);
  return phases;
}

/// Were messages measured between ranks of one process only, where ranks are processes that exchange some?
bool processes_count_as_workers(const layers::machine& m, const layers::wishes& w) {
  const auto measured = [&](layers::placement where) {
    const auto& all = m.measured_curves.messages;
    return std::any_of(all.begin(), all.end(), [&](const layers::message_curve& c) { return c.where == where; });
  };
  return w.ranks == layers::ranks_are::processes && w.sends.count + w.all_reduces.count > 0 &&
         measured(layers::placement::workers) && !measured(layers::placement::processes);
}

void run(const options& wish) {
  const auto ranks =
      static_cast<layers::ranks_are>(std::find(rank_words.begin(), rank_words.end(), wish.ranks) - rank_words.begin());
  layers::wishes w;
  w.ranks = ranks;
  w.sends = messages_of(wish.sends, "--send");
  w.all_reduces = messages_of(wish.all_reduces, "--all-reduce");
  if (ranks == layers::ranks_are::none && w.sends.count + w.all_reduces.count > 0)
    throw maslin::error("--send and --all-reduce say what ranks exchange: give --ranks streams or processes, too");

  if (wish.beside && wish.memory_gb_per_s > 0)
    throw maslin::error("--memory and --beside: what cores share is said, or measured; give one of them");

  command::scratch_folder folder;
  std::string file = wish.machine;
  if (!file.empty())  // before anything is run
    if (const auto there = maslin::machine::read_spec(file); wish.beside) expect_this_machine(there);
  const auto [trace, share_of_run] = trace_on_one_worker(wish.command, folder);
  if (const auto of_ranks = read_ranks({trace}, false)) {
    if (file.empty()) write_file(file = folder.file("this.toml"), calibrated_description(false));
    return run_ranks(*of_ranks, wish, file, share_of_run);
  }
  const recorded program = read_recorded(trace);
  const std::optional<double> share = cpu_share(program, share_of_run);
  const traffic moves = traffic_there(wish);
  layers::profile profile = profile_of(program, trace, moves.is_said);
  const int copies = wish.beside ? tell_neighbours(profile, wish, folder) : 0;
  tell_traffic(w, moves, program, wish);
  if (file.empty()) {
    file = folder.file("this.toml");
    write_file(file, calibrated_description(w.ranks == layers::ranks_are::processes || w.memory_traffic > 0));
  }
  const maslin::machine::machine_spec spec = maslin::machine::read_spec(file);
  layers::machine m = layers::machine_of(spec, layers::read_curves(file));
  const bool shares_as_described = let_workers_share_memory(m, spec, w, wish);

  std::vector<laid_out> phases = laid_out_on(m, profile, w, wish.layouts);
  const int on_a_node = phases.front().best->at.on_a_node;
  const layers::prediction between = layers::predict_between(
      profile, m, ranks == layers::ranks_are::processes ? m.workers / on_a_node : m.workers * m.nodes);
  double seconds = between.seconds, error = between.error;
  std::vector<std::pair<std::string, const layers::candidate*>> chosen;
  for (const laid_out& p : phases) {
    seconds += p.best->takes.seconds;
    error += p.best->takes.error;
    chosen.emplace_back(p.of->name, p.best);
  }
  const bool is_trace = names_trace(wish.command);
  const std::vector<std::string> words = words_of(wish.command, program.program);
  const start_lines start = start_lines_of(words, wish.machine, m, chosen, ranks);
  const std::vector<std::string> unknown = m.unknown();
  const std::string silent = moves.is_said ? about_silent_loops(program, "--memory says it of all") : std::string();

  if (wish.json) {
    json all{{"program", program.program},   {"machine", m.name},  {"nodes", m.nodes}, {"workers", m.workers},
             {"ranks", wish.ranks},          {"seconds", seconds}, {"error_s", error}, {"between_s", between.seconds},
             {"recorded_s", program.seconds}};
    all["unknown"] = unknown;
    all["memory_gb_per_s"] = bytes_per_second(moves, program, wish) * 1e-9;
    all["loops_traffic_known"] = silent.empty();
    all["copies_beside"] = copies;
    if (!m.measured_curves.saturation.empty() && w.memory_traffic > 0)
      all["memory"] = m.measured_curves.saturation_source;
    for (const laid_out& p : phases) all["phases"].push_back(as_json(p));
    all["start"]["MASLIN_PIN"] = start.pin;
    if (!start.master.empty()) all["start"]["MASLIN_MASTER"] = start.master;
    for (const auto& [with, text] : start.lines) all["start"][with] = text;
    all["start_has_arguments"] = !is_trace;
    if (share) all["cpu_share"] = *share;
    fmt::print("{}\n", json_text(all));
    return;
  }
  fmt::print("{} on {}: {} node{} of {} workers{}; recorded on one worker: {:.4g} s\n", program.program,
             wish.machine.empty() ? "this machine" : m.name, m.nodes, m.nodes == 1 ? "" : "s", m.workers,
             m.has_hosts() ? fmt::format(" behind {} host contexts", m.contexts) : "", program.seconds);
  fmt::print("{}", about_cpu_share(share));
  print_unknown(unknown);
  if (w.memory_traffic > 0 && m.measured_curves.saturation.empty())
    fmt::print("how fast memory is is not described: the {:.3g} GB/s that the program moves count as nothing\n",
               w.memory_traffic * 1e-9);
  if (processes_count_as_workers(m, w))
    fmt::print("messages between processes were not measured: they count as those between ranks of one process\n");
  if (shares_as_described)
    fmt::print("how workers share memory was not measured: all get the same part of the described bandwidth\n");
  for (const laid_out& p : phases) print_phase(p, ranks, wish.all, wish.beside);
  fmt::print("\nthe whole program: {:.4g} s +- {:.2g}, {:.4g} s of it outside of phases\n", seconds, error,
             between.seconds);
  if (!silent.empty()) fmt::print("\n{}", silent);
  if (wish.machine.empty() && !wish.beside && m.workers > 1)
    fmt::print("\nHow much a worker is slowed by others that compute is not known; --beside measures it.\n");
  fmt::print("\nstart it with\n");
  for (const auto& [with, text] : start.lines) fmt::print("  {:<10} {}\n", with, text);
  print_what_to_add(is_trace);
}

}  // namespace

void add_layout(CLI::App& app) {
  const auto wish = std::make_shared<options>();
  CLI::App* command = app.add_subcommand(
      "layout",
      "How many ranks, streams and workers for each stream to start a program with, and what each would take");
  command
      ->add_option("PROGRAM", wish->command,
                   "The program with its arguments, options behind -- (it runs once, on one worker); or a trace of it")
      ->required();
  command
      ->add_option("--machine", wish->machine,
                   "Where it will run, e.g. specs/ps3.toml (default: this machine, measured for some seconds)")
      ->type_name("FILE");
  command
      ->add_option(
          "--ranks", wish->ranks,
          "What the program's ranks are: none (there are no ranks), streams (of one process), or processes (which "
          "divide streams and loops)")
      ->check(CLI::IsMember({"none", "streams", "processes"}))
      ->capture_default_str();
  command
      ->add_option("--layout", wish->layouts,
                   "Look at these layouts only: STREAMSxWIDTH, RANKSxSTREAMSxWIDTH where ranks are processes, or ranks "
                   "of a node x "
                   "width where the trace holds ranks, e.g. 8x1,4x2")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LAYOUT,...");
  command
      ->add_option("--all-reduce", wish->all_reduces,
                   "Bytes that all ranks combine between two runs of a phase, e.g. 8; 3x8: three times")
      ->allow_extra_args(false)
      ->type_name("BYTES");
  command
      ->add_option("--send", wish->sends,
                   "Bytes of a message that each rank sends between two runs, e.g. 4096 or 4x512")
      ->allow_extra_args(false)
      ->type_name("BYTES");
  command
      ->add_option("--memory", wish->memory_gb_per_s,
                   "How much the program moves to and from memory on one worker, in GB/s (default: what it says by "
                   "ms::memory_traffic)")
      ->check(command::number_that([](double value) { return std::isfinite(value) && value > 0; }, "a number above 0"))
      ->type_name("GB_PER_S");
  command->add_flag("--beside", wish->beside,
                    "Run the program once more, beside copies of itself on all other CPUs of this machine: how much "
                    "each worker that computes slows the others");
  command->add_flag("--all", wish->all, "Print every layout");
  command->add_flag("--json", wish->json, "Print one JSON object");
  command->callback([wish] { run(*wish); });
}
