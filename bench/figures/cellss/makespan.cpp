#include "makespan.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "graph.hpp"
#include "hints.hpp"
#include "model/dma/shared_bus.hpp"
#include "model/dma/software_cache.hpp"

namespace cellss {

namespace {

namespace dma = maslin::dma;
namespace place = maslin::place;

/// What happens at a time; what was asked for first happens first.
class clock_of_events {
 public:
  double now() const { return 1e-3 * static_cast<double>(now_ps_); }
  std::int64_t now_ps() const { return now_ps_; }
  void at(double ns, std::function<void()> what) { events_.push({std::llround(1e3 * ns), asked_++, std::move(what)}); }

  /// Goes on to the next event, here or on the bus. Gives whether there was one.
  bool step(dma::shared_bus& bus) {
    const std::int64_t own = events_.empty() ? dma::shared_bus::never : events_.top().ps;
    const std::int64_t other = bus.next_ps();
    if (own == dma::shared_bus::never && other == own) return false;
    now_ps_ = std::min(own, other);
    bus.advance(now_ps_);
    if (other <= own) return true;
    const std::function<void()> what = events_.top().what;
    events_.pop();
    what();
    return true;
  }

 private:
  struct event {
    std::int64_t ps;
    std::uint64_t number;
    std::function<void()> what;
    bool operator<(const event& other) const { return ps != other.ps ? ps > other.ps : number > other.number; }
  };
  std::priority_queue<event> events_;
  std::uint64_t asked_ = 0;
  std::int64_t now_ps_ = 0;
};

struct worker {
  worker(std::uint64_t cache_bytes, std::uint64_t hinted_bytes) : cache(cache_bytes), memory(hinted_bytes) {}

  dma::software_cache cache;
  directory memory;
  std::vector<hint> hints;
  std::vector<place::bundled_task> bundle, prepared;
  std::size_t at = 0;       ///< the task of the bundle that runs, or waits for its data
  std::size_t fetched = 0;  ///< of the bundle's tasks so many have their data
  std::size_t asked = 0;    ///< of the bundle's tasks so many have begun to fetch them
  std::size_t told = 0;     ///< of the bundle's tasks the host knows so many to be done
  bool computes = false;
  int puts = 0;                                 ///< that go on
  std::unordered_set<std::uint32_t> only_here;  ///< regions whose value is in the store alone

  bool idle() const { return at == bundle.size(); }
};

class run {
 public:
  run(const application& app, const described_machine& machine, const techniques& on, const place::bundle_settings& how)
      : app_(app),
        machine_(machine),
        on_(on),
        graph_(app),
        policy_(graph_, how),
        bus_(machine.workers, {.bus = {1e-3 * machine.bus_bytes_per_ns, machine.workers}}),
        versions_(app.regions().size()),
        unrolled_(std::max<std::size_t>(
            1, static_cast<std::size_t>(machine.unrolled * static_cast<double>(app.tasks().size())))) {
    for (int w = 0; w < machine.workers; ++w)
      workers_.emplace_back(on.cache ? machine.cache_bytes : 0, machine.cache_bytes);
  }

  time_line go() {
    create();
    if (machine_.create_ns > 0) go_on_creating();
    for (int w = 0; w < machine_.workers; ++w) ask_for_bundle(w);
    while (clock_.step(bus_)) {
    }
    if (told_.tasks != app_.tasks().size()) throw std::logic_error("tasks are left that no policy schedules");
    told_.ns = clock_.now();
    return told_;
  }

 private:
  worker& at(int number) { return workers_[static_cast<std::size_t>(number)]; }

  // The main thread.

  /// Creates what is there when the first task runs; where creating takes no time, also what follows tasks that are
  /// done.
  void create() {
    const std::size_t created_a_task = machine_.create_ns > 0 ? 0 : 4;
    while (!graph_.all_created() && graph_.created() < unrolled_ + created_a_task * graph_.finished()) create_next();
  }
  void create_next() {
    const task_number t = graph_.created();
    if (graph_.create()) policy_.ready(t);
  }
  void go_on_creating() {
    if (graph_.all_created()) return;
    clock_.at(clock_.now() + machine_.create_ns, [this] {
      create_next();
      serve();
      go_on_creating();
    });
  }

  // The host.

  void ask_for_bundle(int w) {
    asking_.push_back(w);
    serve();
  }

