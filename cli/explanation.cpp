#include "explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "output.hpp"

using namespace maslin::trace;

namespace {

class reader {
 public:
  reader(const file& trace, explanation& into) : trace_(trace), into_(into) {}

  void add(const event& e) {
    switch (e.kind) {
      case event_kind::phase_begin:
        open_phases_.push_back({e.id, into_.phases.size(), e.ns});
        into_.phases.push_back({});
        into_.phases.back().name = trace_.name(e.id);
        into_.phases.back().streams = e.argument;
        break;
      case event_kind::phase_end:
        if (auto* phase = open_phase(e.id)) {
          into_.phases[phase->place].ns = e.ns - phase->begin_ns;
          open_phases_.erase(open_phases_.begin() + (phase - open_phases_.data()));
        }
        break;
      case event_kind::decision:
        if (const auto* phase = open_phase(e.id)) decide(into_.phases[phase->place], unpack<decision_of>(e.argument));
        break;
      case event_kind::loop_begin:
        open_loops_[e.worker].push_back(e);
        break;
      case event_kind::loop_end:
        end_loop(e);
        break;
      default:
        break;
    }
  }

 private:
  struct open_phase_of {
    std::uint32_t name;
    std::size_t place;
    std::int64_t begin_ns;
  };

  open_phase_of* open_phase(std::uint32_t name) {
    const auto at = std::find_if(open_phases_.rbegin(), open_phases_.rend(), [&](auto& p) { return p.name == name; });
    return at == open_phases_.rend() ? nullptr : &*at;
  }

  static void decide(phase_decisions& phase, const decision_of& d) {
    if (d.stage != decision_stage::sampling) {
      phase.decided = true;
      phase.pinned = d.stage == decision_stage::pinned;
      phase.chosen = d.under;
      return;
    }
    auto at = std::find_if(phase.configurations.begin(), phase.configurations.end(),
                           [&](const auto& c) { return c.under == d.under; });
    if (at == phase.configurations.end()) at = phase.configurations.insert(at, {d.under});
    ++at->samples;
    at->best = std::max(at->best, d.throughput);
  }

  void end_loop(const event& e) {
    auto& open = open_loops_[e.worker];
    // A loop begins and ends on one worker; what was cut off by the trace's end has no end.
    while (!open.empty() && open.back().id != e.id) open.pop_back();
    if (open.empty()) return;
    const event begin = open.back();
    open.pop_back();
    const auto shape = unpack<loop_shape>(begin.argument);
    loop_decisions& at = into_.loops[std::string(trace_.name(e.id))];
    ++at.loops;
    at.blocks += static_cast<std::uint64_t>(shape.blocks);
    at.width = std::max({at.width, shape.width, unpack<loop_shape>(e.argument).width});
    (shape.width == 1 ? at.alone : at.shared) += 1;
    (shape.width == 1 ? at.alone_ns : at.shared_ns) += e.ns - begin.ns;
  }

  const file& trace_;
  explanation& into_;
  std::vector<open_phase_of> open_phases_;
  std::map<int, std::vector<event>> open_loops_;
};

std::string text_of(maslin::configuration c) { return fmt::format("{}x{}", c.streams, c.width); }

double mean_us(std::int64_t ns, std::uint64_t count) {
  return count > 0 ? static_cast<double>(ns) / static_cast<double>(count) / 1000 : 0;
}

}  // namespace

explanation explain(const file& trace) {
  explanation all;
  reader into(trace, all);
  progress bar("reading", trace.about().events());
  std::uint64_t seen = 0;
  trace.each_event([&](const event& e) {
    into.add(e);
    bar.at(++seen);
  });
  return all;
}

std::string explanation_text(const file& trace, const explanation& all) {
  std::string text;
  const auto line = [&]<class... A>(fmt::format_string<A...> format, A&&... arguments) {
    fmt::format_to(std::back_inserter(text), format, std::forward<A>(arguments)...);
    text += '\n';
  };
  line("{}: {} workers, {:.3f} s", trace.about().program, trace.about().workers,
       static_cast<double>(trace.about().duration_ns) * 1e-9);
  for (const phase_decisions& p : all.phases) {
    line("");
    line("phase {}: {} streams, {:.3f} s", p.name, p.streams, static_cast<double>(p.ns) * 1e-9);
    if (p.pinned)
      line("  ran in {} (streams x width) because MASLIN_PIN says so", text_of(p.chosen));
    else if (p.decided)
      line("  ran in {} (streams x width): of what was tried it completed most work per second", text_of(p.chosen));
    else
      line("  nothing was chosen: it was over before right-sizing had seen enough, or ran in place");
    for (const auto& c : p.configurations)
      line("    {:>7}  {:>3} samples{}{}", text_of(c.under), c.samples,
           c.best > 0 ? fmt::format(", {:.3g} worker-seconds of work per second", c.best) : "",
           p.decided && c.under == p.chosen ? "  <- chosen" : "");
    if (!p.pinned && p.decided) line("  pin it: MASLIN_PIN=\"{}={}\"", p.name, text_of(p.chosen));
  }
  for (const auto& [site, l] : all.loops) {
    line("");
    line("loop at {}: {} times, {} blocks in all", site, l.loops, l.blocks);
    if (l.shared > 0)
      line("  {} shared by up to {} workers, {:.1f} us each", l.shared, l.width, mean_us(l.shared_ns, l.shared));
    if (l.alone > 0)
      line(
          "  {} not shared, {:.1f} us each: too small to gain from a team; name a schedule (ms::schedule::dbs) to "
          "share "
          "it all the same",
          l.alone, mean_us(l.alone_ns, l.alone));
  }
  if (trace.about().only_streams) line("\nThe trace holds no loops: record with MASLIN_TRACE_DETAIL=all to see them.");
  return text;
}

std::string explanation_json(const explanation& all) {
  using nlohmann::ordered_json;
  ordered_json out;
  out["phases"] = ordered_json::array();
  for (const phase_decisions& p : all.phases) {
    ordered_json tried = ordered_json::array();
    for (const auto& c : p.configurations)
      tried.push_back(
          {{"streams", c.under.streams}, {"width", c.under.width}, {"samples", c.samples}, {"best", c.best}});
    ordered_json chosen;
    if (p.decided) chosen = {{"streams", p.chosen.streams}, {"width", p.chosen.width}};
    out["phases"].push_back({{"name", p.name},
                             {"streams", p.streams},
                             {"seconds", static_cast<double>(p.ns) * 1e-9},
                             {"chosen", chosen},
                             {"pinned", p.pinned},
                             {"tried", tried}});
  }
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
  return out.dump(2) + "\n";
}
