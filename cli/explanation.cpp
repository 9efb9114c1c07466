#include "explanation.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "cli/shared/terminal.hpp"
#include "json_text.hpp"
#include "output.hpp"
#include "timeline.hpp"

using namespace maslin::trace;

namespace {

class decisions : public timeline::observer {
 public:
  decisions(const file& trace, explanation& into)
      : trace_(trace), into_(into), tells_creations_(trace.about().version >= 2 && trace.about().dropped() == 0) {}

  void mark(const event& e) override {
    switch (e.kind) {
      case event_kind::task_create:
        if (e.argument != ran_at_once) created_.insert(e.argument);
        break;
      case event_kind::phase_begin:
        open_phases_.push_back({.name = e.id, .place = into_.phases.size(), .begin_ns = e.ns});
        into_.phases.push_back({});
        into_.phases.back().name = trace_.name(e.id);
        into_.phases.back().streams = e.argument;
        break;
      case event_kind::phase_end:
        if (auto* phase = open_phase(e.id)) {
          phase_decisions& what = into_.phases[phase->place];
          what.ns = e.ns - phase->begin_ns;
          what.in_place = !phase->sized;
          open_phases_.erase(open_phases_.begin() + (phase - open_phases_.data()));
        }
        break;
      case event_kind::library:
        into_.libraries.push_back({std::string(trace_.name(e.id)), e.argument == 1});
        break;
      case event_kind::decision:
        if (auto* phase = open_phase(e.id)) decide(*phase, unpack<decision_of>(e.argument));
        break;
      case event_kind::sized:
      case event_kind::teams:
      case event_kind::choice:
      case event_kind::estimate:
        if (auto* phase = open_phase(e.id)) size(*phase, e);
        break;
      case event_kind::waiting:
        if (const auto* phase = open_phase(e.id)) {
          const auto how = unpack<waiting_of>(e.argument);
          into_.phases[phase->place].waiting = trace_.name(how.policy);
          into_.phases[phase->place].waiting_reason = trace_.name(how.reason);
        }
        break;
      case event_kind::cpu_time:
        if (const auto* phase = open_phase(e.id))
          into_.phases[phase->place].cpu_ns = static_cast<std::int64_t>(e.argument);
        break;
      default:
        break;
    }
  }

  void end(int, const timeline::slice& s, std::int64_t ns) override {
    if (s.goes_on) return;
    if (s.sort == timeline::sort::task) add_task(s, ns);
    if (s.sort == timeline::sort::loop) add_loop(s, ns);
    if (s.sort == timeline::sort::offload) add_kernel(s, ns);
  }

 private:
  void add_task(const timeline::slice& s, std::int64_t ns) {
    const bool at_once = s.argument == ran_at_once;
    // What nobody created is the graph's own: it waits for data, or moves data. Not every trace tells of all creations.
    if (!at_once && created_.erase(s.argument) == 0 && tells_creations_) return;
    task_decisions& at = into_.tasks[std::string(trace_.name(s.id))];
    ++(at_once ? at.at_once : at.handed_over);
    (at_once ? at.at_once_ns : at.handed_over_ns) += ns - s.first_ns;
  }

  void add_loop(const timeline::slice& s, std::int64_t ns) {
    const auto began = unpack<loop_shape>(s.argument);
    const bool alone = began.width == 1;
    loop_decisions& at = into_.loops[std::string(trace_.name(s.id))];
    ++at.loops;
    ++(alone ? at.alone : at.shared);
    (alone ? at.alone_ns : at.shared_ns) += ns - s.first_ns;
    at.blocks += static_cast<std::uint64_t>(began.blocks);
    at.width = std::max({at.width, began.width, unpack<loop_shape>(s.end_argument).width});
  }

  void add_kernel(const timeline::slice& s, std::int64_t ns) {
    kernel_decisions& at = into_.kernels[std::string(trace_.name(s.id))];
    ++(s.argument == on_host ? at.on_host : at.off_loaded);
    (s.argument == on_host ? at.on_host_ns : at.off_loaded_ns) += ns - s.first_ns;
  }

  struct open_phase_of {
    std::uint32_t name;
    std::size_t place;
    std::int64_t begin_ns;
    bool sized = false;  ///< not in place
    teams_of about = {};
  };

