#include "execution.hpp"

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "graph.hpp"
#include "hints.hpp"
#include "model/dma/simulation.hpp"
#include "model/dma/software_cache.hpp"
#include "sched/place/chains.hpp"
#include "sched/place/locality.hpp"

namespace cellss {

namespace {

namespace dma = maslin::dma;
namespace place = maslin::place;

/// Where the regions lie, and in which version. A temporary has memory while somebody may still read it; memory that
/// was given back last is given out first.
class storage {
 public:
  explicit storage(const application& app)
      : app_(&app), versions_(app.regions().size()), places_(app.regions().size()) {
    for (std::size_t i = 0; i < places_.size(); ++i) places_[i] = app.regions()[i].address;
    for (std::size_t t = 0; t < app.tasks().size(); ++t)
      for (const access& a : app.accesses(t))
        if (a.reads() && app.regions()[a.region].temporary) ++readers_[a.region];
    next_ = (app.bytes() + 4095) / 4096 * 4096;
  }

  std::uint64_t address(std::uint32_t region) const { return places_[region]; }
  std::uint32_t version(std::uint32_t region) const { return versions_[region]; }

  void begin(const access& a) {
    const region& r = app_->regions()[a.region];
    if (!r.temporary || a.how != mode::out) return;
    auto& free = free_[r.bytes];
    if (free.empty()) {
      places_[a.region] = next_;
      next_ += r.bytes;
    } else {
      places_[a.region] = free.back();
      free.pop_back();
    }
  }
  void end(const access& a) {
    if (a.writes()) ++versions_[a.region];
    const region& r = app_->regions()[a.region];
    if (r.temporary && a.reads() && --readers_[a.region] == 0) free_[r.bytes].push_back(places_[a.region]);
  }

 private:
  const application* app_;
  std::vector<std::uint32_t> versions_;
  std::vector<std::uint64_t> places_;
  std::unordered_map<std::uint32_t, std::uint32_t> readers_;  ///< of temporaries, to come
  std::map<std::uint32_t, std::vector<std::uint64_t>> free_;  ///< by length
  std::uint64_t next_ = 0;
};

struct worker {
  worker(std::uint64_t cache_bytes, std::uint64_t directory_bytes) : cache(cache_bytes), memory(directory_bytes) {}

  dma::software_cache cache;
  directory memory;
  std::vector<place::bundled_task> bundle;
  std::vector<place::bundled_task> prepared;  ///< what it runs next
  std::size_t at = 0;                         ///< place in the bundle
  std::size_t told = 0;                       ///< of the bundle's tasks so many were told to be done
  std::vector<hint> hints;                    ///< since the last call-back
  std::unordered_map<std::uint32_t, std::uint64_t>
      not_staged_out;  ///< regions whose value is in the store only: address

  bool idle() const { return at == bundle.size(); }
};

dma::access_kind kind_of(mode m) {
  return m == mode::in ? dma::access_kind::in : m == mode::out ? dma::access_kind::out : dma::access_kind::inout;
}

/// place::local_tasks as an order, whose cache is SL1.
class locality {
 public:
  locality(const application& app, partial_graph& graph, const settings& how)
      : app_(app),
        graph_(graph),
        numbers_(app.tasks().size()),
        tasks_({.cache = how.machine.cache_bytes, .hints = how.bundles.hints}) {
    std::iota(numbers_.begin(), numbers_.end(), task_number{0});
  }

  void ready(task_number t) {
    std::vector<place::piece> pieces;
    for (const std::uint32_t region : app_.used(t)) pieces.push_back({region + 1, app_.regions()[region].bytes});
    tasks_.make_room(1, pieces.size());
    tasks_.add(&numbers_[t], pieces);
  }
  const std::vector<place::bundled_task>& next() {
    bundle_.clear();
    for (const task_number* t = tasks_.next(); t; t = tasks_.next_of_bundle()) {
      graph_.mark(*t).scheduled = true;
      bundle_.push_back({*t, false});
    }
    return bundle_;
  }

