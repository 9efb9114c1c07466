#include "exec/threads/threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "base/cache_path.hpp"
#include "base/chance.hpp"
#include "base/processor.hpp"
#include "base/settings.hpp"
#include "base/start_thread.hpp"
#include "exec/core/small_tasks.hpp"
#include "exec/core/step.hpp"
#include "exec/execute.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/threads/calls.hpp"
#include "exec/threads/foreign_waiter.hpp"
#include "machine/budget.hpp"
#include "maslin/error.hpp"
#include "sched/grain/edtlp.hpp"
#include "trace/recorder.hpp"

namespace maslin {

static_assert(core::machine<threads_executor>);

using queues = core::team_queues<threads_executor>;
static_assert(place::queues<queues>);

bool threads_executor::steal_tasks(worker& own, worker& from) {
  constexpr std::uint32_t most = 256;
  detail::task_node* tasks[most];
  const std::uint32_t count = from.tasks.steal_half(tasks, most);
  if (count == 0) return false;
  // The oldest becomes the head: work goes on in the order in which it was created.
  std::reverse(tasks, tasks + count);
  if (!own.tasks.push_all(tasks, count))
    for (std::uint32_t i = 0; i < count; ++i) ready(tasks[i]);
  return true;
}

void threads_executor::stole(const worker& own, worker& from) noexcept {
  trace::record(own.index, trace::event_kind::steal, 0, static_cast<std::uint64_t>(from.index));
  branches_.ask_again(from);
}

worker::worker(threads_executor& e, int number) : exec(e), index(number), in_team(&e.whole()) {}

void worker::nonempty(bool holds_work) {
  if (holds_work)
    exec.has_loops().set(index);
  else
    exec.has_loops().clear(index);
}

threads_executor::threads_executor(int workers, run_policies policies, std::unique_ptr<node::membership> as)
    : loops_(policies.loops),
      // Those that are active have a CPU each where the node is shared.
      spin_(wait_policy(), as ? as->here().held() == 0 : workers == 1 || machine::oversubscribed(workers)),
      sets_aside_(policies.set_aside > 0),
      learns_waits_(wait_policy() == grain::wait_policy::automatic),
      heartbeat_ticks_(static_cast<std::uint64_t>(heartbeat_seconds / base::seconds_per_tick())),
      sharing_(as ? std::make_unique<sharing>(*this, std::move(as)) : nullptr),
      has_loops_(workers),
      has_tasks_(workers),
      asleep_(workers),
      urgent_(policies.place),
      whole_(&make_whole(workers)),
      libraries_(*this, workers),
      fibers_(
          *base::number_of("MASLIN_STACK"), [](void* e) { static_cast<threads_executor*>(e)->work_loop(); }, this),
      watchdog_(*this) {
  if (!learns_waits_) whole_->waits.store(wait_policy(), std::memory_order_relaxed);
  if (sharing_) {
    whole_->grows = true;
    whole_->set_workers({0, sharing_->at_start()});
  }
  if (policies.place == placement::automatic) {
    std::string file = learned_file(base::cache_path("learned"));
    if (!file.empty()) file += ".place";
    place_choice_ = std::make_unique<place_choice>(workers, std::move(file));
    if (place_choice_->has_chosen_dbs()) place_choice_.reset();
  }
  const bool near = place_choice_ || policies.place == placement::locality;
  for (int i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<worker>(*this, i));
    if (near) at(i).tasks.keep_near(workers, place_choice_.get());
    if (policies.set_aside > 0) at(i).tasks.keep_aside(policies.set_aside);
    // From now on a worker always has a fiber for its loop: the one it runs, or one that is idle.
    if (!has_spare_fiber(at(i))) throw std::bad_alloc();
  }
  worker& first = at(0);
  first.own_stack.emplace();
  first.runs(*first.own_stack);
  worker_0_.mark_starter();
  worker_0_.detach();
  libraries_.look();
  trace::record(0, trace::event_kind::worker_start);
  try {
    const int at_start = sharing_ ? sharing_->at_start() : workers;
    for (int i = 1; i < at_start; ++i) start_thread(at(i));
    if (sharing_) sharing_->begin();
    watchdog_.begin();
  } catch (const std::system_error& e) {
    end();
    throw error("cannot start " + std::to_string(workers) + " workers: the system gave no more threads (" + e.what() +
                "); ask for fewer with MASLIN_WORKERS");
  } catch (...) {
    end();
    throw;
  }
}