  open_phase_of* open_phase(std::uint32_t name) {
    const auto at = std::find_if(open_phases_.rbegin(), open_phases_.rend(), [&](auto& p) { return p.name == name; });
    return at == open_phases_.rend() ? nullptr : &*at;
  }

  /// What was decided on the way. The end of the phase says it once more and better, unless the trace ends before.
  void decide(open_phase_of& open, const decision_of& d) {
    phase_decisions& phase = into_.phases[open.place];
    open.sized = true;
    if (d.stage == decision_stage::sampling) return;
    if (d.stage == decision_stage::pinned) phase.pinned_by = "MASLIN_PIN";
    phase.chosen = d.under;
    if (phase.choices.empty() || phase.choices.back().what != d.under) phase.choices.push_back({d.under, d.throughput});
  }

  void size(open_phase_of& open, const event& e) {
    phase_decisions& phase = into_.phases[open.place];
    if (e.kind == event_kind::sized) {
      const auto by = unpack<sized_by>(e.argument);
      phase.policy = trace_.name(by.policy);
      phase.unit = trace_.name(by.unit);
      phase.choices.clear();
      phase.chosen.reset();
    } else if (e.kind == event_kind::teams) {
      open.about = unpack<teams_of>(e.argument);
    } else if (e.kind == event_kind::choice) {
      const auto choice = unpack<choice_of>(e.argument);
      phase.choices.push_back({open.about.under, choice.expected});
      if (choice.stands) phase.chosen = open.about.under;
    } else {
      const auto known = unpack<estimate_of>(e.argument);
      const auto error = known.error < 0 ? std::nullopt : std::optional<double>(known.error);
      phase.estimates.push_back({open.about.under, known.throughput, error, open.about.samples});
    }
  }

