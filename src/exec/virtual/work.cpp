#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exec/core/step.hpp"
#include "exec/execute.hpp"
#include "exec/in_place.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/virtual/monitor_guard.hpp"

namespace maslin {

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

void task_stack::take(const detail::task_node* task) {
  tasks_.erase(std::find(tasks_.begin() + static_cast<std::ptrdiff_t>(first_), tasks_.end(), task));
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

void virtual_executor::looks_at(virtual_worker& own, const virtual_worker& at) noexcept {
  if (times_.steal > 0) own.clock = later(own.clock, later(times_.steal, between(own, at)));
}

bool virtual_executor::steal_tasks(virtual_worker& own, virtual_worker& from) {
  if (from.tasks.empty()) return false;
  from.tasks.give_half(own.tasks);
  if (stores_) stores_->robbed(from);
  return true;
}

virtual_fiber* virtual_worker::choose() {
  if (has_ready() && !ends && apart.empty()) {
    running = first_ready;
    first_ready = running->next;
  } else {
    running = &exec.take_fiber(exec.idle_fibers_, virtual_executor::loop_body);
    running->home = this;
  }
  return running;
}

void virtual_worker::enqueue(virtual_fiber& f, picoseconds when) {
  f.goes_on_at = when;
  if (first_ready && last_ready->goes_on_at <= when) {
    f.next = nullptr;
    last_ready = last_ready->next = &f;
  } else {
    virtual_fiber** at = &first_ready;
    while (*at && (*at)->goes_on_at <= when) at = &(*at)->next;
    f.next = *at;
    *at = &f;
    if (!f.next) last_ready = &f;
  }
  if (!running) exec.expect(*this, when);
}

void virtual_executor::wake_one(team::span of) noexcept {
  const auto [first, width] = of;
  const int i = asleep_.first_set(first, first + width);
  if (i >= 0) signal(at(i));
}

void virtual_executor::notify_worker(int worker) {
  if (asleep_.test(worker)) signal(at(worker));
}

/// Whoever calls sends a signal to the processor, which looks around when it arrives.
void virtual_executor::signal(processor& to) noexcept { expect(to, signalled(to)); }

/// Gives when a signal of the calling code arrives there; sending takes the caller as long.
picoseconds virtual_executor::signalled(const processor& to) noexcept {
  processor* from = here();
  if (!from) return later(now_, times_.signal);
  if (from == &to || from->index == links_number()) return from->clock;
  const bool is_between_hosts = from->index >= workers() && to.index >= workers();
  const picoseconds idle = from->clock - to.clock;
  from->clock = later(from->clock, later(is_between_hosts ? 0 : times_.signal, between(*from, to)));
  // Who sends it does not wait for one that sleeps.
  return later(from->clock, to.running || idle <= times_.spin ? 0 : times_.wake);
}

/// Gives what a signal takes longer because of where the two are: it crosses a link.
picoseconds virtual_executor::between(const processor& one, const processor& other) const {
  const auto node_of = [this](const processor& p) {
    return p.index < workers() ? times_.node_of_worker(p.index) : times_.node_of_host(p.index - workers());
  };
  if (node_of(one) != node_of(other)) return times_.between_nodes;
  if (one.index >= workers() || other.index >= workers()) return 0;
  return one.index / times_.group != other.index / times_.group ? times_.between_groups : 0;
}

void virtual_executor::loop_body(void* fiber) {
  auto& me = *static_cast<virtual_fiber*>(fiber);
  me.exec.work_loop(me);
}

void virtual_executor::work_loop(virtual_fiber& me) {
  for (;;) {
    auto& w = *static_cast<virtual_worker*>(me.home);
    calling_thread::code_stops();
    if (w.ends) end(w);
    sync(w);
    if (begin_rank(w)) {
      if (w.ends) rest(me);
      continue;
    }
    detail::task_node* next = std::exchange(w.goes_on_with, nullptr);
    bool is_fetched = false;  // its data are, and it goes on with that
    if (stores_ && stores_->has_next(w) && !w.has_ready()) {
      detail::task_node* const fetched = stores_->take_next(w);
      is_fetched = true;
      if (next) ready(next);
      next = fetched;
    }
    // Fibers that may go on here come before more of this, and so do urgent tasks.
    bool found = next && (is_fetched || (!w.has_ready() && !urgent_.come_first()));
    if (found)
      run_tasks(w, next);
    else if (next)
      ready(next);
    if (!found && !w.has_ready()) {
      // Before it sleeps it helps whoever its team stands in the way of.
      team& t = team_of(&w);
      found = core::step(*this, w, t) || core::take_from_whole_team(*this, w, t);
    }
    if (!found || static_cast<virtual_worker*>(me.home)->ends) rest(me);
  }
}

/// Runs the first of the worker's ranks that have not begun; false where there is none.
bool virtual_executor::begin_rank(virtual_worker& w) {
  if (w.apart.empty()) return false;
  // The rank's end may make something ready, too, and be a long time off.
  if (detail::task_node* const next = std::exchange(w.goes_on_with, nullptr)) ready(next);
  detail::task_node* const first = w.apart.front();
  w.apart.pop_front();
  run_tasks(w, first);
  return true;
}

/// A worker's fiber has nothing to do now: its worker goes on when there is something.
void virtual_executor::rest(virtual_fiber& me) {
  auto& now = *static_cast<virtual_worker*>(me.home);  // a stream may have taken this fiber to another worker
  now.running = nullptr;
  set_idle(idle_fibers_, me);
  if (now.ends)
    expect(now, now.clock);
  else if (now.first_ready)
    expect(now, now.first_ready->goes_on_at);
  else if (now.expected == 0)
    asleep_.set(now.index);
  leave(me);
}

void virtual_executor::run_tasks(virtual_worker& w, detail::task_node* task) {
  w.clock = later(w.clock, times_.task);
  if (stores_) stores_->stage_in(w, *task);
  calling_thread::code_begins();
  execute_traced(w.index, *this, task, *this);
  ends(w, {task, {}});
}

/// The worker has run that.
void virtual_executor::ends(virtual_worker& w, const work& item) {
  calling_thread::code_stops();
  await_moved(w);
  w.ends = item;
  if (is_past(w.clock)) end(w);
}

/// What the worker has run is done now, and others may know of it.
void virtual_executor::end(virtual_worker& w) {
  const work item = *std::exchange(w.ends, std::nullopt);
  if (item.task) {
    if (stores_ && !stores_->stage_out(w, *item.task)) return;
    core::first_ready next(*this);
    graph::complete(item.task, next);
    w.goes_on_with = next.first;
    return;
  }
  item.part.loop->blocks.leave(static_cast<std::uint64_t>(item.part.size()));
}

/// The copy engine of the worker, which may be in the middle of something else, says now that a task of that one's is
/// done: the worker runs what that makes ready, unless others do before.
void virtual_executor::complete_at(virtual_worker& w, detail::task_node* task) noexcept {
  struct keeps final : graph::ready_sink {
    void ready(detail::task_node* made) noexcept override { all.push_back(made); }
    std::vector<detail::task_node*> all;
  } made;
  processor* const before = std::exchange(current_, &w);
  const picoseconds clock = std::exchange(w.clock, now_);
  graph::complete(task, made);
  // The first one is the newest, as where a worker goes on with it.
  std::ranges::reverse(made.all);
  for (detail::task_node* const one : made.all) {
    if ((one->priority <= 0 && !urgent_.holds_all()) || !urgent_.push(one)) {
      w.tasks.push(one);
      has_tasks_.set(w.index);
    }
    if (asleep_.test(w.index))
      expect(w, now_);
    else
      wake_one(team_of(&w).workers());
  }
  w.clock = clock;
  current_ = before;
}

/// Gives the task that the worker is going to run behind those that are known, if it has the choice: that stands in its
/// queue now. Null where there is none, where loops or kernels come before it, where another one has nothing to do, and
/// under chains, where that depends on what the one before it makes ready.
detail::task_node* virtual_executor::expected_next(virtual_worker& w,
                                                   const std::function<bool(const detail::task_node*)>& is_known) {
  if (!w.queue.empty() || !w.kernels.empty() || urgent_.follows_chains()) return nullptr;
  team& t = team_of(&w);
  const auto [first, width] = t.workers();
  if (asleep_.first_set(first, first + width) >= 0) return nullptr;
  detail::task_node* task = urgent_.any() ? urgent_.pop() : nullptr;
  if (!task && !w.tasks.newest_but(is_known)) {
    bool is_head = true;
    const auto item = t.centre.take_if([&](const work& one) { return std::exchange(is_head, false) && one.task; });
    if (item) task = item->task;
  }
  if (task) {
    w.tasks.push(task);
    has_tasks_.set(w.index);
  }
  return w.tasks.newest_but(is_known);
}

void virtual_executor::call_in_store(detail::task_node& task) { stores_->call(task); }

void virtual_executor::ready(detail::task_node* task) noexcept {
  core::ready(*this, task);
  const monitor_guard told(*this);  // what the caller does next it does after the signal
}

bool virtual_executor::start_apart(detail::task_node* task, int index, int count) {
  const monitor_guard calling(*this);
  virtual_worker& w = at(worker_apart(index, count));
  w.apart.push_back(task);
  if (asleep_.test(w.index)) signal(w);
  return true;
}

int virtual_executor::worker_apart(int index, int count) const {
  const auto [first, width] = calling_team(current_context()).workers();
  return first + (count <= width ? index : static_cast<int>(std::int64_t{index} * width / count));
}

void virtual_executor::enqueue_in_centre(detail::task_node* task) noexcept {
  whole_->centre.push_tail({task, {}});  // that of a stream's team may be gone tomorrow
  wake_one(calling_team(current_context()).workers());
}

bool virtual_executor::has_stack_room() const noexcept {
  const processor* const p = here();
  const virtual_fiber* const f = p ? p->running : nullptr;  // none runs there while the starter is outside
  if (!f || f->is_thread) return current_context().is_root;
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) > f->half();
}

void virtual_executor::run_forks(void (*call)(void*), void* env, location where) {
  const bool is_full = forks_of_thread()->has_room();  // of the stack that its list is for
  if (is_full || !is_known_here()) return run_as_task(*this, call, env, where);
  { const monitor_guard back(*this, false); }  // the starter's processor may do something else meanwhile
  static constexpr detail::requests at_every_fork{true, true};
  detail::fork_list list{.asked = &at_every_fork};
  const virtual_fiber& f = *here()->running;
  // What is left of a thread's stack is not known.
  constexpr std::uintptr_t of_a_thread = 256 * 1024;
  list.low = f.is_thread ? reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - of_a_thread : f.half();
  const forks_kept in(list);
  call(env);
}

/// The same durations promote the same forks.
void virtual_executor::give_branch(detail::fork_list& list) noexcept {
  if (times_code()) current_context();  // the first branch has one now, so that its end is noticed
  const monitor_guard calling(*this);
  if (virtual_worker* w = self()) core::give_branch(*this, *w, list);
}

bool virtual_executor::may_give(const virtual_worker& w) const noexcept {
  const auto [first, width] = team_of(&w).workers();
  return asleep_.first_set(first, first + width) >= 0;
}

int virtual_executor::width() const {
  const context& c = current_context();
  return c.in_loop || !(c.is_root || c.owns_stream) ? 1 : calling_team(c).width();
}

}  // namespace maslin