bool threads_executor::start_worker(worker& w) noexcept try {
  if (w.index == 0 || w.thread.joinable()) return true;
  w.mask_seen = 0;
  w.mask.assign(1, false);  // unknown: a thread begins with that of whoever starts it
  start_thread(w);
  return true;
} catch (const std::exception&) {
  return false;
}

void threads_executor::lend() {
  if (sharing_ && worker_0_.is_starter() && !self()) sharing_->lend();
}
void threads_executor::reclaim() {
  if (sharing_ && worker_0_.is_starter() && !self()) sharing_->reclaim();
}

void threads_executor::end() noexcept {
  if (sharing_) sharing_->end();
  stopping_.store(true, std::memory_order_seq_cst);
  grain_lock_.lock();  // no worker is started after this
  grain_lock_.unlock();
  int leaving = 0;
  for (auto& w : workers_) leaving += w->thread.joinable() ? 1 : 0;
  // Worker 0 takes part in what is left until nothing is: the caller, or the substitute.
  const bool returns = worker_0_.returns_to_the_end();
  if (returns || worker_0_.is_replaced_to_the_end()) ++leaving;
  departure_.begin(leaving);
  wake_all();
  if (returns) {
    enter_loop(at(0));
    worker_0_.detach();
  }
  worker_0_.forget_starter();
  for (auto& w : workers_)
    if (w->thread.joinable()) w->thread.join();
  worker_0_.join_substitute();
  trace::record(0, trace::event_kind::worker_stop);
  watchdog_.end();
  if (place_choice_) {
    for (auto& w : workers_) w->tasks.near().hand_in();
    place_choice_->end();
  }
  libraries_.forget();
  end_learning();
  if (sharing_) sharing_->leave();
}

void threads_executor::start_thread(worker& w) {
  const auto begin = [&w] {
    (void)current_context();  // makes the thread's root context: `exit` on this thread is noticed by its end
    w.own_stack.emplace();
  };
  w.thread = base::start_thread(begin, [this, &w] { thread_body(w); });
}

void threads_executor::thread_body(worker& w) {
  set_self(&w);
  w.thread_number.store(gettid(), std::memory_order_relaxed);
  w.runs(*w.own_stack);
  trace::record(w.index, trace::event_kind::worker_start);
  enter_loop(w);
  trace::record(w.index, trace::event_kind::worker_stop);
  set_self(nullptr);
}

void threads_executor::work_loop() {
  for (;;) {
    worker& w =
        *self();  // asked each time: a stream that ran on top of this loop may have brought it to another thread
    if (w.running->starts_with) [[unlikely]] {
      ++w.suspended;  // `take_ready` took it for one that had been suspended here
      run_tasks(w, std::exchange(w.running->starts_with, nullptr));
      continue;
    }
    if (std::exchange(w.steps_first, false)) [[unlikely]] {
      if (!core::step(*this, w, *w.in_team.load(std::memory_order_acquire))) std::this_thread::yield();
      continue;
    }
    task_fiber* next = take_ready(w);
    if (!next) {
      step(w);
      continue;
    }
    pass_wake_up_on(w);
    replace_fiber(w, *next);
  }
}

void threads_executor::step(worker& w) {
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (sharing_ && !sharing_->goes_on(w)) return stand_aside(w, t);
  if (!core::step(*this, w, t)) idle(w, t);
}

bool threads_executor::start_apart(detail::task_node* task, int index, int count) {
  const starting_thread::visit visit(*this);
  idle_fibers one;
  if (!fibers_.refill(one, 1)) return false;
  task_fiber& its = one.pop();
  const team::span among = team_of(self()).workers();
  worker& w = at(among.first + static_cast<int>(std::int64_t{index} * among.width / count));
  its.starts_with = task;
  its.home = &w;
  its.wake();
  if (w.index == 0 && self() != &w) worker_0_.want_substitute();
  return true;
}