  const file& trace_;
  explanation& into_;
  const bool tells_creations_;
  std::unordered_set<std::uint64_t> created_;  ///< tasks that have not ended, by their numbers
  std::vector<open_phase_of> open_phases_;
};

/// Gives it as MASLIN_PIN takes it.
std::string pin_of(maslin::configuration c) { return fmt::format("{}x{}", c.streams, c.width); }

std::string text_of(maslin::configuration c) { return pin_of(c) + (c.wider > 0 ? fmt::format("+{}", c.wider) : ""); }

std::string sequence_of(const std::vector<phase_decisions::choice>& all) {
  std::string text;
  for (const auto& [what, expected] : all) text += (text.empty() ? "" : ", then ") + text_of(what);
  return text;
}

const maslin::phase_estimate* find(const std::vector<maslin::phase_estimate>& all, maslin::configuration c) {
  const auto at = std::ranges::find(all, c, &maslin::phase_estimate::under);
  return at == all.end() ? nullptr : &*at;
}

/// Gives the best of the others.
const maslin::phase_estimate* best_but(const std::vector<maslin::phase_estimate>& all, maslin::configuration c) {
  const auto at = std::ranges::find_if(all, [&](const auto& e) { return e.under != c; });
  return at == all.end() ? nullptr : &*at;
}

/// Gives how many decimals show three digits of the throughput, and one of its error if that takes at most two more.
int decimals_of(const maslin::phase_estimate& e) {
  const auto first = [](double x) { return x > 0 ? static_cast<int>(std::floor(std::log10(x))) : 0; };
  const int three = std::max(0, 2 - first(e.throughput));
  const double error = e.error.value_or(0) * e.throughput;
  return std::clamp(error > 0 ? -first(error) : 0, three, three + 2);
}

/// Says how the phase's workers waited, and what that and its work took of the CPUs.
void tell_waiting(std::string& text, const phase_decisions& p) {
  if (!p.waiting.empty()) {
    line(text, "  waited by {} ({})", p.waiting, p.waiting_reason);
    if (p.waiting_reason.starts_with("auto")) line(text, "  pin that: MASLIN_PIN=\"wait={}\"", p.waiting);
  }
  if (!p.loop_master.empty())
    line(text, "  loops of kernels are given out by a {}, which is faster here (MASLIN_MASTER)", p.loop_master);
  if (p.cpu_ns)
    line(text, "  {:.3f} s of CPU time{}", static_cast<double>(*p.cpu_ns) * 1e-9,
         p.ns > 0 ? fmt::format(": {:.2f} CPUs busy", static_cast<double>(*p.cpu_ns) / static_cast<double>(p.ns)) : "");
}

/// Says what is known of each configuration.
void tell_estimates(std::string& text, const phase_decisions& p) {
  bool wider = false;
  const char* const plus_minus = command::locale_is_utf8() ? "±" : "+-";
  for (const maslin::phase_estimate& e : p.estimates) {
    const int decimals = decimals_of(e);
    const std::string error = e.error ? fmt::format(" {} {:.{}f}", plus_minus, *e.error * e.throughput, decimals) : "";
    line(text, "    {:>7}  {:>3} {:<7}  {:.{}f}{} {} per second{}{}", text_of(e.under), e.samples,
         e.samples == 1 ? "sample" : "samples", e.throughput, decimals, error, p.unit,
         e.samples == 0 ? ", known from an earlier run" : "", e.under == p.chosen ? "  <- chosen" : "");
    wider = wider || e.under.wider > 0;
  }
  if (wider) line(text, "    +N: N of the teams have one worker more");
}

/// Says by how much the chosen configuration was ahead, how sure that is, and whether it kept its promise.
void tell_margin(std::string& text, const phase_decisions& p) {
  if (!p.chosen) return;
  const maslin::phase_estimate* const chosen = find(p.estimates, *p.chosen);
  const maslin::phase_estimate* const next = best_but(p.estimates, *p.chosen);
  if (!chosen) return;
  const char* const was = p.running ? "is" : "was";
  if (next) {
    const double margin = chosen->throughput / next->throughput - 1;
    const char* const where = margin < 0 ? "behind" : "ahead of";
    const double percent = 100 * std::abs(margin);
    if (!chosen->error || !next->error) {
      line(text, "  it {} {:.1f} % {} {}, the next; how sure that is, single samples do not say", was, percent, where,
           text_of(next->under));
    } else if (const double error = 100 * (1 + margin) * std::hypot(*chosen->error, *next->error); percent < error) {
      line(text, "  {} and {} cannot be told apart: they differ by {:.1f} %, and the error of that is {:.1f} %",
           text_of(*p.chosen), text_of(next->under), percent, error);
    } else {
      line(text, "  it {} {:.1f} % {} {}, the next; the error of that is {:.1f} %", was, percent, where,
           text_of(next->under), error);
    }
  }
  const double expected = p.choices.empty() ? 0 : p.choices.back().expected;
  if (p.policy != "auto" || expected <= 0) return;  // others take no sample after they have chosen
  const int decimals = decimals_of(*chosen);
  line(text, "  when it was chosen {:.{}f} was expected; {} {:.{}f}", expected, decimals,
       p.running ? "now it is" : "by the end it was", chosen->throughput, decimals);
}

/// Was it left one worker, so that there was nothing to choose? Alone it would have had all of them.
bool had_one_worker(const phase_decisions& p) {
  return p.chosen == maslin::configuration{1, 1} && p.estimates.empty() && p.policy == "auto";
}

/// Says why the policy chose what it did.
std::string reason_of(const phase_decisions& p) {
  if (p.policy.empty())
    return "the trace does not say why, because it ends before the phase, or is of an earlier Maslin";
  const std::string policy = fmt::format("policy {}; MASLIN_GRAIN names another", p.policy);
  const maslin::phase_estimate* const next = best_but(p.estimates, *p.chosen);
  if (had_one_worker(p)) return "other phases had all workers but one";
  if (p.policy == "auto" && !next)
    return fmt::format("nothing else was sampled, as nothing else promised to be worth it ({})", policy);
  if (p.estimates.empty())
    return fmt::format("nothing was sampled, because MASLIN_GRAIN's policy, {}, goes by other signs", p.policy);
  const maslin::phase_estimate* const chosen = find(p.estimates, *p.chosen);
  if (chosen && (!next || chosen->throughput >= next->throughput))
    return fmt::format("of what is known it completes most work per second ({})", policy);
  if (p.policy == "auto")
    return fmt::format("it is as good as {}, to half a percent, and was already in use ({})", text_of(next->under),
                       policy);
  return fmt::format("the policy's rule says so ({})", policy);
}

/// Says what the phase ran in and who decided that.
void tell_decision(std::string& text, const phase_decisions& p) {
  const char* const ran = p.running ? "runs" : "ran";
  if (p.in_place)
    line(text, "  {} in place, one stream after the other: there was no second worker for it", ran);
  else if (!p.pinned_by.empty())
    line(text, "  {} in {} (streams x width) because {} says so", ran, text_of(*p.chosen), p.pinned_by);
  else if (p.chosen)
    line(text, "  {} in {} (streams x width): {}", ran,
         p.estimates.empty() ? sequence_of(p.choices) : text_of(*p.chosen), reason_of(p));
  else if (p.running)
    line(text, "  nothing is chosen yet: {} still tries what pays", p.policy);
  else
    line(text, "  nothing was chosen: it was over before right-sizing had seen enough");
  if (p.running && !p.in_place && p.current != p.chosen)
    line(text, "  now in {}{}", text_of(p.current), p.chosen ? ", for the streams that are left" : "");
}

/// Can what was decided be pinned, so that the next run begins with it?
bool may_be_pinned(const phase_decisions& p) {
  const bool one = !p.estimates.empty() || p.choices.size() == 1;
  return !p.in_place && p.pinned_by.empty() && p.chosen && one && !had_one_worker(p);
}

void tell_phase(std::string& text, const phase_decisions& p) {
  line(text, "\nphase {}: {} streams{}, {:.3f} s{}", p.name, p.streams,
       p.running ? fmt::format(", {} done so far", p.done) : "", static_cast<double>(p.ns) * 1e-9,
       p.times > 1 ? fmt::format("; the last of {} of that name", p.times) : "");
  tell_decision(text, p);
  tell_estimates(text, p);
  tell_margin(text, p);
  if (may_be_pinned(p)) line(text, "  pin it: MASLIN_PIN=\"{}={}\"", p.name, pin_of(*p.chosen));
  tell_waiting(text, p);
}

/// Says how to pin all decisions at once, if there are several.
void tell_pins(std::string& text, const explanation& all) {
  std::map<std::string, std::string> pins;  // of phases of one name the last
  std::string wait;
  bool one_wait = true;
  for (const phase_decisions& p : all.phases) {
    if (may_be_pinned(p)) pins[p.name] = pin_of(*p.chosen);
    if (!p.waiting_reason.starts_with("auto")) continue;
    one_wait = one_wait && (wait.empty() || wait == p.waiting);
    wait = p.waiting;
  }
  if (!wait.empty() && one_wait) pins["wait"] = wait;
  if (pins.size() < 2) return;
  std::string list;
  for (const auto& [name, what] : pins) list += fmt::format("{}{}={}", list.empty() ? "" : ",", name, what);
  line(text, "\npin all of that: MASLIN_PIN=\"{}\"", list);
}

void tell_process(std::string& text, const explanation& all) {
  const process_state& p = *all.report_of;
  line(text, "process {} on {}{}, began {}; {}", p.process, p.host,
       p.machine.empty() ? ""
       : p.described     ? fmt::format(", as if on {} (times are virtual)", p.machine)
                         : fmt::format(" ({})", p.machine),
       wall_clock(p.began), [&]() -> std::string {
         using enum process_state::life;
         const std::string as_of = "this is what it was at " + wall_clock(p.written);
         switch (p.is) {
           case ended:
             return p.signal.empty() ? "it has ended" : "it was ended by a signal (" + p.signal + ")";
           case runs:
             return "it still runs, and " + as_of;
           case killed:
             return "it ended without saying so, and " + as_of;
           default:
             return "whether it still runs is not to be seen from here, and " + as_of;
         }
       }());
}

void tell_place(std::string& text, const place_decision& p) {
  line(text, "tasks with data run {} (MASLIN_PLACE=auto)",
       p.is_decided ? "by " + p.now : "by dbs and by locality in turn, which is compared");
  if (p.pairs == 0) return line(text, "  nothing was compared yet: the next run goes on");
  line(text, "  under locality they take {:.3f}{} of what they take under dbs, in {} comparison{}", p.ratio,
       p.error ? fmt::format(" ± {:.3f}", *p.error) : "", p.pairs, p.pairs == 1 ? "" : "s");
  if (p.is_decided) line(text, "  pin it: MASLIN_PLACE={}", p.now);
}

double mean_us(std::int64_t ns, std::uint64_t count) {
  return count > 0 ? static_cast<double>(ns) / static_cast<double>(count) / 1000 : 0;
}

}  // namespace

