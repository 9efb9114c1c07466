#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "json_text.hpp"
#include "store_transfers.hpp"
#include "timeline.hpp"
#include "trace_export.hpp"

using namespace maslin::trace;

namespace {

constexpr int process = 1;
constexpr int decisions_track = 1;
constexpr int first_worker_track = 10;
/// Changes of the counter that are closer than this are shown as one, for the picture does not grow finer by them.
constexpr std::int64_t counter_step_ns = 20'000;

std::string_view stage_name(decision_stage stage) {
  switch (stage) {
    case decision_stage::sampling:
      return "sampling";
    case decision_stage::chosen:
      return "chosen";
    case decision_stage::pinned:
      return "pinned";
  }
  return "?";
}

class perfetto : public timeline::observer {
 public:
  perfetto(const file& trace, const time_window& window, output_file& to)
      : trace_(&trace), to_(&to), transfers_(trace.about().workers) {
    from_ = window.from_ns();
    until_ = window.until_ns(trace);
  }

  void head() {
    const summary& about = trace_->about();
    to_->write("{\"displayTimeUnit\":\"ns\",\"otherData\":{");
    to_->write(
        fmt::format("\"program\":{},\"host\":{},\"events\":{},\"dropped\":{},\"detail\":\"{}\"}},\n\"traceEvents\":[\n",
                    quoted(about.program), quoted(about.host), about.events(), about.dropped(),
                    about.only_streams ? "streams" : "all"));
    to_->write(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process,
                           quoted(about.program)));
    name_track(decisions_track, "right-sizing");
    for (const auto& t : about.tracks)
      if (t.worker >= 0)
        name_track(track_of(t.worker), fmt::format("worker {}", t.worker));
      else if (t.events > 0)
        name_track(track_of(-1), "other threads");
  }

  void tail() {
    flush_counter();
    to_->write("\n]}\n");
  }

  void begin(int worker, const timeline::slice& s) override {
    if (s.begin_ns >= until_) return;
    auto& early = early_[worker];
    early.push_back(fmt::format(R"({{"ph":"B","pid":{},"tid":{},"ts":{},"cat":"{}","name":{}{}}})", process,
                                track_of(worker), us(s.begin_ns), category(s), name_of(s), arguments(s)));
    if (s.begin_ns >= from_) write_early(early);
  }