/// Under locality: the worker has made a task ready, or none, and goes on with its bundle. Null where it has something
/// else to do first.
detail::task_node* threads_executor::next_of_bundle(worker& w, detail::task_node* made_ready) noexcept {
  const bool has_other_work = w.ready || w.inbox.load(std::memory_order_relaxed) || urgent_.any() || !w.queue.empty() ||
                              !w.invited.empty() || !w.tasks.others().empty();
  if (!has_other_work) return w.tasks.pop_near(made_ready);
  if (made_ready) ready(made_ready);
  return nullptr;
}

/// Runs a task, then what it made ready, and so on.
void threads_executor::run_tasks(worker& w, detail::task_node* task) {
  if (!w.tasks.any_apart()) return run_chain<false>(w, task);
  near_tasks* const near = w.tasks.are_near() ? &w.tasks.near() : nullptr;
  if (near) near->begin_to_measure();
  run_chain<true>(w, task);
  if (near) near->end_to_measure();
}

/// `Apart`: tasks may lie elsewhere than in the deque.
template <bool Apart>
void threads_executor::run_chain(worker& w, detail::task_node* task) {
  while (task) {
    core::first_ready next(*this);
    [[maybe_unused]] location measured;
    [[maybe_unused]] const bool near = Apart && w.tasks.are_near();
    if constexpr (Apart)
      if (near) measured = w.tasks.near().measured(*task);
    run_traced(w.index, *this, task, next, run_task_from_usual);
    w.count_step();
    task = next.first;
    if constexpr (Apart) {
      if (detail::task_node* const aside = w.tasks.pop_aside()) {
        // Its data are on their way.
        if (task) ready(task);
        task = aside;
      } else if (near && w.tasks.near().is_on() && (!task || task->accesses > 0)) {
        task = next_of_bundle(w, task);
      }
      if (near) ran_near(w, measured);
    }
    // Fibers that may go on here come before more of this, and so do urgent tasks.
    if (task && (w.inbox.load(std::memory_order_relaxed) || urgent_.come_first())) return ready(task);
    if (task && sharing_ && !sharing_->goes_on(w)) return ready(task);
  }
}

void threads_executor::set_next_aside(void (*fetch)(void*, detail::task_node&), void* env) noexcept {
  worker* const w = self();
  if (!w) return;
  bool any = false;
  while (detail::task_node* const task = w->tasks.pop_for_aside()) {
    fetch(env, *task);
    w->tasks.set_aside(task);
    any = true;
  }
  if (any) tell_of_aside(*w);
}

/// Who looked meanwhile for what the worker has set aside now has found none.
void threads_executor::tell_of_aside(worker& w) noexcept {
  if (!has_tasks_.test(w.index)) has_tasks_.set(w.index);
  wake_one(team_of(&w).workers());
}

/// A task has ended where tasks with data may lie apart.
void threads_executor::ran_near(worker& w, const location& measured) noexcept {
  w.tasks.near().ran(measured, w.tasks.others().empty(), [this] { return !has_queued_work(); });
}

void threads_executor::run_members(scope& s, std::int64_t rest, std::uint64_t end) {
  const auto goes_on = [&] { return s.in_flight() > rest && (end == no_end || base::ticks() < end); };
  for (bool found = true; found && goes_on();) {
    const starting_thread::visit visit(*this);
    worker* w = self();
    if (!w) found = run_member_outside(s);
    // A stream's task may have been suspended, and go on without a worker.
    const bool apart = place_choice_ || sets_aside_;
    for (; w && found && goes_on(); w = self()) found = apart ? run_member<true>(*w, s) : run_member<false>(*w, s);
  }
}

