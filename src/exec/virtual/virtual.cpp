#include "exec/virtual/virtual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "base/clock.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "maslin/error.hpp"
#include "sched/place/dbs.hpp"

namespace maslin {

namespace {

thread_local bool is_inside = false;
thread_local virtual_executor* started_here = nullptr;

// A fiber may go on on another thread, so the address of a thread-local is not kept.
[[gnu::noinline]] bool inside_now() noexcept {
  asm volatile("");
  return is_inside;
}
[[gnu::noinline]] void set_inside(bool now) noexcept { is_inside = now; }
[[gnu::noinline]] virtual_executor* starter_of() noexcept {
  asm volatile("");
  return started_here;
}

void nothing(void*) {}

}  // namespace

/// The calling code is inside while this lives: nobody else runs, and everything earlier has happened.
class virtual_executor::inside {
 public:
  explicit inside(virtual_executor& exec, bool sees_others = true) : exec_(exec), was_(inside_now()) {
    if (!was_) {
      exec_.lock_.lock();
      set_inside(true);
      if (virtual_worker* w = exec_.self()) {
        exec_.current_ = w;
        exec_.take_seat();
      }
    }
    if (virtual_worker* w = exec_.self()) {
      exec_.account(*w);
      if (sees_others) exec_.sync(*w);
    }
  }
  ~inside() {
    exec_.since_ = base::ticks();
    if (was_) return;
    set_inside(false);
    exec_.lock_.unlock();
  }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;

 private:
  virtual_executor& exec_;
  const bool was_;
};

detail::task_node* task_stack::pop() {
  if (empty()) return nullptr;
  detail::task_node* task = tasks_.back();
  tasks_.pop_back();
  if (empty()) {
    tasks_.clear();
    first_ = 0;
  }
  return task;
}

void task_stack::give_half(task_stack& to) {
  const std::size_t count = (tasks_.size() - first_ + 1) / 2;
  for (std::size_t i = count; i > 0; --i) to.push(tasks_[first_ + i - 1]);
  first_ += count;
  if (first_ * 2 < tasks_.size()) return;
  tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
}

void virtual_worker::nonempty(bool holds_work) {
  if (holds_work)
    exec.has_loops_.set(index);
  else
    exec.has_loops_.clear(index);
}

/// The queues as one worker sees them (sched/place/dbs.hpp says what each call gives).
class virtual_executor::queues {
 public:
  using work = maslin::work;

  queues(virtual_executor& exec, virtual_worker& w, team& t)
      : exec_(exec),
        own_(w),
        team_(t),
        first_(t.first.load(std::memory_order_relaxed)),
        width_(t.width.load(std::memory_order_relaxed)) {}

  std::optional<work> take_own() {
    if (auto part = own_.loops.take_head(width_)) return part;
    if (detail::task_node* task = own_.tasks.pop()) return work{task, {}};
    exec_.has_tasks_.clear_if_set(own_.index);
    return std::nullopt;
  }
  std::optional<work> take_centre() {
    std::optional<work> item = team_.centre.take_head(width_);
    if (!item || item->task || item->part.size() <= item->part.grain) return item;
    own_.loops.push_head(*item);
    exec_.wake_one(team_);
    return take_own();
  }
  int next_victim(int victim) const {
    const int last = first_ + width_;
    // A worker that has just been moved may look at a team that is no longer its own.
    if (own_.index < first_ || own_.index >= last) return -1;
    if (victim < 0 || victim > own_.index) {
      const int after = first_set((victim < 0 ? own_.index : victim) + 1, last);
      return after >= 0 ? after : first_set(first_, own_.index);
    }
    return first_set(victim + 1, own_.index);
  }
  bool bisect(int victim) {
    virtual_worker& from = exec_.at(victim);
    if (!from.tasks.empty()) {
      from.tasks.give_half(own_.tasks);
      exec_.has_tasks_.set(own_.index);
    } else if (!from.loops.bisect_into(own_.loops)) {
      exec_.has_tasks_.clear_if_set(victim);
      return false;
    }
    if (next_victim(-1) >= 0) exec_.wake_one(team_);
    return true;
  }

 private:
  int first_set(int from, int to) const {
    const int tasks = exec_.has_tasks_.first_set(from, to);
    const int loops = exec_.has_loops_.first_set(from, tasks < 0 ? to : tasks);
    return loops >= 0 ? loops : tasks;
  }

