#include "archetype.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "blocks.hpp"
#include "exec/core/step.hpp"
#include "exec/core/streams.hpp"
#include "exec/execute.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "task/context.hpp"

namespace maslin {

static_assert(core::machine<archetype>);

namespace {

os_waiter* calling_outsider = nullptr;  // the explorer keeps one for each thread

constexpr detail::requests at_every_fork{true, true};

/// Stacks of fibers, used again in the next execution.
constexpr std::size_t stack_bytes = std::size_t{1} << 16;
std::vector<std::unique_ptr<char[]>> all_stacks;
std::size_t taken_stacks = 0;

fiber_stack take_stack() {
  if (taken_stacks == all_stacks.size()) all_stacks.emplace_back(new char[stack_bytes]);
  return {all_stacks[taken_stacks++].get(), stack_bytes};
}

template <class Lock>
void unlock(void* lock) MASLIN_UNCHECKED {
  static_cast<Lock*>(lock)->unlock();
}
void nothing(void*) {}

}  // namespace

constinit std::atomic<executor*> running_executor{nullptr};
namespace detail {
void run_loop(const loop& l) { the_executor().run_loop(current_context(), l); }
}  // namespace detail
executor& start_by_call() { std::abort(); }

loop_fiber::loop_fiber() {
  forks.asked = &at_every_fork;
  forks.low = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - stack_bytes / 2;
}
loop_fiber::loop_fiber(archetype& exec, const fiber_stack& on)
    : machine(
          on, [](void* e) { static_cast<archetype*>(e)->work_loop(); }, &exec) {
  forks.asked = &at_every_fork;
  forks.low = reinterpret_cast<std::uintptr_t>(on.bottom) + on.bytes / 2;
  machine.keep_forks_in(forks);
}

void loop_fiber::sleep(base::short_lock& held, const awaited_end&) {
  archetype_worker& w = *static_cast<archetype&>(the_executor()).calling_worker();
  home = &w;
  w.exec.leave_fiber(w, unlock<base::short_lock>, &held);
}
void loop_fiber::wake() noexcept {
  archetype_worker& w = *home;
  next_ready = w.inbox.load();
  while (!w.inbox.compare_exchange_weak(next_ready, this)) {
  }
  w.exec.asleep_.notify(w.index);
}

archetype_worker::archetype_worker(archetype& e, int number) : exec(e), index(number), in_team(&e.whole()) {}
void archetype_worker::nonempty(bool holds_work) {
  if (holds_work)
    exec.has_loops_.set(index);
  else
    exec.has_loops_.clear(index);
}

archetype::archetype(int workers, mistake seeded, placement policy)
    : mistake_(seeded),
      has_loops_(workers),
      has_tasks_(workers),
      asleep_(workers),
      urgent_(policy),
      whole_(&make_whole(workers)) {
  for (int i = 0; i < workers; ++i) workers_.push_back(std::make_unique<archetype_worker>(*this, i));
  running_executor.store(this);
}
archetype::~archetype() {
  running_executor.store(nullptr);
  taken_stacks = 0;
}

std::vector<std::span<std::byte>> archetype::thread_locals() {
  return {std::as_writable_bytes(std::span(&detail::address_of_thread_state(), 1)),
          std::as_writable_bytes(std::span(&calling_outsider, 1))};
}

void archetype::work(int worker, const std::function<void()>& first) {
  archetype_worker& w = at(worker);
  w.running = &w.own_stack.emplace();
  detail::thread_state& here = detail::address_of_thread_state();
  here.worker = &w;
  here.forks = &w.running->forks;
  if (first) {
    scope own(nullptr);
    context in(own);
    (void)run_enclosed(*this, in, own, first);
  }
  work_loop();
}

void archetype::from_outside(const std::function<void()>& body) {
  calling_outsider = &outsiders_.emplace_back();
  scope own(nullptr);
  context in(own);
  in.is_root = true;
  (void)run_enclosed(*this, in, own, body);
}

// A worker -------------------------------------------------------------------------------------------------------

void archetype::work_loop() {
  for (;;) {
    archetype_worker& w = *calling_worker();  // each time: a stream may have brought this fiber to another
    if (loop_fiber* next = take_ready(w)) {
      begins_other_work(w);
      replace_fiber(w, *next);
      continue;
    }
    team& t = *w.in_team.load();
    if (!core::step(*this, w, t)) idle(w, t);
  }
}

bool archetype::anything_for(archetype_worker& w, team& t) {
  const bool has_moved = mistake_ != stays_in_its_team && w.in_team.load() != &t;
  const bool resumes = mistake_ != forgets_suspended_streams && may_resume(t, w.index);
  return w.inbox.load() || has_moved || resumes || wants_stream(w, t) || urgent_.any() || w.invited.any_to_take() ||
         core::team_queues<archetype>(*this, w, t).any() || !whole_->centre.empty();
}

void archetype::idle(archetype_worker& w, team& t) {
  if (mistake_ != forgets_suspended_streams && start_stream(w, true)) return;
  if (mistake_ != does_not_take_from_whole_team && core::take_from_whole_team(*this, w, t)) return;
  if (mistake_ == drops_invitations) (void)w.invited.take();
  const bool needed_before = mistake_ == looks_before_it_sleeps && anything_for(w, t);
  asleep_.prepare_to_sleep(w.index);
  const bool needed = mistake_ == looks_before_it_sleeps ? needed_before : anything_for(w, t);
  if (!needed) asleep_.park(w.index);
  w.was_woken = asleep_.finish_sleep(w.index);
}

void archetype::begins_other_work(archetype_worker& w) {
  if (!std::exchange(w.was_woken, false) || mistake_ == keeps_wake_ups) return;
  team& t = *w.in_team.load();
  if (urgent_.any() || core::team_queues<archetype>(*this, w, t).any()) wake_one(t.workers());
  if (&t != whole_ && !whole_->centre.empty()) wake_one(whole_->workers());
}

loop_fiber* archetype::take_ready(archetype_worker& w) {
  if (!w.inbox.load()) return nullptr;
  loop_fiber* first = w.inbox.load();
  while (!w.inbox.compare_exchange_weak(first, first->next_ready)) {
  }
  return first;
}

void archetype::switch_to(archetype_worker& w, loop_fiber& next, void (*after)(void*), void* argument) {
  loop_fiber& me = *std::exchange(w.running, &next);
  fiber::switch_to(me.machine, next.machine, after, argument);
}

void archetype::leave_fiber(archetype_worker& w, void (*after)(void*), void* argument) {
  loop_fiber* next = take_ready(w);
  if (!next && !w.idle.empty()) {
    next = w.idle.back();
    w.idle.pop_back();
  }
  if (!next) next = &fibers_.emplace_back(*this, take_stack());
  switch_to(w, *next, after, argument);
}

void archetype::replace_fiber(archetype_worker& w, loop_fiber& next) {
  w.idle.push_back(w.running);
  switch_to(w, next, nothing, nullptr);
}

bool archetype::steal_tasks(archetype_worker& own, archetype_worker& from) {
  detail::task_node* tasks[4];
  const std::uint32_t count = from.tasks.steal_half(tasks, 4);
  if (count == 0) return false;
  if (std::find(tasks, tasks + count, nullptr) != tasks + count)
    return explorer::fail("a thief got an empty slot"), false;
  std::reverse(tasks, tasks + count);
  if (!own.tasks.push_all(tasks, count))
    for (std::uint32_t i = 0; i < count; ++i) ready(tasks[i]);
  return true;
}

// Tasks ----------------------------------------------------------------------------------------------------------

void archetype::ready(detail::task_node* task) noexcept { core::ready(*this, task); }

void archetype::enqueue_in_centre(detail::task_node* task) noexcept {
  whole_->centre.push_tail({task, {}});
  wake_one(whole_->workers());
}

void archetype::run_tasks(archetype_worker&, detail::task_node* task) {
  if (!taken_blocks().contains(task)) return explorer::fail("a task was run after its end");
  run_task(*this, task, *this);
}

void archetype::run_members(scope& s, std::int64_t rest, std::uint64_t) {
  while (archetype_worker* w = s.in_flight() > rest ? calling_worker() : nullptr) {
    detail::task_node* task = w->tasks.pop();
    if (!task) return;
    if (task->in != &s) return ready(task);
    run_tasks(*w, task);
  }
}

waiter* archetype::caller() {
  archetype_worker* w = calling_worker();
  if (!w) return calling_outsider;
  promote_all(*this);
  return w->running;
}

void archetype::run_forks(void (*call)(void*), void* env, location where) { run_as_task(*this, call, env, where); }
void archetype::give_branch(detail::fork_list& list) noexcept { core::give_branch(*this, *calling_worker(), list); }
bool archetype::may_give(const archetype_worker& w) const {
  const auto [first, width] = w.in_team.load()->workers();
  return asleep_.any_sleeps(first, first + width);
}

// Loops ----------------------------------------------------------------------------------------------------------

namespace {
struct block_by_block {
  static std::int64_t end_of_piece(std::int64_t next) { return next + 1; }
  static void ran(const context&) noexcept {}
  static bool stops(std::int64_t) { return false; }
};
struct until_changed : block_by_block {
  archetype& exec;
  archetype_worker& w;
  const context& caller;
  bool stops(std::int64_t) const { return core::team_has_changed(exec, w, caller); }
};
}  // namespace

void archetype::run_loop(context& caller, const detail::loop& l) { core::run_loop(*this, caller, l); }
void archetype::share_loop(context& caller, const detail::loop& l) {
  if (caller.alone) return loop_in_place(*this, caller, l);
  core::share_loop(*this, schedule::dbs, caller, l);
}
void archetype::run_blocks(archetype_worker* w, loop_run& run, std::int64_t first, std::int64_t last) {
  core::run_blocks(*this, w, run, first, last, block_by_block());
}
loop_part archetype::run_until_changed(archetype_worker& w, loop_run& run, std::int64_t first) {
  const std::int64_t blocks = run.what.blocks();
  return {&run, core::run_blocks(*this, &w, run, first, blocks, until_changed{{}, *this, w, run.caller}), blocks};
}
std::int64_t archetype::run_share(archetype_worker* w, const loop_part& part) {
  run_blocks(w, *part.loop, part.first, part.last);
  return part.size();
}
void archetype::run_part(archetype_worker* w, const loop_part& part) {
  part.loop->blocks.leave(static_cast<std::uint64_t>(run_share(w, part)));
}

// Streams --------------------------------------------------------------------------------------------------------

void archetype::run_phase(context& caller, const detail::phase& p) { core::run_phase(*this, caller, p); }
void archetype::run_offload(context& caller, std::uint32_t kernel, void (*call)(void*), void* env) {
  core::run_offload(*this, caller, kernel, call, env);
}

bool archetype::start_stream(archetype_worker& w, bool before_parking) {
  if (w.in_team.load()->first() != w.index) return false;
  grain_guard held(*this);
  const std::optional<core::next_stream> next = core::find_stream(*w.in_team.load(), w.index, before_parking);
  if (!next) return false;
  if (next->suspended) {
    held.unlock();
    replace_fiber(w, static_cast<loop_fiber&>(*next->suspended->fiber));
    return true;
  }
  stream_run s{*next->phase, next->index};
  s.phase.started(s, w.index);
  held.unlock();
  core::run_stream(*this, s);
  return true;
}

void archetype::come_to_offload(const context&, stream_run& s) MASLIN_UNCHECKED {
  if (!s.phase.stale(s)) return;
  archetype_worker& w = *calling_worker();
  grain_lock_.lock();
  if (s.phase.stays(s, w.index)) return grain_lock_.unlock();
  s.fiber = w.running;
  leave_fiber(w, unlock<core::grain_lock>,
              &grain_lock_);  // who resumes it takes the lock first, so not before this stack is left
}

}  // namespace maslin
