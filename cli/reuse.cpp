#include "reuse.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "json_text.hpp"
#include "maslin/error.hpp"
#include "maslin/machine.hpp"
#include "memory_rates.hpp"
#include "output.hpp"
#include "recorded.hpp"
#include "svg_text.hpp"
#include "task_data.hpp"

namespace {

namespace model = maslin::reuse;
using maslin::trace::event;
using place = model::found_in;

std::uint64_t in(const model::bytes_found& bytes, place where) { return bytes[static_cast<std::size_t>(where)]; }
std::uint64_t in_memory(const model::bytes_found& bytes) {
  return in(bytes, place::memory_again) + in(bytes, place::memory_first);
}
std::uint64_t sum(const model::bytes_found& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}
double mega(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

struct column {
  place where;
  const char* key;
  const char* title;
  const char* color;
};
constexpr column columns[] = {{place::own_cache, "own_cache", "own cache", "#59a89c"},
                              {place::peer, "peer", "a peer's", "#9bbb59"},
                              {place::shared_cache, "l3", "L3", "#f2a154"},
                              {place::memory_again, "memory_again", "memory", "#d6616b"},
                              {place::memory_first, "memory_first", "first use", "#a9b1bc"}};
static_assert(std::size(columns) == static_cast<std::size_t>(model::places));

class counting : public task_data_observer {
 public:
  counting(const maslin::trace::file& trace, const model::sizes& machine) : trace_(trace), caches_(machine) {}

  void begins(const event& e, std::span<const named_access> data) override {
    if (data.empty()) return;
    reuse::tasks& t = by_line_[e.id];
    ++t.count;
    for (const named_access& a : data) {
      if (a.form.bytes == 0) continue;
      const bool writes = a.form.mode != maslin::access_mode::in;
      for (std::uint64_t c = 0; c < a.form.columns; ++c)
        caches_.use(std::max(e.worker, 0), a.address + c * a.form.stride, a.form.bytes, writes, t.bytes);
    }
  }

  /// Gives the lines; several numbers may name one.
  std::map<std::string, reuse::tasks> lines() const {
    std::map<std::string, reuse::tasks> all;
    for (const auto& [id, one] : by_line_) {
      reuse::tasks& t = all[std::string(trace_.name(id))];
      t.count += one.count;
      for (std::size_t i = 0; i < t.bytes.size(); ++i) t.bytes[i] += one.bytes[i];
    }
    return all;
  }

 private:
  const maslin::trace::file& trace_;
  model::caches caches_;
  std::map<std::uint32_t, reuse::tasks> by_line_;
};

/// Gives bytes a nanosecond from memory while the tasks computed.
double rate(const reuse::tasks& t) { return t.seconds > 0 ? mega(in_memory(t.bytes)) * 1e-3 / t.seconds : 0; }

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole > 0 ? 100 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

nlohmann::ordered_json json_of(const reuse::tasks& t) {
  nlohmann::ordered_json out{{"tasks", t.count}, {"seconds", t.seconds}, {"bytes", sum(t.bytes)}};
  for (const column& c : columns) out[c.key] = in(t.bytes, c.where);
  return out;
}

}  // namespace

model::sizes caches_here(int workers) {
  model::sizes s{.workers = workers};
  std::int64_t least = 0, all = 0;
  for (const maslin::machine::cache& c : maslin::machine::detect_topology().caches) {
    if (c.level == 2) {
      least = least == 0 ? c.bytes : std::min(least, c.bytes);
      all += c.bytes;
    }
    if (c.level == 3) s.shared_bytes = std::max(s.shared_bytes, static_cast<std::uint64_t>(c.bytes));
  }
  // Workers that share an L2 have a part of it each.
  if (least > 0) s.own_bytes = static_cast<std::uint64_t>(std::min(least, all / workers));
  return s;
}

reuse reuse_of(const std::string& path, model::sizes machine) {
  const maslin::trace::file trace(path);
  counting count(trace, machine);
  each_task_with_data(trace, path, "where tasks found their data", count);
  reuse r{.program = trace.about().program, .machine = machine, .lines = {}, .all = {}};
  const by_line seconds = line_seconds(read_recorded(path, "does not tell how long its tasks computed"));
  for (auto& [name, t] : count.lines()) {
    const auto found = seconds.find(name);
    t.line = name;
    t.seconds = found == seconds.end() ? 0 : found->second;
    r.all.count += t.count;
    r.all.seconds += t.seconds;
    for (std::size_t i = 0; i < t.bytes.size(); ++i) r.all.bytes[i] += t.bytes[i];
    r.lines.push_back(t);
  }
  std::ranges::stable_sort(r.lines, std::greater{}, [](const reuse::tasks& t) { return in_memory(t.bytes); });
  return r;
}

std::string reuse_text(const reuse& r) {
  std::string out;
  line(out, "{}: {} tasks on {} workers use {:.6g} MB", r.program, r.all.count, r.machine.workers,
       mega(sum(r.all.bytes)));
  line(out, "modelled: {} KB of cache for each worker, {} KB that all share", r.machine.own_bytes >> 10,
       r.machine.shared_bytes >> 10);
  std::size_t wide = 4;
  for (const reuse::tasks& t : r.lines) wide = std::max(wide, t.line.size());
  std::string head = fmt::format("\n{:{}} {:>9} {:>9} {:>9}", "line", wide, "tasks", "us each", "MB");
  for (const column& c : columns) head += fmt::format(" {:>9}", c.title);
  line(out, "{} {:>9}", head, "GB/s");
  const auto row = [&](const reuse::tasks& t, const std::string& name) {
    std::string one = fmt::format("{:{}} {:>9} {:>9.1f} {:>9.4g}", name, wide, t.count,
                                  t.count > 0 ? 1e6 * t.seconds / static_cast<double>(t.count) : 0, mega(sum(t.bytes)));
    for (const column& c : columns) one += fmt::format(" {:>7.1f} %", percent(in(t.bytes, c.where), sum(t.bytes)));
    line(out, "{} {:>9.2f}", one, rate(t));
  };
  for (const reuse::tasks& t : r.lines) row(t, t.line);
  if (r.lines.size() > 1) row(r.all, "all");
  line(out,
       "\nmemory: used before, and in no cache any more. GB/s: from memory, of one worker while such a task computes.");
  return out;
}

std::string reuse_json(const reuse& r) {
  nlohmann::ordered_json out{{"program", r.program},
                             {"workers", r.machine.workers},
                             {"cache_bytes", r.machine.own_bytes},
                             {"l3_bytes", r.machine.shared_bytes},
                             {"lines", nlohmann::ordered_json::array()},
                             {"all", json_of(r.all)}};
  for (const reuse::tasks& t : r.lines) {
    nlohmann::ordered_json one{{"line", t.line}};
    one.update(json_of(t));
    out["lines"].push_back(std::move(one));
  }
  return json_text(out) + "\n";
}

std::string reuse_svg(const reuse& r) {
  constexpr std::size_t most_lines = 40;
  constexpr double left = 24, width = 640, bar_height = 16, apart = 44, top = 92;
  const std::size_t shown = std::min(r.lines.size(), most_lines);
  std::uint64_t most = 1;
  for (const reuse::tasks& t : r.lines) most = std::max(most, sum(t.bytes));
  const double height = top + apart * static_cast<double>(shown) + 12;
  std::string svg;
  line(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}">)",
       width + 2 * left, height);
  line(svg,
       "<style>text{{font-family:Inter,'Noto Sans','DejaVu Sans',Arial,sans-serif;font-size:12px;fill:#1f2933}}"
       ".soft{{fill:#66707c}}.head{{font-size:15px;font-weight:600}}</style>"
       R"(<rect width="{}" height="{}" fill="white"/>)",
       width + 2 * left, height);
  line(svg, R"(<text x="{}" y="26" class="head">{}: where tasks find their data</text>)", left, svg_text(r.program));
  line(svg, R"(<text x="{}" y="44" class="soft">modelled: {} KB of cache for each of {} workers, {} KB for all</text>)",
       left, r.machine.own_bytes >> 10, r.machine.workers, r.machine.shared_bytes >> 10);
  double x = left;
  for (const column& c : columns) {
    line(svg, R"(<rect x="{:.1f}" y="56" width="12" height="12" fill="{}"/>)", x, c.color);
    line(svg, R"(<text x="{:.1f}" y="67">{}</text>)", x + 18, c.title);
    x += 100;
  }
  double y = top;
  for (const reuse::tasks& t : std::span(r.lines).first(shown)) {
    line(svg, R"(<text x="{}" y="{:.1f}">{}</text>)", left, y, svg_text(t.line));
    line(svg, R"(<text x="{}" y="{:.1f}" class="soft" text-anchor="end">{} tasks, {:.4g} MB</text>)", left + width, y,
         t.count, mega(sum(t.bytes)));
    double at = left;
    for (const column& c : columns) {
      const std::uint64_t bytes = in(t.bytes, c.where);
      if (bytes == 0) continue;
      const double wide = width * static_cast<double>(bytes) / static_cast<double>(most);
      line(
          svg,
          R"(<rect x="{:.2f}" y="{:.1f}" width="{:.2f}" height="{}" fill="{}"><title>{}: {:.4g} MB, {:.1f} %</title></rect>)",
          at, y + 6, wide, bar_height, c.color, c.title, mega(bytes), percent(bytes, sum(t.bytes)));
      at += wide;
    }
    y += apart;
  }
  line(svg, "</svg>");
  return svg;
}