  /// The host does what it was asked for first: call-backs before bundles, which they make possible.
  void serve() {
    if (host_busy_) return;
    if (!call_backs_.empty()) {
      const std::function<void()> take = std::move(call_backs_.front());
      call_backs_.pop_front();
      occupy(machine_.signal_ns, take);
      return;
    }
    if (asking_.empty() || !policy_.any_ready()) return;
    const int w = asking_.front();
    asking_.pop_front();
    const std::vector<place::bundled_task> built = policy_.next();
    occupy(machine_.schedule_ns * static_cast<double>(built.size()), [this, w, built] {
      worker& to = at(w);
      to.prepared = built;
      if (to.idle() && to.puts == 0) begin_bundle(w);
    });
  }
  void occupy(double ns, std::function<void()> then) {
    host_busy_ = true;
    told_.host_ns += ns;
    clock_.at(clock_.now() + ns, [this, then = std::move(then)] {
      host_busy_ = false;
      then();
      serve();
    });
  }

  /// The worker tells that so many of its bundle's tasks are done, and what its memory holds.
  void call_back(int w) {
    worker& from = at(w);
    std::vector<task_number> done;
    for (; from.told < from.at; ++from.told) done.push_back(from.bundle[from.told].task);
    if (done.empty()) return;
    ++told_.call_backs;
    call_backs_.push_back([this, done, hints = std::exchange(from.hints, {})] {
      for (const hint& h : hints)
        if (h.entered)
          policy_.entered(h.region);
        else
          policy_.left(h.region);
      for (const task_number t : done)
        for (const task_number now : graph_.finish(t)) policy_.ready(now);
      create();
    });
    serve();
  }

  // A worker.

  void begin_bundle(int w) {
    worker& me = at(w);
    me.bundle = std::exchange(me.prepared, {});
    me.at = me.fetched = me.asked = me.told = 0;
    stage_in(w);
    ask_for_bundle(w);
  }

  /// Begins to fetch what the next task of the bundle reads and the store does not hold.
  void stage_in(int w) {
    worker& me = at(w);
    const task_number t = me.bundle[me.asked].task;
    std::uint64_t bytes = 0;
    for (const access& a : app_.accesses(t)) {
      me.memory.use(
          a.region, app_.regions()[a.region].bytes,
          [&](std::uint32_t r) {
            me.hints.push_back({r, true});
          },
          [&](std::uint32_t r) {
            me.hints.push_back({r, false});
          });
      if (!a.reads() || comes_from_before(me, a.region)) continue;
      const dma::object what{a.region, versions_[a.region]};
      if (me.only_here.contains(a.region) || me.cache.read(what)) continue;
      bytes += app_.regions()[a.region].bytes;
      me.cache.keep(what, app_.regions()[a.region].bytes, a.writes() ? dma::access_kind::inout : dma::access_kind::in);
    }
    ++me.asked;
    transfer(w, bytes, [this, w] {
      ++at(w).fetched;
      compute(w);
    });
  }
  /// The task that runs writes it, so the next one finds it in the store.
  bool comes_from_before(const worker& me, std::uint32_t region) const {
    if (me.asked == me.at) return false;
    return std::ranges::any_of(app_.accesses(me.bundle[me.at].task),
                               [&](const access& a) { return a.region == region && a.writes(); });
  }

  void transfer(int w, std::uint64_t bytes, std::function<void()> ended) {
    if (bytes == 0) {
      clock_.at(clock_.now(), std::move(ended));
      return;
    }
    told_.bytes += bytes;
    bus_.add(w, bytes, clock_.now_ps(), std::move(ended));
  }

  /// Runs the kernel of the next task if its data are there.
  void compute(int w) {
    worker& me = at(w);
    if (me.computes || me.idle() || me.fetched <= me.at || (!on_.double_buffering && me.puts > 0)) return;
    me.computes = true;
    const task_number t = me.bundle[me.at].task;
    check(me, t);
    if (on_.double_buffering && me.asked < me.bundle.size()) stage_in(w);
    double ns = machine_.kernel_ns[app_.tasks()[t].kernel];
    if (machine_.spread > 0)  // from the generator's own numbers, so that each library draws the same
      ns *= 1 + machine_.spread * (2 * static_cast<double>(drawn_() >> 11) * 0x1p-53 - 1);
    told_.kernel_ns += ns;
    clock_.at(clock_.now() + ns, [this, w] { stage_out(w); });
  }