const char* name_of(process_state::life is) {
  using enum process_state::life;
  return is == ended ? "ended" : is == killed ? "killed" : is == runs ? "runs" : "unknown";
}

std::string wall_clock(double seconds) {
  const auto whole = static_cast<std::time_t>(seconds);
  std::tm local{};
  return localtime_r(&whole, &local) ? fmt::format("{:%Y-%m-%d %H:%M:%S}", local) : fmt::format("{:.0f}", seconds);
}

explanation explain(const file& trace) {
  explanation all;
  all.program = trace.about().program;
  all.workers = trace.about().workers;
  all.seconds = static_cast<double>(trace.about().duration_ns) * 1e-9;
  all.only_streams = trace.about().only_streams;
  decisions into(trace, all);
  observe(trace, into, "reading");
  return all;
}

std::string explanation_text(const explanation& all) {
  std::string text;
  line(text, "{}: {} worker{}, {:.3f} s", all.program, all.workers, all.workers == 1 ? "" : "s", all.seconds);
  if (all.report_of) tell_process(text, all);
  for (const library_limit& l : all.libraries)
    line(text, "{}: {}; MASLIN_FOREIGN=0 leaves it alone", l.name,
         l.process_wide ? "one limit on its threads for the whole process, the least width of all that runs"
                        : "each stream has as many of its threads as it is wide, tasks and loops one");
  if (all.place) tell_place(text, *all.place);
  for (const phase_decisions& p : all.phases) tell_phase(text, p);
  tell_pins(text, all);
  for (const auto& [site, t] : all.tasks) {
    line(text, "\ntask at {}: {} times", site, t.handed_over + t.at_once);
    if (t.handed_over > 0)
      line(text, "  {} handed over, {:.1f} us each", t.handed_over, mean_us(t.handed_over_ns, t.handed_over));
    if (t.at_once > 0)
      line(text,
           "  {} run by their creator at once, {:.1f} us each: too small to hand over, or very many were in flight; "
           "MASLIN_AT_ONCE=0 hands small ones over all the same",
           t.at_once, mean_us(t.at_once_ns, t.at_once));
  }
  for (const auto& [site, l] : all.loops) {
    line(text, "\nloop at {}: {} times, {} blocks in all", site, l.loops, l.blocks);
    if (l.shared > 0)
      line(text, "  {} shared by up to {} workers, {:.1f} us each", l.shared, l.width, mean_us(l.shared_ns, l.shared));
    if (l.alone > 0)
      line(text,
           "  {} not shared, {:.1f} us each: too small to gain from a team; name a schedule (ms::schedule::dbs) to "
           "share it all the same",
           l.alone, mean_us(l.alone_ns, l.alone));
  }
  for (const auto& [name, k] : all.kernels) {
    if (k.on_host == 0) continue;
    line(text, "\nkernel {}: {} times", name, k.off_loaded + k.on_host);
    if (k.off_loaded > 0)
      line(text, "  {} off-loaded, {:.1f} us each", k.off_loaded, mean_us(k.off_loaded_ns, k.off_loaded));
    line(text,
         "  {0} on the host, {1:.1f} us each: off-loading it gains nothing, or MASLIN_PIN says so; "
         "MASLIN_PIN=\"{2}=accelerator\" off-loads it all the same, \"{2}=host\" never",
         k.on_host, mean_us(k.on_host_ns, k.on_host), name);
  }
  if (all.only_streams)
    line(text, "\nThe trace holds no tasks and loops: record with MASLIN_TRACE_DETAIL=all to see them.");
  if (all.report_of)
    line(text, "\nTasks and loops are in traces only: MASLIN_TRACE=run.mtrace {}, then maslin explain run.mtrace.",
         all.program);
  return text;
}

