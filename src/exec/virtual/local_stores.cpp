#include "exec/virtual/local_stores.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "base/settings.hpp"
#include "exec/in_place.hpp"
#include "exec/tracing.hpp"
#include "exec/virtual/monitor_guard.hpp"
#include "graph/describe.hpp"
#include "graph/domain.hpp"
#include "graph/poison.hpp"
#include "graph/store_clock.hpp"
#include "model/memory/instances.hpp"
#include "task/context.hpp"
#include "trace/recorder.hpp"

namespace maslin {

using detail::body_use;
using detail::task_node;
using store::use;

namespace {

/// Its stores; a process has one runtime.
std::atomic<local_stores*> now_there{nullptr};

constexpr auto to_memory = trace::transfer_of::way::to_memory;

constexpr double gb_per_s = 1e-3;  // in bytes a picosecond

dma::bandwidths bandwidths_of(const machine::machine_spec& machine) {
  dma::bandwidths of;
  if (const auto& t = machine.transfer) {
    of.worker_bytes_per_ps = t->bandwidth_gb_per_s * gb_per_s;
    of.bus.workers = machine.workers.count / machine.workers.groups;
    if (t->total_gb_per_s) of.bus.bytes_per_ps = *t->total_gb_per_s * gb_per_s;
  }
  if (const machine::memory_spec* const m = memory::main_memory(machine))
    of.memory = {*m->bandwidth_gb_per_s * gb_per_s, m->shared_by};
  return of;
}

/// Plans are in the order of addresses, which differ from run to run.
store::plan in_order_of_accesses(store::plan of) {
  std::vector<int> places(of.copies.size(), store::plan::on_memory);
  std::vector<store::copy> ordered;
  for (int& k : of.of_access) {
    if (k == store::plan::on_memory) continue;
    int& place = places[static_cast<std::size_t>(k)];
    if (place == store::plan::on_memory) {
      place = static_cast<int>(ordered.size());
      ordered.push_back(of.copies[static_cast<std::size_t>(k)]);
    }
    k = place;
  }
  of.copies = std::move(ordered);
  return of;
}

}  // namespace

/// A task's data in a worker's store, from the begin of its stage-in to its end.
struct local_stores::staged_task {
  task_node* task;
  virtual_worker* at;
  store::plan plan{};
  store::places places{};
  bool in_store = false;          ///< otherwise there was no room
  bool is_fetched_early = false;  ///< it is fetched while another one runs
  bool failed = true;             ///< it has not run, or has thrown
  bool is_given_up = false;
  bool is_early = false;  ///< begins with what was fetched before
  bool has_run = false;
  bool is_done = false;
  int puts_before = 0;        ///< of others, that have to be in memory before it fetches
  std::uint64_t fetches = 0;  ///< bytes that have not come

  bool is_there() const { return puts_before == 0 && fetches == 0; }
};

struct local_stores::worker_store {
  worker_store(std::size_t bytes, store::keeping keeps) : store(bytes, keeps, asked) {}

  asked_copies asked;
  store::local_store<counting_engine> store;
  std::deque<staged> next;  ///< their data are fetched already; the tasks stand in the worker's queue
  int leaving = 0;          ///< tasks whose stage-out goes on
  bool waits = false;       ///< its worker, for copies
  picoseconds copied = 0;   ///< when the last transfer was over

  /// What its worker's code says that it moves, in transfers. Those that are asked for at one time belong together.
  struct {
    std::uint64_t asked = 0;
    std::uint64_t done = 0;
    std::uint64_t before_last = 0;  ///< of those asked for, all but the ones of the last time
    picoseconds last = -1;          ///< when that was
  } moves;
};

/// What was dirty comes to memory. Who needs it there waits.
struct local_stores::late_put {
  std::vector<asked_copies::run> to;
  std::vector<std::function<void()>> then;

  bool concerns(std::span<const use> uses) const {
    return std::ranges::any_of(to, [&](const asked_copies::run& r) {
      return std::ranges::any_of(uses, [&](const use& u) { return u.is.start < r.end && r.begin < u.is.end(); });
    });
  }
};

/// Not a processor that runs anything: it has events.
struct local_stores::node_bus final : processor {
  node_bus(virtual_executor& exec, int number, int workers, const dma::bandwidths& of)
      : processor(number), exec_(exec), bus(workers, of) {}