/// `Apart`: what tasks take decides about the policy, or some are set aside.
template <bool Apart>
bool threads_executor::run_member(worker& w, scope& s) {
  if (!w.running->has_room()) return false;
  if (sharing_ && !sharing_->goes_on(w)) return false;
  const auto is_member = [&](const detail::task_node& one) { return one.in == &s; };
  detail::task_node* task = nullptr;
  [[maybe_unused]] const bool chooses = Apart && place_choice_;
  if constexpr (Apart)
    if (chooses) w.tasks.near().begin_to_measure();
  if (urgent_.any()) {
    // One of another scope goes first, too, but not on this stack.
    task = urgent_.pop_awaited(is_member);
  } else {
    if constexpr (Apart) {
      bool were_away = false;
      task = w.tasks.pop_aside_if(is_member, were_away);
      if (were_away) tell_of_aside(w);
    }
    if (!task) task = w.tasks.others().pop();
    if (task && !is_member(*task)) ready(std::exchange(task, nullptr));
    // Members first, though others have their data here: otherwise each of those is begun and waits for its members.
    if (!task) task = w.tasks.pop_near_if(is_member);
  }
  if (!task) return false;
  [[maybe_unused]] location measured;
  if constexpr (Apart)
    if (chooses) measured = w.tasks.near().measured(*task);
  run_traced(w.index, *this, task, *this, run_task_from_usual);
  if constexpr (Apart)
    if (chooses && self() == &w) {
      ran_near(w, measured);
      w.tasks.near().end_to_measure();
    }
  after_sharing();
  return true;
}

std::unique_ptr<learned_phases> threads_executor::open_learned() const {
  return std::make_unique<learned_phases>(base::processor_name(), learned_file(base::cache_path("learned")));
}

std::optional<grain::wait_sums> threads_executor::waits(int first, int width) const {
  grain::wait_sums all{.lost_cores = static_cast<double>(spin_.lost_cores())};
  for (int i = first; i < first + width; ++i) all += at(i).waits.sums(base::seconds_per_tick());
  return all;
}

double threads_executor::seconds_without_cpu(int first, int width) const {
  double all = 0;
  for (int i = first; i < first + width; ++i)
    if (const int thread = at(i).thread_number.load(std::memory_order_relaxed))
      all += base::seconds_without_cpu(thread);
  return all;
}

void threads_executor::give_branch(detail::fork_list& list) noexcept { core::give_branch(*this, *self(), list); }

void threads_executor::let_keep(detail::fork_list& list, detail::task_function body, const location& where) noexcept {
  constexpr unsigned least = 16;
  worker* const w = self();
  if (!w || !list.has_room() || sharing_) return;
  list.kept = {body, where.line(), least + base::up_to_31()};
  branches_.keeps_tasks(*w);
}

void threads_executor::run_forks(void (*call)(void*), void* env, location where) {
  const starting_thread::visit visit(*this);
  const bool has_room =
      self() && reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >= forks_of_thread()->low;
  if (!has_room) return run_as_task(*this, call, env, where);
  call(env);
}

void threads_executor::run_with_forks(void (*call)(void*), void* env) {
  const starting_thread::visit visit(*this);
  call(env);
}

bool threads_executor::has_queued_work() const {
  if (urgent_.any() || !whole_->centre.empty() || has_loops_.first_set(0, workers()) >= 0) return true;
  for (int i = has_tasks_.first_set(0, workers()); i >= 0; i = has_tasks_.first_set(i + 1, workers()))
    if (!at(i).tasks.empty()) return true;
  return false;
}

void threads_executor::wake_one(team::span workers) {
  if (asleep_.wake_one(workers.first, workers.first + workers.width)) return;
  if (sharing_) sharing_->wants_more();
}

void threads_executor::wake_all() {
  for (int i = 0; i < workers(); ++i) asleep_.wake(i);
}

void threads_executor::pass_wake_up_on(worker& w) {
  if (!std::exchange(w.was_woken, false)) return;
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (urgent_.any() || queues(*this, w, t).any()) wake_one(t.workers());
  if (&t != whole_ && !whole_->centre.empty()) wake_one(whole_->workers());
}

void threads_executor::notify(worker& w) {
  if (asleep_.notify(w.index) || w.index > 0) return;
  // It is awake, or its thread is outside.
  worker_0_.call();
}

waiter* threads_executor::caller() {
  worker* w = self();
  if (w) {
    promote_all(*this);
    return has_spare_fiber(*w) ? w->running : nullptr;
  }
  libraries_.rescan();
  worker_0_.want_substitute();
  if (waiter* starter = worker_0_.starter()) return starter;
  return &foreign_waiter::mine(*this);
}

void threads_executor::ready(detail::task_node* task) noexcept { core::ready(*this, task); }