 private:
  const application& app_;
  partial_graph& graph_;
  std::vector<task_number> numbers_;
  place::local_tasks<const task_number> tasks_;
  std::vector<place::bundled_task> bundle_;
};

template <class Policy>
class run {
 public:
  run(const application& app, const settings& how, partial_graph& graph, Policy& policy)
      : app_(app),
        how_(how),
        graph_(graph),
        policy_(policy),
        storage_(app),
        bus_(machine_of(how)),
        window_(std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(how.unrolled * static_cast<double>(app.tasks().size())))) {
    expected_versions();
    // The workers of a cluster share its SL1.
    const int sharing = (how.workers + how.machine.clusters - 1) / how.machine.clusters;
    const std::uint64_t hinted =
        std::max(how.machine.cache_bytes / static_cast<std::uint64_t>(sharing), how.software_cache_bytes);
    for (int w = 0; w < how.workers; ++w) workers_.emplace_back(how.software_cache_bytes, hinted);
  }

  result go() {
    create();
    while (graph_.finished() < app_.tasks().size()) {
      bool any = false;
      for (worker& w : workers_) any |= give_work(w);
      if (!any) throw std::logic_error("tasks are left that no policy schedules");
      const std::int64_t now = bus_.now_ps();
      for (std::size_t i = 0; i < workers_.size(); ++i)
        if (!workers_[i].idle()) step(workers_[i], static_cast<int>(i), now);
      bus_.run();
      for (worker& w : workers_) call_back(w);
      create();
    }
    return counted();
  }

 private:
  static dma::parameters machine_of(const settings& how) {
    dma::parameters p = how.machine;
    p.workers = how.workers;
    return p;
  }

  /// Which version of each region a task reads when the program runs in its own order.
  void expected_versions() {
    std::vector<std::uint32_t> written(app_.regions().size());
    for (std::size_t t = 0; t < app_.tasks().size(); ++t)
      for (const access& a : app_.accesses(t)) {
        expected_.push_back(written[a.region]);
        if (a.writes()) ++written[a.region];
      }
  }

  void create() {
    const auto by_now =
        window_ + static_cast<std::uint64_t>(how_.created_a_task * static_cast<double>(graph_.finished()));
    while (!graph_.all_created() && graph_.created() < by_now) {
      const task_number t = graph_.created();
      if (graph_.create()) policy_.ready(t);
    }
    if constexpr (requires(Policy & p) { p.known(task_number{}); }) policy_.known(graph_.created());
    result_.most_unrolled = std::max<std::uint64_t>(result_.most_unrolled, graph_.created() - graph_.finished());
  }

  /// Gives whether the worker has a task to run. With several workers the next bundle is prepared while one runs.
  bool give_work(worker& w) {
    if (w.idle()) {
      if (w.prepared.empty()) w.prepared = next_bundle();
      w.bundle = std::move(w.prepared);
      w.prepared.clear();
      w.at = w.told = 0;
    }
    if (workers_.size() > 1 && w.prepared.empty() && !w.idle()) w.prepared = next_bundle();
    return !w.idle();
  }
  std::vector<place::bundled_task> next_bundle() {
    std::vector<place::bundled_task> b = policy_.next();
    result_.bundles += !b.empty();
    return b;
  }

  void step(worker& w, int number, std::int64_t now) {
    const task_number t = w.bundle[w.at].task;
    check(w, t);
    const auto accesses = app_.accesses(t);
    for (const access& a : accesses) storage_.begin(a);
    const std::uint32_t* expected = &expected_[app_.tasks()[t].first_access];
    for (const access& a : accesses) {
      if (storage_.version(a.region) != *expected++)
        throw std::logic_error("a task reads another version than its own");
      w.memory.use(
          a.region, app_.regions()[a.region].bytes,
          [&](std::uint32_t r) {
            w.hints.push_back({r, true});
          },
          [&](std::uint32_t r) {
            w.hints.push_back({r, false});
          });
      if (a.reads()) stage_in(w, number, a, now);
    }
    for (const access& a : accesses) {
      if (a.how == mode::inout) w.cache.drop({a.region, storage_.version(a.region)});
      storage_.end(a);
      if (a.writes()) stage_out(w, number, a, now);
    }
    ++w.at;
    ++result_.tasks;
  }