  virtual_fiber* choose() override {
    bus.advance(exec_.now_);
    expect();
    return nullptr;
  }
  void enqueue(virtual_fiber&, picoseconds) override {}
  void expect() noexcept {
    if (const picoseconds next = bus.next_ps(); next != dma::shared_bus::never) exec_.expect(*this, next);
  }

  virtual_executor& exec_;
  dma::shared_bus bus;
};

std::unique_ptr<local_stores> local_stores::of(virtual_executor& exec, const machine::machine_spec& machine,
                                               int workers, int first_number) {
  std::optional<std::uint64_t> bytes = base::number_of("MASLIN_STORE");
  if (!bytes && machine.local_store)
    bytes = static_cast<std::uint64_t>(machine.local_store->bytes - machine.local_store->code_bytes.value_or(0));
  if (!bytes) return nullptr;
  return std::unique_ptr<local_stores>(new local_stores(exec, machine, workers, first_number, *bytes));
}

local_stores::local_stores(virtual_executor& exec, const machine::machine_spec& machine, int workers, int first_number,
                           std::size_t bytes)
    : exec_(exec),
      first_number_(first_number),
      node_(machine.workers.count),
      bytes_(bytes / store::arena::alignment * store::arena::alignment),
      latency_(machine.transfer ? whole_picoseconds(machine.transfer->latency_us.value_or(0) * 1e6) : 0),
      keeps_(base::choice_of<store::keeping>("MASLIN_STORE_KEEP")),
      writes_(store::writing_of_the_run()),
      ahead_(*base::number_of("MASLIN_STORE_AHEAD")),
      is_slow_(machine.transfer || memory::main_memory(machine)),
      each_(static_cast<std::size_t>(workers)) {
  const dma::bandwidths widths = bandwidths_of(machine);
  for (int first = 0; first < workers; first += node_)
    buses_.push_back(std::make_unique<node_bus>(exec, first_number + first / node_, node_, widths));
  now_there.store(this, std::memory_order_release);
  store::tell_by([] { return now_there.load(std::memory_order_acquire)->told(); });
  // Also copies that memory has: otherwise the time would hang on which addresses versions get.
  if (keeps_ != store::keeping::none)
    graph::version_ends.store(
        [](const graph::region& freed) noexcept { now_there.load(std::memory_order_acquire)->forget(freed); },
        std::memory_order_release);
  if (writes_ == store::writing::back)
    graph::program_looks.store([]() noexcept { now_there.load(std::memory_order_acquire)->show_everything(); },
                               std::memory_order_release);
  graph::set_local_stores(true);
}

local_stores::~local_stores() {
  store::tell_by(nullptr);
  graph::set_local_stores(false);
  graph::version_ends.store(nullptr, std::memory_order_relaxed);
  graph::program_looks.store(nullptr, std::memory_order_relaxed);
  now_there.store(nullptr, std::memory_order_relaxed);
}

processor& local_stores::bus_at(int number) const { return *buses_[static_cast<std::size_t>(number - first_number_)]; }

local_stores::worker_store& local_stores::of(const virtual_worker& w) {
  auto& one = each_[static_cast<std::size_t>(w.index)];
  if (!one) {
    const std::lock_guard held(making_);
    one = std::make_unique<worker_store>(bytes_, keeps_);
  }
  return *one;
}

// Time
// -------------------------------------------------------------------------------------------------------------------

/// The worker's engine begins to move so much then. Its transfers follow each other.
void local_stores::transfer(int worker, std::uint64_t bytes, picoseconds start, std::function<void()> ended) {
  node_bus& of = *buses_[static_cast<std::size_t>(worker / node_)];
  of.bus.add(worker % node_, bytes, start, [this, worker, then = std::move(ended)] {
    then();
    each_[static_cast<std::size_t>(worker)]->copied = exec_.now_;
  });
  of.expect();
}

/// The worker's engine begins to copy so much for the task, or null.
void local_stores::copy(int worker, const task_node* task, const trace::transfer_of& what, picoseconds now,
                        std::function<void()> ended) {
  const picoseconds start = later(now, latency_);
  if (trace::on(trace::event_kind::transfer))
    ended = [this, worker, number = traced_number(task), what, start, then = std::move(ended)] {
      record(worker, number, what, start);
      then();
    };
  transfer(worker, what.bytes, start, std::move(ended));
}

/// A copy is over, which could begin at that time. The worker's clock may be ahead of it.
void local_stores::record(int worker, std::uint64_t task, const trace::transfer_of& what, picoseconds start) {
  const auto ns = [this](picoseconds at) { return exec_.nanoseconds(static_cast<std::uint64_t>(at)); };
  const picoseconds began = std::max(start, each_[static_cast<std::size_t>(worker)]->copied);
  trace::record_transfer(worker, {worker, task, ns(began), ns(exec_.now_), what});
}

/// The worker waits for copies. Others may tell it to look around meanwhile.
template <class Done>
void local_stores::wait(virtual_worker& w, Done&& done) {
  bool& waits = of(w).waits;
  waits = true;
  const picoseconds since = w.clock;
  while (!done()) exec_.make_way(*w.running);
  waits = false;
  waited_.fetch_add(w.clock - since, std::memory_order_relaxed);
}

/// Something that the worker may wait for has happened.
void local_stores::tell(virtual_worker& w) noexcept {
  if (of(w).waits) exec_.expect(w, exec_.now_, true);
}

// What code says that it moves
// -------------------------------------------------------------------------------------------------------------------

void local_stores::move(virtual_worker& w, const context& in, std::int64_t bytes) {
  if (bytes == 0 || is_in_task_with_data(in)) return;
  exec_.sync(w);
  auto& moves = of(w).moves;
  if (w.clock != moves.last) {
    wait(w, [&moves] { return moves.done >= moves.before_last; });
    moves.before_last = moves.asked;
    moves.last = w.clock;
  }
  ++moves.asked;
  transfer(w.index, static_cast<std::uint64_t>(bytes), later(w.clock, latency_), [this, &w, &moves] {
    ++moves.done;
    tell(w);
  });
}

void local_stores::await_moved(virtual_worker& w) {
  const auto& here = each_[static_cast<std::size_t>(w.index)];
  const auto is_over = [&here] { return here->moves.done == here->moves.asked; };
  if (here && !is_over()) wait(w, is_over);
}

/// Is the context that of a task whose data are copied, or of a loop inside of one?
bool local_stores::is_in_task_with_data(const context& c) const {
  for (const scope* s = c.children; s; s = s->outer())
    if (const task_node* const task = s->owner()) return begun_.contains(task);
  return false;
}

// Stage in
// -------------------------------------------------------------------------------------------------------------------

void local_stores::stage_in(virtual_worker& w, task_node& task) {
  if (task.accesses == 0 || task.failed() || task.in->dismissed()) return;
  exec_.sync(w);
  staged s = begun_[&task];
  if (!s) {
    s = begun_[&task] = begin(w, task);
    // Room comes back when tasks that have run are over.
    worker_store& here = of(w);
    while (!take(*s) && fits(*s) && here.leaving > 0)
      wait(w, [&here, before = here.leaving] { return here.leaving < before; });
    if (!s->in_store && !s->plan.of_access.empty()) here.store.note_on_memory();
    fetch(s, w.clock);
  }
  begin_to_fetch_next(w);
  wait(w, [&s] { return s->is_there(); });
}

/// What the task finds dirty elsewhere comes to memory first.
local_stores::staged local_stores::begin(virtual_worker& w, task_node& task) {
  auto s = std::make_shared<staged_task>(staged_task{.task = &task, .at = &w});
  const auto accesses = graph::accesses_of(task);
  if (accesses.size() < task.accesses) {
    s->plan.uses = store::uses_of_own(task);
  } else {
    s->plan = in_order_of_accesses(store::make_plan(accesses));
    store::mark_lazy(s->plan, task, writes_);
  }
  const worker_store* const own = &of(w);
  for (std::size_t i = 0; i < each_.size(); ++i) {
    if (!each_[i] || each_[i].get() == own || writes_ == store::writing::through) continue;
    each_[i]->store.show(s->plan.uses);
    put(static_cast<int>(i), w.clock);
  }
  for (const auto& one : late_puts_) {
    if (!one->concerns(s->plan.uses)) continue;
    ++s->puts_before;
    one->then.push_back([this, s] {
      if (--s->puts_before == 0) get(s, exec_.now_);
    });
  }
  return s;
}

bool local_stores::fits(const staged_task& s) const { return !s.plan.copies.empty() && s.plan.bytes() <= bytes_; }

bool local_stores::take(staged_task& s) {
  return s.in_store = fits(s) && of(*s.at).store.take(s.plan, s.places, store::birth_of(*s.task));
}

/// Begins to copy what the task reads. What has to give way to it leaves before: an engine's copies follow each other.
void local_stores::fetch(const staged& s, picoseconds now) {
  worker_store& here = of(*s->at);
  put(s->at->index, now);
  if (s->in_store) {
    here.store.begin_stage_in(s->plan, s->places, false, graph::store_clock.load(std::memory_order_relaxed));
  } else if (fits(*s)) {
    for (const store::copy& c : s->plan.copies)
      if (c.reads) here.asked.in += c.home.size();
  }
  s->fetches = std::exchange(here.asked.in, 0);
  if (s->puts_before == 0) get(s, now);
}

void local_stores::get(const staged& s, picoseconds now) {
  if (s->fetches == 0) return arrived(*s);
  copy(s->at->index, s->task, {.is_early = s->is_fetched_early, .bytes = s->fetches}, now, [this, s] {
    s->fetches = 0;
    arrived(*s);
  });
}

void local_stores::arrived(staged_task& s) {
  if (s.is_given_up) return give(s);
  tell(*s.at);
}

/// Begins to copy what the worker's store has to put for another reason than its task's end; null where that is
/// nothing.
std::shared_ptr<local_stores::late_put> local_stores::put(int worker, picoseconds now) {
  asked_copies what = std::exchange(each_[static_cast<std::size_t>(worker)]->asked, {});
  if (what.out == 0) return nullptr;
  auto one = std::make_shared<late_put>(late_put{std::move(what.to), {}});
  late_puts_.push_back(one);
  copy(worker, nullptr, {.goes = to_memory, .bytes = what.out}, now, [this, one] {
    std::erase(late_puts_, one);
    for (const auto& next : one->then) next();
  });
  return one;
}

// The next task
// -------------------------------------------------------------------------------------------------------------------

/// Double buffering: while a task runs, the data come of those behind it.
void local_stores::begin_to_fetch_next(virtual_worker& w) {
  worker_store& here = of(w);
  const auto is_known = [&](const task_node* task) {
    return std::ranges::any_of(here.next, [&](const staged& s) { return s->task == task; });
  };
  while (here.next.size() < ahead_) {
    task_node* const next = exec_.expected_next(w, is_known);
    if (!next || next->accesses == 0 || next->failed() || next->in->dismissed()) return;
    staged s = begin(w, *next);
    s->is_fetched_early = true;
    if (!take(*s)) return;
    fetch(s, w.clock);
    here.next.push_back(std::move(s));
  }
}

bool local_stores::has_next(const virtual_worker& w) const {
  const auto& here = each_[static_cast<std::size_t>(w.index)];
  return here && !here->next.empty();
}

task_node* local_stores::take_next(virtual_worker& w) {
  if (!has_next(w)) return nullptr;
  const staged s = std::move(of(w).next.front());
  of(w).next.pop_front();
  w.tasks.take(s->task);
  s->is_early = true;
  begun_[s->task] = s;
  return s->task;
}

void local_stores::robbed(const virtual_worker& w) {
  if (!has_next(w)) return;
  std::erase_if(of(w).next, [&](const staged& s) {
    if (w.tasks.holds(s->task)) return false;
    s->is_given_up = true;
    if (s->is_there()) give(*s);
    return true;
  });
}

/// The task runs elsewhere; nothing is on its way any more.
void local_stores::give(staged_task& s) {
  of(*s.at).store.give(s.plan, s.places);
  put(s.at->index, exec_.now_);
}

// The body, and stage out
// -------------------------------------------------------------------------------------------------------------------

void local_stores::call(task_node& task) {
  const auto run = [&task] { task.run(task.callable, task.records(), body_use::call); };
  const auto await_children = [this] {
    context& here = current_context();
    if (!here.children->quiet() || here.data) await_tasks_at_end(exec_, here);
  };
  staged s;
  {
    const virtual_executor::monitor_guard calling(exec_, false);
    if (const auto found = begun_.find(&task); found != begun_.end()) s = found->second;
  }
  if (s && s->plan.bytes() > bytes_) store::refuse(task, s->plan, bytes_);
  if (s && s->is_early) early_.fetch_add(1, std::memory_order_relaxed);
  const std::exception_ptr thrown = store::run_with_children(run, await_children);
  if (s) {
    s->has_run = true;
    s->failed = thrown != nullptr;
  } else {  // its creator, or who replays it, runs it in place, where no store is
    const virtual_executor::monitor_guard calling(exec_);
    end_task(store::make_plan(graph::accesses_of(task)).uses);
  }
  if (thrown) std::rethrow_exception(thrown);
}

bool local_stores::stage_out(virtual_worker& w, task_node& task) {
  const auto found = begun_.find(&task);
  if (found == begun_.end()) return true;
  const staged s = std::move(found->second);
  begun_.erase(found);
  worker_store& here = of(*s->at);
  s->failed = s->failed || task.failed();
  if (!s->has_run) return leave(*s), true;
  if (s->in_store) {
    here.store.begin_stage_out(s->plan, s->places, s->failed);
  } else if (!s->failed) {
    for (const store::copy& c : s->plan.copies)
      if (c.writes) here.asked.out += c.home.size();
  }
  const std::uint64_t bytes = std::exchange(here.asked, {}).out;
  if (bytes == 0) return leave(*s), true;
  ++here.leaving;
  copy(s->at->index, s->task, {.goes = to_memory, .bytes = bytes}, w.clock, [this, s] {
    leave(*s);
    --of(*s->at).leaving;
    s->is_done = true;
    exec_.complete_at(*s->at, s->task);
    tell(*s->at);
  });
  if (ahead_ == 0) wait(w, [&s] { return s->is_done; });
  return false;
}

/// The task has ended.
void local_stores::leave(staged_task& s) {
  const std::uint64_t tick = end_task(s.plan.uses);
  if (!s.in_store) return;
  store::local_store<counting_engine>& in = of(*s.at).store;
  if (s.failed)
    in.give(s.plan, s.places);
  else
    in.leave(s.plan, s.places, tick);
  put(s.at->index, exec_.now_);
}

std::uint64_t local_stores::end_task(std::span<const use> uses) noexcept {
  if (keeps_ == store::keeping::none) return 0;
  if (std::ranges::any_of(uses, &use::writes))
    for (const auto& one : each_)
      if (one) one->store.end_copies(uses);
  return graph::tick_of_stores();
}

void local_stores::show_everything() {
  const virtual_executor::monitor_guard calling(exec_);
  processor* const p = exec_.here();
  virtual_fiber* const me = p ? p->running : nullptr;  // a foreign thread has no clock
  const picoseconds now = p ? p->clock : exec_.now_;
  int left = 0;
  for (std::size_t i = 0; i < each_.size(); ++i) {
    if (!each_[i]) continue;
    each_[i]->store.show_everything();
    const auto one = put(static_cast<int>(i), now);
    if (!one || !me) continue;
    ++left;
    one->then.push_back([this, p, &left] {
      if (--left == 0) exec_.expect(*p, exec_.now_, true);
    });
  }
  while (left > 0) exec_.make_way(*me);
}

void local_stores::forget(const graph::region& freed) noexcept {
  const virtual_executor::monitor_guard calling(exec_, false);
  const use over[] = {{freed, false, true}};
  for (const auto& one : each_)
    if (one) one->store.end_copies(over);
}

store::counts local_stores::told() const {
  store::counts sum{.early = early_.load(std::memory_order_relaxed),
                    .waited_s = static_cast<double>(waited_.load(std::memory_order_relaxed)) * 1e-12};
  const std::lock_guard held(making_);
  for (const auto& one : each_)
    if (one) sum += one->store.told();
  return sum;
}

}  // namespace maslin