std::string explanation_json(const explanation& all) {
  using nlohmann::ordered_json;
  const auto as_json = [](maslin::configuration c) -> ordered_json {
    return {{"streams", c.streams}, {"width", c.width}, {"wider", c.wider}};
  };
  ordered_json out;
  out["program"] = all.program;
  out["workers"] = all.workers;
  out["seconds"] = all.seconds;
  if (const auto& p = all.report_of)
    out["process"] = {{"number", p->process},      {"host", p->host},       {"state", name_of(p->is)},
                      {"began", p->began},         {"written", p->written}, {"machine", p->machine},
                      {"described", p->described}, {"signal", p->signal}};
  out["libraries"] = ordered_json::array();
  for (const library_limit& l : all.libraries)
    out["libraries"].push_back({{"name", l.name}, {"process_wide", l.process_wide}});
  if (const auto& p = all.place) {
    ordered_json ratio, error;
    if (p->pairs > 0) ratio = p->ratio;
    if (p->error) error = *p->error;
    out["place"] = {
        {"now", p->now}, {"decided", p->is_decided}, {"comparisons", p->pairs}, {"ratio", ratio}, {"error", error}};
  }
  out["phases"] = ordered_json::array();
  for (const phase_decisions& p : all.phases) {
    ordered_json estimates = ordered_json::array();
    for (const maslin::phase_estimate& e : p.estimates) {
      ordered_json& known = estimates.emplace_back(as_json(e.under));
      known["samples"] = e.samples;
      known["throughput"] = e.throughput;
      known["error"] = e.error ? ordered_json(*e.error) : ordered_json();
    }
    ordered_json chosen;
    if (p.chosen) chosen = as_json(*p.chosen);
    ordered_json cpu_seconds, waiting;
    if (p.cpu_ns) cpu_seconds = static_cast<double>(*p.cpu_ns) * 1e-9;
    if (!p.waiting.empty()) waiting = {{"policy", p.waiting}, {"reason", p.waiting_reason}};
    out["phases"].push_back({{"name", p.name},
                             {"streams", p.streams},
                             {"seconds", static_cast<double>(p.ns) * 1e-9},
                             {"cpu_seconds", cpu_seconds},
                             {"chosen", chosen},
                             {"pinned", !p.pinned_by.empty()},
                             {"pinned_by", p.pinned_by.empty() ? ordered_json() : ordered_json(p.pinned_by)},
                             {"policy", p.policy.empty() ? ordered_json() : ordered_json(p.policy)},
                             {"in_place", p.in_place},
                             {"unit", p.unit.empty() ? ordered_json() : ordered_json(p.unit)},
                             {"estimates", estimates},
                             {"expected", p.chosen && !p.choices.empty() ? p.choices.back().expected : 0},
                             {"waiting", waiting}});
    if (!all.report_of) continue;
    ordered_json& last = out["phases"].back();
    last["running"] = p.running;
    last["done"] = p.done;
    last["times"] = p.times;
    last["current"] = as_json(p.current);
  }
  out["tasks"] = ordered_json::array();
  for (const auto& [site, t] : all.tasks)
    out["tasks"].push_back({{"site", site},
                            {"handed_over", t.handed_over},
                            {"handed_over_us", mean_us(t.handed_over_ns, t.handed_over)},
                            {"at_once", t.at_once},
                            {"at_once_us", mean_us(t.at_once_ns, t.at_once)}});
  out["loops"] = ordered_json::array();
  for (const auto& [site, l] : all.loops)
    out["loops"].push_back({{"site", site},
                            {"loops", l.loops},
                            {"blocks", l.blocks},
                            {"shared", l.shared},
                            {"shared_us", mean_us(l.shared_ns, l.shared)},
                            {"alone", l.alone},
                            {"alone_us", mean_us(l.alone_ns, l.alone)},
                            {"width", l.width}});
  out["kernels"] = ordered_json::array();
  for (const auto& [name, k] : all.kernels)
    out["kernels"].push_back({{"name", name},
                              {"off_loaded", k.off_loaded},
                              {"off_loaded_us", mean_us(k.off_loaded_ns, k.off_loaded)},
                              {"on_host", k.on_host},
                              {"on_host_us", mean_us(k.on_host_ns, k.on_host)}});
  return json_text(out) + "\n";
}