/// Puts a task into the centre: a foreign thread's, or one too many for a worker's own queue.
void threads_executor::enqueue_in_centre(detail::task_node* task) noexcept {
  try {
    whole_->centre.push_tail({task, {}});
  } catch (const std::bad_alloc&) {
    return run_task(*this, task, *this);  // it cannot be queued, but it can be done
  }
  if (!self()) worker_0_.want_substitute();
  wake_one(whole_->workers());
}

bool threads_executor::has_room(const worker* w) const noexcept {
  if (w) return w->running->has_room();
  return worker_0_.is_starter() ? at(0).own_stack->has_room() : current_context().is_root;
}

grain::task_size threads_executor::size_of(detail::task_function body, const location& where, std::size_t accesses,
                                           std::uint64_t created) const noexcept {
  using enum grain::task_size;
  const call_site* const site = small_.task_site(body, where.line());
  if (!site) return large;
  auto* const w = static_cast<worker*>(detail::state_of_thread.worker);
  if (!w || accesses > 0 || looks_elsewhere_) return size_elsewhere(*site, w, accesses, created);
  if (!w->running->has_room()) return large;
  return core::size_of(*w, team_of(w), site->time(), small_.handing_task_over_ticks(), created);
}

/// Apart, so that the usual case calls nothing and saves no registers.
[[gnu::noinline]] grain::task_size threads_executor::size_elsewhere(const call_site& site, worker* w,
                                                                    std::size_t accesses,
                                                                    std::uint64_t created) const noexcept {
  using enum grain::task_size;
  if (!has_room(w)) return large;
  const bool is_tiny = small_.is_tiny(site);
  if (is_tiny && !sharing_) return tiny;
  const int width = shares_of_caller();
  if (!sharing_ && small_.is_too_small(site, accesses, width)) return small;
  const std::size_t shared = urgent_.holds_all() ? urgent_.size() : 0;
  const std::size_t here = worker_0_.is_starter() ? at(0).tasks.size() : 0;
  const grain::tasks_at_hand hand = w ? core::at_hand(*w, created, width, shared)
                                      : grain::tasks_at_hand{static_cast<std::uint32_t>(here + shared), created};
  if (!small_.runs_at_once(site, accesses, hand, width)) return large;
  // That is the end of a task and the beginning of another: on a CPU that was taken it is not to begin.
  if (w && sharing_) sharing_->goes_on(*w);
  return is_tiny ? tiny : small;
}

double threads_executor::lost_by_handing_over(detail::task_function body, const location& where) const noexcept {
  const call_site* const site = small_.task_site(body, where.line());
  if (!site) return 0;
  const double handing_over = small_.handing_task_over(*site, shares_of_caller());
  return grain::is_too_small(site->time().expected(1), handing_over) && has_room(self()) ? handing_over : 0;
}

double threads_executor::mean_of_small(std::span<detail::task_node* const> tasks) const noexcept {
  return small_.mean_of_small(tasks);
}

void threads_executor::learn(detail::task_function body, const location& where, std::uint64_t ticks,
                             bool leaves_tasks) noexcept {
  if (!small_.learn(body, where.line(), ticks, leaves_tasks)) keep_no_tasks();
}

void threads_executor::learn_graph(detail::task_function body, const location& where, bool adding,
                                   std::uint64_t ticks) noexcept {
  small_.learn_graph(body, where.line(), adding, ticks);
}

int threads_executor::width() const {
  const context& c = current_context();
  // A task has its worker: others of its team run other tasks.
  if (c.in_loop || !(c.is_root || c.owns_stream)) return 1;
  return team_of(self()).width();
}

int threads_executor::hold_track() noexcept {
  if (const worker* w = self()) return w->index;
  return worker_0_.hold() ? 0 : -1;
}
void threads_executor::leave_track() noexcept {
  if (!self()) worker_0_.let_go();
}

int threads_executor::track() const noexcept { return track_of(self()); }

std::unique_ptr<executor> make_threads(int workers, run_policies policies) {
  return std::make_unique<threads_executor>(workers, policies);
}

std::unique_ptr<executor> make_threads(std::unique_ptr<node::membership> as, run_policies policies) {
  const int workers = as->most();
  return std::make_unique<threads_executor>(workers, policies, std::move(as));
}

}  // namespace maslin
