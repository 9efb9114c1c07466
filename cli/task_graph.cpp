#include "task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "graph/region.hpp"
#include "maslin/error.hpp"

using maslin::access_mode;
using maslin::graph::region;
using maslin::trace::access_form;
using edge_kind = task_graph::edge_kind;

namespace {

/// Finds the dependences of the tasks that one body creates, as the runtime's own graph does (src/graph/README.md).
class dependences {
 public:
  /// A task that another depends on, by its place among the recorded ones.
  struct source {
    std::uint32_t from;
    edge_kind kind;
  };

  dependences(const recorded& program, const recorded::body& body) : program_(program) {
    each_task(body, [&](const recorded::task& t, std::uint32_t) {
      for_each_region(t, [&](const region& r, const access_form&) { data_.try_emplace(key_of(r), datum{r, {}, {}}); });
    });
    std::vector<datum*> active;  // sorted by address, so data begin where those before them may still go on
    for (auto& one : data_) {
      datum& d = one.second;  // clang 14 lets no lambda have what a structured binding names
      std::erase_if(active, [&](const datum* other) { return other->where.end() <= d.where.start; });
      for (datum* other : active) {
        if (!overlap(other->where, d.where)) continue;
        other->aliases.push_back(&d);
        d.aliases.push_back(other);
      }
      active.push_back(&d);
    }
  }

  template <class Visit>
  void each_task(const recorded::body& body, Visit&& visit) const {
    for (const recorded::step& s : body.steps)
      if (s.does == recorded::act::create)
        visit(program_.tasks[static_cast<std::size_t>(s.what)], static_cast<std::uint32_t>(s.what));
  }

  /// Gives what the task depends on, each task once; later ones may depend on it.
  std::vector<source> add(const recorded::task& t, std::uint32_t place) {
    std::map<std::uint32_t, edge_kind> found;
    const auto note = [&](const std::vector<std::uint32_t>& tasks, edge_kind kind, std::uint32_t after = 0) {
      for (auto from = std::lower_bound(tasks.begin(), tasks.end(), after); from != tasks.end(); ++from) {
        const auto [at, is_new] = found.try_emplace(*from, kind);
        if (!is_new) at->second = std::min(at->second, kind);
      }
    };
    const std::vector<use> uses = uses_of(t);
    for (const use& u : uses) {
      for (datum* other : u.of->aliases) combine(*other, place);
      if (u.mode != access_mode::reduction) combine(*u.of, place);
    }
    for (const use& u : uses) {
      const datum& d = *u.of;
      const state& own = d.now;
      const bool reads = u.mode != access_mode::out;
      const bool writes = u.mode != access_mode::in;
      if (u.mode == access_mode::reduction || (u.renames && d.aliases.empty() && !own.turns)) continue;
      const edge_kind of_writers = reads ? edge_kind::data : edge_kind::order;
      if (u.mode == access_mode::concurrent && own.goes_on()) {
        note(own.written_before, edge_kind::data);
        note(own.read_before, edge_kind::order);
      } else {
        note(own.writers, of_writers);
        note(own.combined_after, edge_kind::order);
        if (writes) note(own.readers, edge_kind::order);
      }
      for (const datum* other : d.aliases) {  // who wrote the datum since has waited for what they did before
        note(other->now.writers, of_writers, own.written);
        note(other->now.combined_after, edge_kind::order, own.written);
        if (writes) note(other->now.readers, edge_kind::order, own.written);
      }
    }
    for (const use& u : uses) u.of->now.add(place, u.mode);
    std::vector<source> all;
    for (const auto& [from, kind] : found) all.push_back({from, kind});
    return all;
  }

 private:
  /// Who has used a datum, since it was last written as a whole. All lists are sorted.
  struct state {
    std::vector<std::uint32_t> writers;  ///< the last one, or those that take turns (`concurrent`) or were combined
    std::vector<std::uint32_t> readers;
    std::vector<std::uint32_t> adders;          ///< of a reduction, whose values are not combined yet
    std::vector<std::uint32_t> combined_after;  ///< those that read what the combined values were added to
    std::vector<std::uint32_t> written_before;  ///< what those that take turns depend on
    std::vector<std::uint32_t> read_before;
    std::uint32_t written = 0;  ///< the place behind the task that did; or of the one that had values combined
    bool turns = false;