  void check(const worker& me, task_number t) const {
    std::uint32_t here = 0;  // what it waits for and this worker has run
    for (std::size_t i = 0; i < me.at; ++i)
      if (!graph_.done(me.bundle[i].task))
        for (const task_number s : graph_.successors(me.bundle[i].task)) here += s == t;
    if (graph_.done(t) || graph_.outstanding(t) != here)
      throw std::logic_error("a task was scheduled twice, or before its data");
  }

  void stage_out(int w) {
    worker& me = at(w);
    const place::bundled_task done = me.bundle[me.at];
    std::uint64_t bytes = 0;
    for (const access& a : app_.accesses(done.task)) {
      if (!a.writes()) continue;
      me.cache.drop({a.region, versions_[a.region]});
      ++versions_[a.region];
      me.cache.keep({a.region, versions_[a.region]}, app_.regions()[a.region].bytes, dma::access_kind::inout);
      if (on_.minimal_stage_out && is_overwritten_later(me, a.region)) {
        me.only_here.insert(a.region);
      } else {
        me.only_here.erase(a.region);
        bytes += app_.regions()[a.region].bytes;
      }
    }
    ++told_.tasks;
    me.computes = false;
    ++me.at;
    ++me.puts;
    const std::size_t until = me.at;
    transfer(w, bytes, [this, w, until, early = on_.early_call_back && done.early_call_back] {
      worker& whose = at(w);
      --whose.puts;
      if (early && !(whose.idle() && whose.puts == 0)) tell_until(w, until);
      go_on(w);
    });
    if (on_.double_buffering) go_on(w);
  }
  /// A later task of the bundle overwrites it. Nobody else can want the value: who reads it runs before that task.
  bool is_overwritten_later(const worker& me, std::uint32_t region) const {
    for (std::size_t i = me.at + 1; i < me.bundle.size(); ++i)
      for (const access& a : app_.accesses(me.bundle[i].task))
        if (a.region == region) return a.writes();
    return false;
  }

  /// A call-back of what is in memory: later tasks of the bundle may be over, but not what they wrote.
  void tell_until(int w, std::size_t until) {
    worker& me = at(w);
    const std::size_t at_now = std::exchange(me.at, until);
    call_back(w);
    me.at = at_now;
  }

  void go_on(int w) {
    worker& me = at(w);
    if (!me.idle()) {
      if (me.asked == me.at && me.puts == 0 && !me.computes) stage_in(w);
      compute(w);
      return;
    }
    if (me.puts > 0) return;
    call_back(w);
    if (!me.prepared.empty()) begin_bundle(w);
  }

  const application& app_;
  const described_machine& machine_;
  const techniques on_;
  partial_graph graph_;
  place::bundles<partial_graph> policy_;
  dma::shared_bus bus_;
  clock_of_events clock_;
  std::deque<worker> workers_;
  std::vector<std::uint32_t> versions_;  ///< by region
  std::size_t unrolled_;
  std::mt19937_64 drawn_;
  std::deque<int> asking_;  ///< workers that want a bundle
  std::deque<std::function<void()>> call_backs_;
  bool host_busy_ = false;
  time_line told_;
};

}  // namespace

time_line run_in_time(const application& app, const described_machine& machine, const techniques& on,
                      const place::bundle_settings& how) {
  if (machine.kernel_ns.size() != app.kernels().size())
    throw std::invalid_argument("a machine has a time for each kernel");
  return run(app, machine, on, how).go();
}

std::vector<double> kernel_times(const application& app, int block, double flops_per_ns) {
  static const std::map<std::string, double> operations{// in cubes of the block
                                                        {"gemm", 2.0},
                                                        {"sgemm", 2.0},
                                                        {"ssyrk", 1.0},
                                                        {"strsm", 1.0},
                                                        {"spotrf", 1.0 / 3}};
  std::vector<double> times;
  const double cube = static_cast<double>(block) * block * block;
  for (const std::string& kernel : app.kernels()) {
    const auto found = operations.find(kernel);
    if (found == operations.end()) throw std::invalid_argument("nothing is known of the time of " + kernel);
    times.push_back(found->second * cube / flops_per_ns);
  }
  return times;
}

}  // namespace cellss