  virtual_executor& exec_;
  virtual_worker& own_;
  team& team_;
  int first_;
  int width_;
};

virtual_executor::virtual_executor(const machine::machine_spec& machine, int workers, schedule loops)
    : machine_name_(machine.name),
      picoseconds_per_tick_(base::seconds_per_tick() * 1e12 / machine.workers.speed),
      stack_bytes_(stack_bytes_from_environment()),
      loops_(loops),
      has_loops_(workers),
      has_tasks_(workers),
      asleep_(workers),
      whole_(&make_whole(workers)) {
  if (machine.workers.kind != machine::worker_kind::cpu)
    throw error(machine.file +
                ": a machine with accelerator workers cannot be run on yet; expected workers of kind cpu");
  for (int i = 0; i < workers; ++i) workers_.push_back(std::make_unique<virtual_worker>(*this, i));
  for (int i = 0; i < workers; ++i) at(i).in_team.store(whole_, std::memory_order_relaxed);
  for (int i = 1; i < workers; ++i) asleep_.set(i);
  starter_ = std::make_unique<virtual_fiber>(*this, &at(0));
  at(0).running = starter_.get();
  started_here = this;
  since_ = base::ticks();
}

virtual_executor::~virtual_executor() {
  {
    const inside last(*this);
    drive(*starter_, [this] { return events_.empty(); });
  }
  started_here = nullptr;
  const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  fmt::print(stderr, "maslin: {} workers of '{}' would have taken {:.6g} s (it took {:.3g} s to find out)\n", workers(),
             machine_name_, static_cast<double>(now_) * 1e-12, here);
}

virtual_worker* virtual_executor::self() const {
  if (inside_now() && driver_) return current_;
  return starter_of() == this ? &at(0) : nullptr;
}

// Time
// --------------------------------------------------------------------------------------------------------------------

void virtual_executor::account(virtual_worker& w) const {
  const std::uint64_t now = base::ticks();
  w.clock += static_cast<picoseconds>(static_cast<double>(now - since_) * picoseconds_per_tick_);
  since_ = now;
}

void virtual_executor::expect(virtual_worker& w, picoseconds when) noexcept {
  if (w.scheduled) return;
  w.scheduled = true;
  asleep_.clear_if_set(w.index);
  events_.add(std::max(when, w.clock), w.index);
  moved_.notify_all();
}

/// Lets everything happen that happens before the worker's now.
void virtual_executor::sync(virtual_worker& w) {
  if (!events_.empty() && events_.next() < w.clock) {
    if (w.running->is_thread) {
      drive(*w.running, [&] { return events_.empty() || events_.next() >= w.clock; });
    } else {
      expect(w, w.clock);
      leave(*w.running);
    }
    current_ = &w;
  }
  now_ = std::max(now_, w.clock);
}

template <class Done>
void virtual_executor::drive(virtual_fiber& me, Done&& done) {
  virtual_fiber* const before = std::exchange(driver_, &me);
  while (!done()) {
    if (events_.empty()) {
      if (lend_seat(me)) continue;
      driver_ = before;
      moved_.wait(lock_);
      driver_ = &me;
      continue;
    }
    const event next = events_.take();
    now_ = std::max(now_, next.when);
    virtual_worker& w = at(next.worker);
    w.scheduled = false;
    w.clock = std::max(w.clock, next.when);
    go_on(w);
  }
  driver_ = before;
}

/// Nothing happens any more, and a foreign thread waits: while the program's own thread is outside, its worker may do
/// what there is. Gives whether it can.
bool virtual_executor::lend_seat(const virtual_fiber& to) {
  virtual_worker& w = at(0);
  if (&to == starter_.get() || w.running != starter_.get()) return false;
  w.running = nullptr;
  expect(w, now_);
  return true;
}

/// The program's own thread has come back inside.
void virtual_executor::take_seat() {
  virtual_worker& w = at(0);
  if (w.running == starter_.get()) return;
  starter_->awake = false;
  enqueue(*starter_);
  drive(*starter_, [this] { return starter_->awake; });
  current_ = &w;
  since_ = base::ticks();
}

/// The worker's time has come: it goes on with what it ran, or looks for something.
void virtual_executor::go_on(virtual_worker& w) {
  if (!w.running) {
    if (w.first_ready) {
      w.running = w.first_ready;
      w.first_ready = w.running->next_ready;
    } else {
      if (!idle_fibers_) idle_fibers_ = &fibers_.emplace_back(*this, stack_bytes_, loop_body);
      w.running = idle_fibers_;
      idle_fibers_ = idle_fibers_->next_ready;
      w.running->home = &w;
    }
  }
  current_ = &w;
  virtual_fiber& to = *w.running;
  if (to.is_thread) {
    to.awake = true;
    if (&to != driver_) moved_.notify_all();
    return;
  }
  since_ = base::ticks();
  fiber::switch_to(driver_->machine, to.machine, nothing, nullptr);
}

void virtual_executor::leave(virtual_fiber& from) {
  fiber::switch_to(from.machine, driver_->machine, nothing, nullptr);
}

void virtual_fiber::sleep(base::short_lock& held, const awaited_end&) {
  const virtual_executor::inside here(exec, false);
  awake = false;
  held.unlock();
  if (virtual_worker* w = home) {
    w->running = nullptr;
    exec.expect(*w, w->clock);
  }
  if (is_thread)
    exec.drive(*this, [this] { return awake; });
  else
    exec.leave(*this);
  if (home) exec.current_ = home;
}

void virtual_fiber::wake() noexcept {
  const virtual_executor::inside here(exec, false);
  if (!home) {
    awake = true;
    exec.moved_.notify_all();
    return;
  }
  exec.enqueue(*this);
}

/// The fiber may go on at its worker.
void virtual_executor::enqueue(virtual_fiber& f) noexcept {
  virtual_worker& w = *f.home;
  f.next_ready = nullptr;
  if (w.first_ready)
    w.last_ready->next_ready = &f;
  else
    w.first_ready = &f;
  w.last_ready = &f;
  if (!w.running) expect(w, now_);
}

// Work
// --------------------------------------------------------------------------------------------------------------------

void virtual_executor::wake_one(const team& of) noexcept {
  const int first = of.first.load(std::memory_order_relaxed);
  const int i = asleep_.first_set(first, first + of.width.load(std::memory_order_relaxed));
  if (i >= 0) expect(at(i), now_);
}

void virtual_executor::rouse_worker(int worker) {
  if (asleep_.test(worker)) expect(at(worker), now_);
}

std::uint64_t virtual_executor::ticks() const {
  virtual_worker* w = self();
  if (w) account(*w);
  return static_cast<std::uint64_t>(w ? w->clock : now_);
}

int virtual_executor::track() const noexcept {
  const virtual_worker* w = self();
  return w ? w->index : -1;
}

void virtual_executor::loop_body(void* fiber) {
  auto& me = *static_cast<virtual_fiber*>(fiber);
  me.exec.work_loop(me);
}

void virtual_executor::work_loop(virtual_fiber& me) {
  for (;;) {
    virtual_worker& w = *me.home;
    account(w);
    sync(w);
    if (!w.first_ready && turn(w)) continue;
    w.running = nullptr;
    me.next_ready = idle_fibers_;
    idle_fibers_ = &me;
    if (w.first_ready)
      expect(w, w.clock);
    else
      asleep_.set(w.index);
    leave(me);
  }
}

bool virtual_executor::turn(virtual_worker& w) {
  if (detail::task_node* task = urgent_.pop()) return execute(w, {task, {}}), true;
  if (invitation* to = w.invited.take_if([](const invitation&) { return true; })) return answer(*to), true;
  team& t = team_of(&w);
  queues all(*this, w, t);
  if (auto item = place::dbs(all)) return execute(w, *item), true;
  if (t.wants_stream.load(std::memory_order_relaxed) && start_stream(w, false)) return true;
  // Before it sleeps it helps whoever its team stands in the way of, as in exec/threads.
  return start_stream(w, true) || climb(w, t);
}

bool virtual_executor::climb(virtual_worker& w, const team& t) {
  for (team* above = t.parent.load(std::memory_order_relaxed); above;
       above = above->parent.load(std::memory_order_relaxed))
    if (auto item = above->centre.take_head(above->width.load(std::memory_order_relaxed)))
      return execute(w, *item), true;
  return false;
}

void virtual_executor::execute(virtual_worker& w, const work& item) {
  since_ = base::ticks();
  if (item.task) return graph::run(item.task, *this);
  run_blocks(*item.part.loop, item.part.first, item.part.last);
  account(w);
  sync(w);
  item.part.loop->blocks.leave(static_cast<std::uint64_t>(item.part.size()));
}

void virtual_executor::ready(detail::task_node* task) noexcept {
  const inside here(*this);
  virtual_worker* w = self();
  if (task->priority > 0 && urgent_.push(task)) {
  } else if (w) {
    w->tasks.push(task);
    has_tasks_.set(w->index);
  } else {
    whole_->centre.push_tail({task, {}});
  }
  wake_one(team_of(w));
}

waiter* virtual_executor::caller() {
  if (inside_now() && driver_ && current_) return current_->running;
  if (starter_of() == this) return starter_.get();
  thread_local std::unique_ptr<virtual_fiber> mine;
  if (!mine || &mine->exec != this) mine = std::make_unique<virtual_fiber>(*this, nullptr);
  return mine.get();
}

int virtual_executor::width() const {
  if (current_context().in_loop) return 1;
  return team_of(self()).width.load(std::memory_order_relaxed);
}

void virtual_executor::run_blocks(loop_run& run, std::int64_t first, std::int64_t last) {
  scope own(&run.blocks);
  context here(own);
  here.in_loop = true;
  here.in_offload = run.caller.in_offload;
  here.stream = run.caller.stream;
  const entered in(here);
  for (std::int64_t i = first; i < last && i <= run.lowest_thrown.load(std::memory_order_relaxed); ++i) {
    run_to_end(*this, here, own, [&] { run.what.run_block(i); });
    if (own.has_errors()) [[unlikely]]
      run.note_thrown(i, own.take_errors());
  }
}

std::optional<work> virtual_executor::take_share(virtual_worker& w, loop_run& run, bool in_centre) {
  const inside here(*this);
  if (auto own = w.loops.take_of(&run, run.width)) return own;
  if (!in_centre) return std::nullopt;
  std::optional<work> share = whole_->centre.take_of(&run, run.width);
  if (!share || share->part.size() <= share->part.grain) return share;
  w.loops.push_head(*share);
  wake_one(*whole_);
  return w.loops.take_of(&run, run.width);
}

void virtual_executor::run_loop(context& caller, const detail::loop& l) {
  virtual_worker* w = self();
  const std::int64_t blocks = l.blocks();
  const int team_width = team_of(w).width.load(std::memory_order_relaxed);
  if (blocks == 1 || caller.alone || (w && team_width == 1)) return loop_in_place(*this, caller, l);
  const schedule policy = l.policy == schedule::of_the_run ? loops_ : l.policy;
  if (policy != schedule::dbs) return run_baseline(caller, l, policy);
  loop_run run(l, caller, team_width);
  const bool in_centre = !w || caller.is_root;
  {
    const inside here(*this);
    if (in_centre)
      whole_->centre.push_tail({nullptr, {&run, 0, blocks}});
    else
      w->loops.push_head({nullptr, {&run, 0, blocks}});
    wake_one(team_of(w));
  }
  std::int64_t done = 0;
  if (w)
    while (auto share = take_share(*w, run, in_centre)) {
      run_blocks(run, share->part.first, share->part.last);
      done += share->part.size();
    }
  if (done > 0) run.blocks.leave(static_cast<std::uint64_t>(done));
  suspend_until(*this, run.blocks);
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void virtual_executor::run_baseline(context& caller, const detail::loop& l, schedule policy) {
  virtual_worker* w = self();
  const team& t = team_of(w);
  const int first = t.first.load(std::memory_order_relaxed);
  const int team_width = t.width.load(std::memory_order_relaxed);
  const bool takes_part = w && w->index >= first && w->index < first + team_width;
  loop_queues own(policy, l.blocks(), team_width);
  std::vector<invitation> all(static_cast<std::size_t>(team_width));
  loop_run run(l, caller, team_width, &own);
  {
    const inside here(*this);
    for (int i = 0; i < team_width; ++i) {
      all[static_cast<std::size_t>(i)] = {&run, i, nullptr};
      virtual_worker& guest = at(first + i);
      if (&guest == w && takes_part) continue;
      guest.invited.add(all[static_cast<std::size_t>(i)]);
      rouse_worker(guest.index);
    }
  }
  if (takes_part) {
    answer(all[static_cast<std::size_t>(w->index - first)]);
    if (policy != schedule::static_)
      for (int i = 0; i < team_width; ++i)
        if (at(first + i).invited.take_if([&](const invitation& one) { return one.loop == &run; })) run.blocks.leave();
  }
  suspend_until(*this, run.blocks);
  if (run.blocks.has_errors()) rethrow_first(run.blocks.take_errors());
}

void virtual_executor::answer(const invitation& to) {
  loop_run& run = *to.loop;
  for (;;) {
    std::optional<loop_policy::part> part;
    {
      const inside here(*this);
      part = run.own->next(to.worker);
    }
    if (!part) break;
    run_blocks(run, part->first, part->last);
  }
  run.blocks.leave();
}

// Phases
// -------------------------------------------------------------------------------------------------------------------

/// The stream comes to an off-load (or a phase) in a configuration that it has not seen yet: it goes on if it stands in
/// its place, and is suspended until a place is free otherwise.
void virtual_executor::take_place(stream_run& s) {
  const inside here(*this);
  virtual_worker& w = *self();
  if (s.phase.stays(s, w.index)) return;
  virtual_fiber& me = *w.running;
  s.fiber = &me;
  w.running = nullptr;
  expect(w, w.clock);
  leave(me);
}

void virtual_executor::run_phase(context& here, const detail::phase& p) {
  auto* outer = static_cast<stream_run*>(here.stream);
  if (here.owns_stream && outer->phase.stale(*outer)) take_place(*outer);
  if (here.in_loop || here.alone || p.streams <= 0) return phase_in_place(*this, here, p);
  std::optional<inside> held(std::in_place, *this);
  team* t = outer ? outer->phase.team_of(*outer) : whole_;
  if (!t || !phase_run::has_room(*t)) {
    held.reset();
    return phase_in_place(*this, here, p);
  }
  phase_run run(*this, p, *t, *here.children);
  if (outer) outer->phase.hold_still(true);
  run.begin();
  held.reset();
  suspend_until(*this, run.streams());
  if (outer) {
    const inside again(*this);
    outer->phase.hold_still(false);
  }
  if (run.streams().has_errors()) rethrow_first(run.streams().take_errors());
}

bool virtual_executor::start_stream(virtual_worker& w, bool before_parking) {
  team& t = team_of(&w);
  if (!t.runs || t.first.load(std::memory_order_relaxed) != w.index) return false;
  phase_run& phase = *t.runs;
  std::optional<std::int64_t> begun;
  if (stream_run* resumed = phase.next_stream(w.index, before_parking, begun)) {
    virtual_fiber& me = *w.running;
    me.next_ready = idle_fibers_;
    idle_fibers_ = &me;
    w.running = static_cast<virtual_fiber*>(resumed->fiber);
    w.running->home = &w;
    expect(w, w.clock);
    leave(me);
    return true;
  }
  if (!begun) return false;
  stream_run s{phase, *begun};
  phase.started(s, w.index);
  scope own(&phase.streams());
  context here(own);
  here.stream = &s;
  here.owns_stream = true;
  since_ = base::ticks();
  error_list errors = run_enclosed(*this, here, own, [&] { phase.what().run(phase.what().env, s.index); });
  if (!errors.empty()) phase.streams().add_errors(static_cast<std::uint64_t>(s.index), std::move(errors));
  const inside end(*this);
  if (phase.finished(s)) phase.end();
  phase.streams().leave();  // the last one's end is the phase's, which may be gone after this
  return true;
}

void virtual_executor::run_offload(context& here, std::uint32_t kernel, void (*call)(void*), void* env) {
  auto* s = static_cast<stream_run*>(here.stream);
  if (here.in_offload) return call(env);
  if (s && here.owns_stream && s->phase.stale(*s)) take_place(*s);
  virtual_worker* w = self();
  const int team_width = here.in_loop || !w ? 1 : team_of(w).width.load(std::memory_order_relaxed);
  const int width = s && !grain::worth_sharing(s->phase.mean_seconds(kernel), team_width, 0) ? 1 : team_width;
  struct marks {
    context& c;
    const bool alone;
    marks(context& of, bool now_alone) : c(of), alone(of.alone) {
      c.in_offload = true;
      c.alone = now_alone;
    }
    ~marks() {
      c.in_offload = false;
      c.alone = alone;
    }
  };
  const std::uint64_t begin = s ? ticks() : 0;
  {
    const marks during(here, here.alone || width == 1);
    call(env);
  }
  if (!s) return;
  const std::uint64_t end = ticks();
  s->phase.count(track(), kernel, width, end - begin);
  if (!here.owns_stream || !s->phase.due(end)) return;
  const inside look(*this);
  s->phase.tick();
}

std::unique_ptr<executor> make_virtual(const machine::machine_spec& machine, int workers, schedule loops) {
  return std::make_unique<virtual_executor>(machine, workers, loops);
}

}  // namespace maslin
