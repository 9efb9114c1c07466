#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "json_text.hpp"
#include "timeline.hpp"
#include "trace_export.hpp"
#include "trace_info.hpp"

using namespace maslin::trace;

namespace {

/// For whom a worker works: a stream, or something that belongs to none.
struct stream_key {
  std::uint32_t phase = 0;  // number of the name; 0: no stream
  std::int64_t run = 0;     // of the phase
  std::int64_t index = -1;
  auto operator<=>(const stream_key&) const = default;  // NOLINT(modernize-use-nullptr): a false alarm of clang-tidy 14
};

struct span {
  std::int64_t begin;
  std::int64_t end;
  stream_key key;
};

/// A worker's spans, merged while they come, so that they stay few however long the trace is.
class row {
 public:
  explicit row(std::int64_t resolution) : resolution_(resolution) {}

  void add(const span& s) {
    if (s.end <= s.begin) return;
    if (!spans_.empty() && spans_.back().key == s.key && s.begin - spans_.back().end < resolution_) {
      spans_.back().end = s.end;
      return;
    }
    spans_.push_back(s);
    if (spans_.size() > most_spans) coarsen();
  }
  const std::vector<span>& spans() const { return spans_; }

 private:
  static constexpr std::size_t most_spans = 8192;

  /// Doubles the resolution until the spans are half as many: drops what is shorter than half of it and merges the
  /// rest.
  void coarsen() {
    while (spans_.size() > most_spans / 2) {
      resolution_ = std::max<std::int64_t>(1, 2 * resolution_);
      std::vector<span> all;
      all.swap(spans_);
      for (const span& s : all) {
        if (s.end - s.begin < resolution_ / 2) continue;
        if (!spans_.empty() && spans_.back().key == s.key && s.begin - spans_.back().end < resolution_)
          spans_.back().end = s.end;
        else
          spans_.push_back(s);
      }
    }
  }

  std::int64_t resolution_;
  std::vector<span> spans_;
};

struct phase_run {
  std::uint32_t name;
  std::int64_t begin;
  std::optional<std::int64_t> end;
  std::uint64_t streams;
};

/// Follows for whom each worker works: the stream it runs, or that whose loop it helps with.
class follower : public timeline::observer {
 public:
  follower(int workers, std::int64_t resolution)
      : rows_(static_cast<std::size_t>(workers), row(resolution)), now_(static_cast<std::size_t>(workers)) {}

  void begin(int worker, const timeline::slice& s) override {
    if (s.sort == timeline::sort::stream) {
      const auto at = unpack<stream_at>(s.argument);
      const stream_key key = key_of_stream(s);
      if (at.slot != no_slot) on_slot_[at.slot] = key;  // a stream in place has none
      auto& life = lives_.try_emplace(key, s.begin_ns, s.begin_ns).first->second;
      life.second = s.begin_ns;
    }
    if (worker < 0) return;
    auto& open = now_[static_cast<std::size_t>(worker)].open;
    open.push_back(key_of(s, open));
    change(worker, s.begin_ns);
  }

  void end(int worker, const timeline::slice& s, std::int64_t ns) override {
    if (s.sort == timeline::sort::stream) lives_[key_of_stream(s)].second = ns;
    if (worker < 0) return;
    auto& open = now_[static_cast<std::size_t>(worker)].open;
    if (!open.empty()) open.pop_back();
    change(worker, ns);
  }

  void mark(const event& e) override {
    if (e.kind == event_kind::phase_begin) {
      phases_.push_back({e.id, e.ns, std::nullopt, e.argument});
      runs& of_name = runs_[e.id];
      if (of_name.open++ == 0) ++of_name.number;
    } else if (e.kind == event_kind::phase_end) {
      const auto open =
          std::find_if(phases_.rbegin(), phases_.rend(), [&](const phase_run& p) { return p.name == e.id && !p.end; });
      if (open != phases_.rend()) open->end = e.ns;
      if (runs& of_name = runs_[e.id]; of_name.open > 0) --of_name.open;
    } else if (e.kind == event_kind::decision) {
      decisions_.push_back(e);
    }
  }