  void end(int worker, const timeline::slice& s, std::int64_t ns) override {
    if (s.begin_ns >= until_) return;
    auto& early = early_[worker];
    if (ns < from_) {
      early.pop_back();
      return;
    }
    write_early(early);
    if (s.kernels.empty()) {
      line(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", process, track_of(worker), us(ns));
      return;
    }
    std::string sums;
    for (const auto& k : s.kernels)
      sums += fmt::format(R"({}{}:"{} off-loads, {:.6f} s")", sums.empty() ? "" : ",", name(k.kernel), k.count,
                          static_cast<double>(k.ns) * 1e-9);
    line(R"({{"ph":"E","pid":{},"tid":{},"ts":{},"args":{{{}}}}})", process, track_of(worker), us(ns), sums);
  }

  void busy(int worker, bool now, std::int64_t ns) override {
    if (worker < 0) return;
    if (counter_since_ && ns - *counter_since_ >= counter_step_ns) flush_counter();
    working_ += now ? 1 : -1;
    if (!counter_since_) counter_since_ = ns;
  }

  void mark(const event& e) override {
    if (const auto one = transfers_.add(e)) write_transfer(*one);
    if (e.ns < from_ || e.ns >= until_) {
      if (e.kind != event_kind::phase_begin && e.kind != event_kind::phase_end) return;
    }
    switch (e.kind) {
      case event_kind::phase_begin: {
        running_[e.id].push_back({++phases_, e.ns, e.argument});
        break;
      }
      case event_kind::phase_end: {
        auto& open = running_[e.id];
        if (open.empty()) break;
        write_phase(e.id, open.back(), e.ns);
        open.pop_back();
        break;
      }
      case event_kind::decision: {
        const auto d = unpack<decision_of>(e.argument);
        line(R"({{"ph":"i","s":"p","pid":{},"tid":{},"ts":{},"cat":"decision","name":{},"args":{{"phase":{},)"
             R"("streams":{},"width":{},"stage":"{}","throughput":{}}}}})",
             process, decisions_track, us(e.ns),
             quoted(fmt::format("{} x {} {}", d.under.streams, d.under.width, stage_name(d.stage))), name(e.id),
             d.under.streams, d.under.width, stage_name(d.stage), std::isfinite(d.throughput) ? d.throughput : 0.0f);
        break;
      }
      case event_kind::task_create:
        instant(e, fmt::format("\"create\",\"args\":{{\"task\":{},\"at\":{}}}", e.argument, name(e.id)));
        break;
      case event_kind::steal:
        instant(e, fmt::format("\"steal\",\"args\":{{\"from\":{}}}", e.argument));
        break;
      default:
        break;
    }
  }

  /// Ends the phases that were never ended.
  void finish(std::int64_t ns) {
    for (const auto& [id, open] : running_)
      for (const running_phase& p : open) write_phase(id, p, ns);
  }

  std::uint64_t written() const { return written_; }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments_) {
    text_.assign(",\n");
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments_)...);
    to_->write(text_);
    ++written_;
  }

  /// Writes the begins of slices that were open when the window began, now that something in it happens.
  void write_early(std::vector<std::string>& early) {
    for (const std::string& begin : early) line("{}", begin);
    early.clear();
  }

  /// `above`: the track under which it is shown.
  void name_track(int track, const std::string& name, std::optional<int> above = {}) {
    to_->write(
        fmt::format(",\n"
                    R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_name","args":{{"name":{2}}}}},)"
                    "\n"
                    R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{3}}}}})",
                    process, track, quoted(name), above ? 2 * *above + 1 : 2 * track));
  }

  /// Those of one store follow each other.
  void write_transfer(const store_transfer& one) {
    if (one.begin_ns >= until_ || one.end_ns < from_) return;
    const auto whose = [](int store) { return store < 0 ? "other threads" : fmt::format("worker {}", store); };
    const int above = track_of(one.store), track = above + trace_->about().workers + 1;
    if (stores_.insert(one.store).second) name_track(track, fmt::format("local store of {}", whose(one.store)), above);
    std::string more;
    if (one.what.goes == transfer_of::way::from_peer)
      more += fmt::format(R"(,"from the store of":"{}")", whose(one.what.peer));
    if (one.task) more += fmt::format(R"(,"task":{})", *one.task);
    const std::int64_t length = std::min(one.end_ns, until_) - std::max(one.begin_ns, from_);
    line(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{}.{:03},"cat":"transfer","name":"{}","args":{{"bytes":{}{}}}}})",
        process, track, us(one.begin_ns), length / 1000, length % 1000, transfer_sorts[sort_of(one.what)].text,
        one.what.bytes, more);
  }

  struct running_phase {
    std::uint64_t number;
    std::int64_t begin;
    std::uint64_t streams;
  };

  /// Both ends at once, if some of it lies in the window: the viewer orders by time.
  void write_phase(std::uint32_t id, const running_phase& p, std::int64_t end) {
    if (p.begin >= until_ || end < from_) return;
    line(R"({{"ph":"b","pid":{},"tid":{},"ts":{},"cat":"phase","id":{},"name":{},"args":{{"streams":{}}}}})", process,
         decisions_track, us(p.begin), p.number, name(id), p.streams);
    line(R"({{"ph":"e","pid":{},"tid":{},"ts":{},"cat":"phase","id":{},"name":{}}})", process, decisions_track, us(end),
         p.number, name(id));
  }

  void instant(const event& e, const std::string& rest) {
    line(R"({{"ph":"i","s":"t","pid":{},"tid":{},"ts":{},"name":{}}})", process, track_of(e.worker), us(e.ns), rest);
  }

  void flush_counter() {
    if (!counter_since_) return;
    if (*counter_since_ >= from_ && *counter_since_ < until_ && working_ != shown_) {
      line(R"({{"ph":"C","pid":{},"tid":0,"ts":{},"name":"working workers","args":{{"workers":{}}}}})", process,
           us(*counter_since_), working_);
      shown_ = working_;
    }
    counter_since_.reset();
  }

  int track_of(int worker) const { return first_worker_track + (worker < 0 ? trace_->about().workers : worker); }

  /// Microseconds with nanoseconds behind the point, cut at the window's edges.
  std::string us(std::int64_t ns) const {
    const std::int64_t cut = std::clamp(ns, from_, std::max(from_, until_));
    return fmt::format("{}.{:03}", cut / 1000, cut % 1000);
  }

  static std::string quoted(std::string_view text) { return json_text(nlohmann::json(text), -1); }

  /// Gives the name as a JSON string.
  const std::string& name(std::uint32_t id) {
    std::string& found = names_[id];
    if (found.empty()) found = quoted(trace_->name(id));
    return found;
  }

  static std::string_view category(const timeline::slice& s) {
    using enum timeline::sort;
    switch (s.sort) {
      case stream:
        return "stream";
      case task:
        return "task";
      case loop:
        return "loop";
      case chunk:
        return "chunk";
      case offload:
        return "offload";
      case wait:
        return "wait";
      case parked:
        return "parked";
      case help:
        return "help";
    }
    return "?";
  }

  std::string name_of(const timeline::slice& s) {
    using enum timeline::sort;
    switch (s.sort) {
      case stream:
        return quoted(fmt::format("{} {}", trace_->name(s.id), unpack<stream_at>(s.argument).index));
      case wait:
        return "\"wait\"";
      case parked:
        return "\"parked\"";
      case help:
        return "\"help\"";
      default:
        return name(s.id);
    }
  }

  static std::string arguments(const timeline::slice& s) {
    using enum timeline::sort;
    const char* resumed = s.resumed ? ",\"resumed\":true" : "";
    switch (s.sort) {
      case stream:
        return fmt::format(R"(,"args":{{"team":{}{}}})", unpack<stream_at>(s.argument).slot, resumed);
      case task:
        return fmt::format(R"(,"args":{{"task":{}{}}})", s.argument, resumed);
      case offload:
        if (s.argument == on_host) return fmt::format(R"(,"args":{{"on the host":true{}}})", resumed);
        return fmt::format(R"(,"args":{{"width":{}{}}})", s.argument, resumed);
      case loop: {
        const auto l = unpack<loop_shape>(s.argument);
        return fmt::format(R"(,"args":{{"blocks":{},"width":{}{}}})", l.blocks, l.width, resumed);
      }
      case chunk: {
        const auto c = unpack<chunk_at>(s.argument);
        return fmt::format(R"(,"args":{{"first block":{},"blocks":{}{}{}}})", c.first_block, c.blocks,
                           c.slot == no_slot ? std::string() : fmt::format(",\"team\":{}", c.slot), resumed);
      }
      case help:
        return s.argument == no_slot ? "" : fmt::format(R"(,"args":{{"team":{}}})", s.argument);
      default:
        return "";
    }
  }

  const file* trace_;
  output_file* to_;
  std::int64_t from_;
  std::int64_t until_;
  std::string text_;
  std::unordered_map<int, std::vector<std::string>> early_;  // begins before the window, by worker, while they are open
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint32_t, std::vector<running_phase>> running_;  // phases, by name
  store_transfers transfers_;
  std::set<int> stores_;  ///< whose tracks have their names
  std::uint64_t phases_ = 0;
  std::uint64_t written_ = 0;
  int working_ = 0;
  int shown_ = 0;
  std::optional<std::int64_t> counter_since_;
};

}  // namespace

std::uint64_t export_perfetto(const file& trace, const time_window& window, output_file& to) {
  perfetto out(trace, window, to);
  out.head();
  observe(trace, out, "exporting");
  out.finish(trace.about().duration_ns);
  out.tail();
  return out.written();
}
