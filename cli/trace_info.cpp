#include "trace_info.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_text.hpp"
#include "output.hpp"
#include "timeline.hpp"

using namespace maslin::trace;

namespace {

class sums : public timeline::observer {
 public:
  sums(const file& trace, trace_figures& into) : trace_(&trace), into_(&into), transfers_(trace.about().workers) {
    const auto workers = static_cast<std::size_t>(trace.about().workers);
    into.busy_ns.resize(workers);
    into.parked_ns.resize(workers);
    since_.resize(workers);
  }

  void end(int worker, const timeline::slice& s, std::int64_t ns) override {
    if (s.sort == timeline::sort::parked && worker >= 0)
      into_->parked_ns[static_cast<std::size_t>(worker)] += ns - s.begin_ns;
    if (s.sort == timeline::sort::offload) add(s.id, s.goes_on ? 0 : 1, ns - s.begin_ns);
    for (const auto& k : s.kernels) add(k.kernel, k.count, static_cast<std::int64_t>(k.ns));
  }

  void mark(const event& e) override {
    const auto one = transfers_.add(e);
    if (!one) return;
    trace_figures::transfer& sum = into_->transfers[sort_of(one->what)];
    ++sum.count;
    sum.bytes += one->what.bytes;
    sum.ns += one->end_ns - one->begin_ns;
  }

  void busy(int worker, bool now, std::int64_t ns) override {
    if (worker < 0) return;
    const auto w = static_cast<std::size_t>(worker);
    if (!now) into_->busy_ns[w] += ns - since_[w];
    since_[w] = ns;
  }

 private:
  void add(std::uint32_t kernel, std::uint64_t count, std::int64_t ns) {
    auto& sum = by_id_[kernel];
    if (!sum) sum = &into_->kernels[std::string(trace_->name(kernel))];
    sum->count += count;
    sum->ns += ns;
  }

  const file* trace_;
  trace_figures* into_;
  store_transfers transfers_;
  std::vector<std::int64_t> since_;
  std::map<std::uint32_t, trace_figures::kernel*> by_id_;
};

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::string started(const summary& about) { return start_of(about, "%Y-%m-%dT%H:%M:%SZ"); }

/// Calls `with(name, figures)` for what there is.
template <class With>
void each_transfer_sum(const trace_figures& figures, With&& with) {
  for (std::size_t i = 0; i < transfer_sorts.size(); ++i)
    if (figures.transfers[i].count > 0) with(transfer_sorts[i].text, figures.transfers[i]);
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

}  // namespace

std::string start_of(const summary& about, const char* format) {
  const auto when = static_cast<std::time_t>(about.started_unix_ns / 1'000'000'000);
  std::tm utc{};
  std::array<char, 64> text{};
  if (gmtime_r(&when, &utc) == nullptr) return "?";
  return {text.data(), std::strftime(text.data(), text.size(), format, &utc)};
}

trace_figures figures_of(const file& trace) {
  trace_figures figures;
  sums into(trace, figures);
  const timeline lines = observe(trace, into, "reading");
  figures.events = lines.events();
  figures.unmatched = lines.unmatched();
  return figures;
}

std::string info_text(const file& trace, const trace_figures& figures) {
  const summary& about = trace.about();
  std::string out;
  line(out, "program   {} (process {} on {})", about.program, about.pid, about.host);
  if (!about.processor.empty()) line(out, "processor {}", about.processor);
  line(out, "started   {}", started(about));
  line(out, "duration  {:.3f} s", seconds(about.duration_ns));
  line(out, "detail    {}", about.only_streams ? "streams" : "all");
  line(out, "events    {} on {} workers", about.events(), about.workers);
  if (about.dropped() > 0)
    line(out, "dropped   {} events came faster than they could be written: times and counts below lack them",
         about.dropped());
  line(out, "\n{:>6} {:>7} {:>7} {:>12} {:>9}", "worker", "busy", "parked", "events", "dropped");
  for (const auto& t : about.tracks) {
    if (t.worker < 0) {
      if (t.events + t.dropped > 0) line(out, "{:>6} {:>7} {:>7} {:>12} {:>9}", "others", "", "", t.events, t.dropped);
      continue;
    }
    const auto w = static_cast<std::size_t>(t.worker);
    line(out, "{:>6} {:>5.1f} % {:>5.1f} % {:>12} {:>9}", t.worker, 100 * share(figures.busy_ns[w], about.duration_ns),
         100 * share(figures.parked_ns[w], about.duration_ns), t.events, t.dropped);
  }
  if (!figures.kernels.empty()) {
    line(out, "\n{:<24} {:>12} {:>12} {:>12}", "kernel", "off-loads", "seconds", "us each");
    for (const auto& [name, k] : figures.kernels)
      line(out, "{:<24} {:>12} {:>12.3f} {:>12.3f}", name, k.count, seconds(k.ns),
           k.count > 0 ? seconds(k.ns) * 1e6 / static_cast<double>(k.count) : 0.0);
  }
  bool any = false;
  each_transfer_sum(figures, [&](const char* name, const trace_figures::transfer& t) {
    if (!std::exchange(any, true))
      line(out, "\n{:<36} {:>9} {:>12} {:>12}", "transfers of local stores", "copies", "MB", "seconds");
    line(out, "{:<36} {:>9} {:>12.6g} {:>12.6f}", name, t.count, static_cast<double>(t.bytes) * 1e-6, seconds(t.ns));
  });
  line(out, "\n{:<24} {:>12}", "kind", "events");
  for (std::size_t k = 0; k < figures.events.size(); ++k)
    if (figures.events[k] > 0) line(out, "{:<24} {:>12}", to_string(static_cast<event_kind>(k)), figures.events[k]);
  return out;
}

std::string info_json(const file& trace, const trace_figures& figures) {
  const summary& about = trace.about();
  nlohmann::ordered_json out;
  out["program"] = about.program;
  out["host"] = about.host;
  out["processor"] = about.processor;
  out["pid"] = about.pid;
  out["started"] = started(about);
  out["duration_s"] = seconds(about.duration_ns);
  out["detail"] = about.only_streams ? "streams" : "all";
  out["events"] = about.events();
  out["dropped"] = about.dropped();
  out["unmatched_ends"] = figures.unmatched;
  out["workers"] = nlohmann::ordered_json::array();
  for (const auto& t : about.tracks) {
    nlohmann::ordered_json row;
    row["worker"] = t.worker;
    if (t.worker >= 0) {
      row["busy"] = share(figures.busy_ns[static_cast<std::size_t>(t.worker)], about.duration_ns);
      row["parked"] = share(figures.parked_ns[static_cast<std::size_t>(t.worker)], about.duration_ns);
    }
    row["events"] = t.events;
    row["dropped"] = t.dropped;
    out["workers"].push_back(std::move(row));
  }
  out["kernels"] = nlohmann::ordered_json::array();
  for (const auto& [name, k] : figures.kernels)
    out["kernels"].push_back({{"name", name}, {"count", k.count}, {"seconds", seconds(k.ns)}});
  each_transfer_sum(figures, [&](const char* name, const trace_figures::transfer& t) {
    out["transfers"].push_back({{"name", name}, {"count", t.count}, {"bytes", t.bytes}, {"seconds", seconds(t.ns)}});
  });
  for (std::size_t k = 1; k < figures.events.size(); ++k)
    if (figures.events[k] > 0) out["kinds"][std::string(to_string(static_cast<event_kind>(k)))] = figures.events[k];
  return json_text(out) + "\n";
}