  nlohmann::ordered_json json(const file& trace) const {
    using nlohmann::ordered_json;
    const auto s = [](std::int64_t ns) {
      const std::int64_t microseconds = ns / 1000;  // whole ones are printed short
      return static_cast<double>(microseconds) / 1e6;
    };
    ordered_json out;
    out["phases"] = ordered_json::array();
    for (const phase_run& p : phases_)
      out["phases"].push_back({{"name", trace.name(p.name)},
                               {"begin_s", s(p.begin)},
                               {"end_s", s(p.end.value_or(trace.about().duration_ns))},
                               {"streams", p.streams}});
    out["decisions"] = ordered_json::array();
    for (const event& e : decisions_) {
      const auto d = unpack<decision_of>(e.argument);
      static constexpr std::string_view stages[]{"sampling", "chosen", "pinned", "?"};
      out["decisions"].push_back(
          {{"phase", trace.name(e.id)},
           {"at_s", s(e.ns)},
           {"streams", d.under.streams},
           {"width", d.under.width},
           {"stage", stages[static_cast<std::size_t>(d.stage) & 3]},
           {"throughput", ordered_json::parse(fmt::format("{}", std::isfinite(d.throughput) ? d.throughput : 0))}});
    }
    out["streams"] = ordered_json::array();
    std::map<stream_key, int> numbers;  // in the list of streams
    for (const auto& [key, life] : lives_) {
      numbers.emplace(key, static_cast<int>(numbers.size()));
      out["streams"].push_back({{"phase", trace.name(key.phase)},
                                {"index", key.index},
                                {"begin_s", s(life.first)},
                                {"end_s", s(life.second)}});
    }
    out["tracks"] = ordered_json::array();
    for (std::size_t w = 0; w < rows_.size(); ++w) {
      ordered_json spans = ordered_json::array();
      for (const span& x : rows_[w].spans()) {
        const auto found = numbers.find(x.key);
        spans.push_back({s(x.begin), s(x.end), found == numbers.end() ? -1 : found->second});
      }
      out["tracks"].push_back({{"worker", w}, {"spans", std::move(spans)}});
    }
    return out;
  }

 private:
  struct worker_state {
    std::vector<std::optional<stream_key>> open;  // nothing: at rest
    std::optional<stream_key> key;
    std::int64_t since = 0;
  };

  /// Phases of one name that run at the same time are not told apart.
  struct runs {
    std::int64_t number = 0;
    std::int64_t open = 0;
  };
  stream_key key_of_stream(const timeline::slice& s) const {
    const auto run = runs_.find(s.id);
    return {s.id, run == runs_.end() ? 0 : run->second.number, unpack<stream_at>(s.argument).index};
  }

  std::optional<stream_key> key_of(const timeline::slice& s, const std::vector<std::optional<stream_key>>& open) const {
    using enum timeline::sort;
    const auto around = [&]() -> stream_key {
      for (auto at = open.rbegin(); at != open.rend(); ++at)
        if (*at) return **at;
      return {};
    };
    const auto on = [&](int slot) {  // a worker that runs no stream itself helps the one on that slot
      const stream_key own = around();
      const auto found = on_slot_.find(slot);
      return own.phase != 0 || found == on_slot_.end() ? own : found->second;
    };
    switch (s.sort) {
      case stream:
        return key_of_stream(s);
      case wait:
      case parked:
        return std::nullopt;
      case chunk:
        return on(unpack<chunk_at>(s.argument).slot);
      case help:
        return on(static_cast<int>(s.argument));
      default:
        return around();
    }
  }

  void change(int worker, std::int64_t ns) {
    worker_state& w = now_[static_cast<std::size_t>(worker)];
    const std::optional<stream_key> key = w.open.empty() ? std::nullopt : w.open.back();
    if (key == w.key) return;
    if (w.key) rows_[static_cast<std::size_t>(worker)].add({w.since, ns, *w.key});
    w.key = key;
    w.since = ns;
  }

  std::vector<row> rows_;
  std::vector<worker_state> now_;
  std::map<int, stream_key> on_slot_;
  std::map<stream_key, std::pair<std::int64_t, std::int64_t>> lives_;
  std::vector<phase_run> phases_;
  std::map<std::uint32_t, runs> runs_;  // by the phase's name
  std::vector<event> decisions_;
};

}  // namespace

std::string spans_json(const file& trace, double resolution_s) {
  constexpr int default_steps = 4000;
  const summary& about = trace.about();
  const auto resolution = resolution_s > 0 ? static_cast<std::int64_t>(std::min(resolution_s, 1e9) * 1e9)
                                           : about.duration_ns / default_steps;
  follower followed(about.workers, resolution);
  observe(trace, followed, "reading");
  nlohmann::ordered_json out = nlohmann::ordered_json::parse(info_json(trace, figures_of(trace)));
  out.update(followed.json(trace));
  return json_text(out, -1) + "\n";
}