  void check(const worker& w, task_number t) {
    if (graph_.done(t)) throw std::logic_error("a task was scheduled twice");
    if (graph_.outstanding(t) == 0) return;
    std::uint32_t here = 0;  // what it waits for and this worker has run
    for (std::size_t i = w.told; i < w.at; ++i)
      for (const task_number s : graph_.successors(w.bundle[i].task)) here += s == t;
    if (graph_.outstanding(t) != here) throw std::logic_error("a task was scheduled before its data");
  }

  void transfer(int number, std::int64_t now, std::uint64_t address, std::uint64_t bytes, dma::direction way) {
    bus_.add({number, now, address, bytes, way});
  }

  void stage_in(worker& w, int number, const access& a, std::int64_t now) {
    const std::uint32_t bytes = app_.regions()[a.region].bytes;
    const dma::object what{a.region, storage_.version(a.region)};
    ++result_.fetches;
    if (w.cache.read(what)) {
      ++result_.software_hits;
      return;
    }
    // The value that was not staged out was pushed out of the cache: it had to be after all.
    if (const auto kept = w.not_staged_out.find(a.region); kept != w.not_staged_out.end()) {
      transfer(number, now, kept->second, bytes, dma::direction::put);
      w.not_staged_out.erase(kept);
    }
    transfer(number, now, storage_.address(a.region), bytes, dma::direction::get);
    w.cache.keep(what, bytes, kind_of(a.how));
  }

  void stage_out(worker& w, int number, const access& a, std::int64_t now) {
    const std::uint32_t bytes = app_.regions()[a.region].bytes;
    w.cache.keep({a.region, storage_.version(a.region)}, bytes, kind_of(a.how));
    if (how_.minimal_stage_out && is_overwritten_later(w, a.region)) {
      w.not_staged_out[a.region] = storage_.address(a.region);
      return;
    }
    w.not_staged_out.erase(a.region);
    transfer(number, now, storage_.address(a.region), bytes, dma::direction::put);
  }

  /// A later task of the bundle overwrites the region. Nobody else can want the value: who reads it runs before that
  /// task.
  bool is_overwritten_later(const worker& w, std::uint32_t region) const {
    for (std::size_t i = w.at + 1; i < w.bundle.size(); ++i)
      for (const access& a : app_.accesses(w.bundle[i].task))
        if (a.region == region) return a.writes();
    return false;
  }

  void call_back(worker& w) {
    if (w.told == w.at || !(w.idle() || w.bundle[w.at - 1].early_call_back)) return;
    if constexpr (requires(Policy & p) { p.entered(0u); }) {
      for (const hint& h : w.hints)
        if (h.entered)
          policy_.entered(h.region);
        else
          policy_.left(h.region);
    }
    w.hints.clear();
    for (; w.told < w.at; ++w.told)
      for (const task_number t : graph_.finish(w.bundle[w.told].task)) policy_.ready(t);
  }

  result counted() {
    result_.packets = bus_.total().packets();
    result_.sl1_hits = bus_.total().hits;
    result_.memory_accesses = bus_.total().memory_accesses() + bus_.dirty();
    result_.page_hits = bus_.page_hits();
    result_.page_misses = bus_.page_misses();
    return result_;
  }

  const application& app_;
  const settings& how_;
  partial_graph& graph_;
  Policy& policy_;
  storage storage_;
  dma::simulation bus_;
  std::uint64_t window_;
  std::vector<std::uint32_t> expected_;  ///< by access
  std::deque<worker> workers_;
  result result_;
};

}  // namespace

result execute(const application& app, const settings& how) {
  partial_graph graph(app);
  const auto under = [&](auto chosen) { return run(app, how, graph, chosen).go(); };
  switch (how.how) {
    case policy::program_order:
      return under(place::program_order<partial_graph>(graph));
    case policy::chains:
      return under(place::chains<partial_graph>(graph, how.bundles.bound));
    case policy::bundles:
      return under(place::bundles<partial_graph>(graph, how.bundles));
    case policy::locality:
      return under(locality(app, graph, how));
  }
  throw std::logic_error("no such policy");
}

}  // namespace cellss