    /// Is a concurrent task the next of those that take turns?
    bool goes_on() const { return turns && readers.empty(); }

    void add(std::uint32_t place, access_mode mode) {
      switch (mode) {
        case access_mode::in:
          readers.push_back(place);
          break;
        case access_mode::reduction:
          adders.push_back(place);
          break;
        case access_mode::concurrent:
          if (!goes_on()) {
            written_before = std::exchange(writers, {});
            read_before = united(std::exchange(readers, {}), std::exchange(combined_after, {}));
            turns = true;
          }
          writers.push_back(place);
          break;
        default:
          *this = {};
          writers.push_back(place);
          written = place + 1;
          break;
      }
    }
  };

  struct datum {
    region where;
    std::vector<datum*> aliases;  ///< others that overlap it
    state now;
  };
  /// What a task does to a datum, however often it names it.
  struct use {
    datum* of;
    access_mode mode;
    bool renames;
  };
  using key = std::tuple<std::uintptr_t, std::size_t, std::size_t, std::size_t>;
  static key key_of(const region& r) { return {r.start, r.bytes, r.columns, r.stride}; }

  static std::vector<std::uint32_t> united(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::vector<std::uint32_t> all;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
    return all;
  }

  /// What was added is combined before the task at that place, and the datum written so. There is no task for that in
  /// the trace: those that it waits for stand for it.
  static void combine(datum& d, std::uint32_t place) {
    state& now = d.now;
    if (now.adders.empty()) return;
    const auto since = [&](const std::vector<std::uint32_t>& tasks) {
      return std::vector(std::lower_bound(tasks.begin(), tasks.end(), now.written), tasks.end());
    };
    std::vector<std::uint32_t> writers = std::exchange(now.adders, {});
    std::vector<std::uint32_t> readers = std::exchange(now.readers, {});
    for (const datum* other : d.aliases) readers = united(readers, since(other->now.readers));
    // Who has read what was written before has waited for that.
    if (readers.empty() || (!now.writers.empty() && readers.back() < now.writers.back())) {
      writers = united(writers, now.writers);
      readers = united(readers, now.combined_after);
    }
    for (const datum* other : d.aliases) {
      writers = united(writers, since(other->now.writers));
      readers = united(readers, since(other->now.combined_after));
    }
    now = {};
    now.writers = std::move(writers);
    now.combined_after = std::move(readers);
    now.written = place;
  }

  region region_of(const recorded::access& a) const {
    std::uint64_t bytes = 0;
    if (a.form.columns > 1 &&
        (a.form.stride < a.form.bytes || __builtin_mul_overflow(a.form.columns, a.form.stride, &bytes) ||
         __builtin_add_overflow(bytes, a.address, &bytes)))
      throw maslin::error(fmt::format("the trace is damaged: an access of '{}' at {:#x} is none; record it anew",
                                      maslin::trace::to_string(a.form), a.address));
    maslin::detail::declared d{};
    d.data = reinterpret_cast<void*>(a.address);
    d.bytes = a.form.bytes;
    d.columns = a.form.columns;
    d.stride = a.form.stride;
    return region(d);
  }

  template <class Visit>
  void for_each_region(const recorded::task& t, Visit&& visit) const {
    for (std::uint32_t i = 0; i < t.accesses; ++i) {
      const recorded::access& a = program_.accesses[t.first_access + i];
      if (const region where = region_of(a); !where.empty()) visit(where, a.form);
    }
  }

  /// Gives each datum that the task names once, as the runtime does: what is named again is read and written, unless it
  /// is only read.
  std::vector<use> uses_of(const recorded::task& t) {
    std::vector<use> all;
    for_each_region(t, [&](const region& where, const access_form& form) {
      all.push_back({&data_.at(key_of(where)), form.mode, form.mode == access_mode::out && form.renames});
    });
    std::sort(all.begin(), all.end(), [](const use& a, const use& b) { return std::less<>{}(a.of, b.of); });
    std::vector<use> once;
    for (const use& u : all) {
      if (once.empty() || once.back().of != u.of)
        once.push_back(u);
      else if (u.mode != access_mode::in || once.back().mode != access_mode::in)
        once.back() = {u.of, access_mode::inout, false};
    }
    return once;
  }

  const recorded& program_;
  std::map<key, datum> data_;
};

/// Gives how long the body computed itself, with its loops and kernels: the code of a task that is no other task's.
double seconds_of(const recorded& program, std::uint32_t body) {
  double seconds = 0;
  for (const recorded::step& s : program.bodies[body].steps) {
    if (s.does == recorded::act::compute) seconds += static_cast<double>(s.what) * 1e-9;
    if (s.does == recorded::act::kernel) seconds += seconds_of(program, program.kernels[s.what].runs);
    if (s.does == recorded::act::loop)
      for (const recorded::piece& p : program.loops[s.what].pieces) seconds += seconds_of(program, p.runs);
  }
  return seconds;
}

/// Numbers the lines of the graph's tasks, whose `line` is the number of a name until then: most tasks first.
void sort_lines(task_graph& graph, const recorded& program) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const task_graph::task& t : graph.tasks) ++counts[t.line];
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (const auto& [name, tasks] : sorted) {
    places[name] = static_cast<std::uint32_t>(graph.lines.size());
    graph.lines.push_back({program.name(name), tasks});
  }
  for (task_graph::task& t : graph.tasks) t.line = places[t.line];
}

}  // namespace

std::string task_graph::size() const {
  const auto dependences =
      std::count_if(edges.begin(), edges.end(), [](const edge& e) { return e.kind != edge_kind::creates; });
  return fmt::format("{} {}, {} {}", tasks.size(), tasks.size() == 1 ? "task" : "tasks", dependences,
                     dependences == 1 ? "dependence" : "dependences");
}

const char* color_of_line(std::size_t line) {
  constexpr std::array colors = {"#7ba7d9", "#f2a154", "#7cc0b5", "#e08b94", "#b09ccf",
                                 "#d9c355", "#8fb56a", "#c99a76", "#6fb3cc", "#d48bc0"};
  return line < colors.size() ? colors[line] : "#c3c9d1";
}

task_graph task_graph_of(const std::string& path, const time_window& window) {
  const recorded program = read_recorded(path, "has no task graph");
  if (program.tasks.empty())
    throw maslin::error(fmt::format(
        "the trace '{}' has no task graph: it holds no tasks; loops, streams and kernels depend on no data", path));
  constexpr std::uint32_t none = ~std::uint32_t{0};
  task_graph graph;
  graph.program = program.program;
  std::vector<std::uint32_t> places(program.tasks.size(), none);  // in the graph
  std::unordered_map<std::uint32_t, std::uint32_t> creators;      // tasks by their bodies
  for (std::uint32_t i = 0; i < program.tasks.size(); ++i) {
    const recorded::task& t = program.tasks[i];
    const double begin = static_cast<double>(t.begin_ns) * 1e-9;
    if (t.begin_ns < 0 || begin < window.from || begin > window.to) continue;
    places[i] = static_cast<std::uint32_t>(graph.tasks.size());
    creators[t.runs] = places[i];
    graph.tasks.push_back({i + std::uint64_t{1}, t.site, seconds_of(program, t.runs)});
  }
  if (graph.tasks.empty())
    throw maslin::error(
        fmt::format("the trace '{}' has no task graph there: none of its {} tasks began then; choose "
                    "other seconds with --from and --to",
                    path, program.tasks.size()));
  for (std::uint32_t b = 0; b < program.bodies.size(); ++b) {
    const recorded::body& body = program.bodies[b];
    dependences found(program, body);
    const auto creator = creators.find(b);
    found.each_task(body, [&](const recorded::task& t, std::uint32_t place) {
      const std::uint32_t to = places[place];
      for (const dependences::source& s : found.add(t, place))
        if (to != none && places[s.from] != none) graph.edges.push_back({places[s.from], to, s.kind});
      if (to != none && creator != creators.end()) graph.edges.push_back({creator->second, to, edge_kind::creates});
    });
  }
  std::stable_sort(graph.edges.begin(), graph.edges.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
  sort_lines(graph, program);
  return graph;
}
