#include "exec/threads/threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <system_error>
#include <utility>

#include "base/cache_path.hpp"
#include "base/processor.hpp"
#include "base/settings.hpp"
#include "exec/core/turn.hpp"
#include "exec/foreign/one_thread.hpp"
#include "exec/forks/forks.hpp"
#include "exec/in_place.hpp"
#include "exec/threads/stranger.hpp"
#include "machine/budget.hpp"
#include "maslin/error.hpp"
#include "sched/grain/edtlp.hpp"
#include "trace/recorder.hpp"

namespace maslin {

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
  ask_again(from);
}

worker::worker(threads_executor& e, int number) : exec(e), index(number), in_team(&e.whole()) {}

void worker::nonempty(bool holds_work) {
  if (holds_work)
    exec.has_loops().set(index);
  else
    exec.has_loops().clear(index);
}

threads_executor::threads_executor(int workers, schedule loops, std::unique_ptr<node::membership> as)
    : patience_(patience_from_environment()),
      loops_(loops),
      // Those that are active have a CPU each where the node is shared.
      spin_(wait_policy(), as ? as->here().held() == 0 : workers == 1 || machine::oversubscribed(workers)),
      learns_waits_(wait_policy() == grain::wait_policy::automatic),
      handing_over_ticks_(handing_over_seconds / base::seconds_per_tick()),
      handing_task_over_ticks_(handing_task_over_seconds / base::seconds_per_tick()),
      heartbeat_ticks_(static_cast<std::uint64_t>(heartbeat_seconds / base::seconds_per_tick())),
      clock_ticks_(base::ticks_per_reading()),
      at_once_(base::flag_of("MASLIN_AT_ONCE")),
      sharing_(as ? std::make_unique<sharing>(*this, std::move(as)) : nullptr),
      has_loops_(workers),
      has_tasks_(workers),
      asleep_(workers),
      whole_(&make_whole(workers)),
      limits_libraries_(base::choice_of<foreign::policy>("MASLIN_FOREIGN") == foreign::policy::granted),
      process_limit_(workers),
      stacks_(*base::number_of("MASLIN_STACK")) {
  if (!learns_waits_) whole_->waits.store(wait_policy(), std::memory_order_relaxed);
  if (sharing_) {
    whole_->grows = true;
    whole_->set_workers({0, sharing_->at_start()});
  }
  for (int i = 0; i < workers; ++i) {
    workers_.push_back(std::make_unique<worker>(*this, i));
    // From now on a worker always has a fiber for its loop: the one it runs, or one that is idle.
    if (!has_spare_fiber(at(i))) throw std::bad_alloc();
  }
  set_aside_.reserve(decltype(worker::tasks)::capacity);
  worker& first = at(0);
  first.own_stack.emplace();
  first.runs(*first.own_stack);
  mark_starter(true);
  stand_up();
  look_for_libraries();
  trace::record(0, trace::event_kind::worker_start);
  try {
    const int at_start = sharing_ ? sharing_->at_start() : workers;
    for (int i = 1; i < at_start; ++i) at(i).thread = std::thread([this, i] { thread_body(at(i)); });
    if (sharing_) sharing_->begin();
    if (patience_.idle_seconds > 0) watchdog_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
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
  w.thread = std::thread([this, &w] { thread_body(w); });
  return true;
} catch (const std::exception&) {
  return false;
}

void threads_executor::lend() {
  if (sharing_ && is_starter() && !self()) sharing_->lend();
}
void threads_executor::reclaim() {
  if (sharing_ && is_starter() && !self()) sharing_->reclaim();
}

void threads_executor::end() noexcept {
  if (sharing_) sharing_->end();
  stopping_.store(true, std::memory_order_seq_cst);
  grain_lock_.lock();  // no worker is started after this
  grain_lock_.unlock();
  for (int i = 0; i < workers(); ++i) asleep_.wake(i);
  end_stand_in();
  if (sit_down()) {
    // Worker 0 takes part in what is left until nothing is.
    enter_loop(at(0));
    stand_up();
  }
  trace::record(0, trace::event_kind::worker_stop);
  mark_starter(false);
  for (auto& w : workers_)
    if (w->thread.joinable()) w->thread.join();
  watchdog_ = {};
  forget_libraries();
  end_learning();
  if (sharing_) sharing_->leave();
}

void threads_executor::thread_body(worker& w) {
  (void)current_context();  // makes the thread's root context: `exit` on this thread is noticed by its end
  set_self(&w);
  w.own_stack.emplace();
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
    task_fiber* next = take_ready(w);
    if (!next) {
      turn(w);
      continue;
    }
    pass_wake_up_on(w);
    replace_fiber(w, *next);
  }
}

void threads_executor::turn(worker& w) {
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (sharing_ && !sharing_->goes_on(w)) return stand_aside(w, t);
  if (!core::turn(*this, w, t)) idle(w, t);
}

namespace {

/// Keeps the first task that becomes ready for the worker that made it so: it is what the head of its queue would be.
struct first_ready final : graph::ready_sink {
  explicit first_ready(threads_executor& e) : exec(e) {}
  void learn(detail::task_function body, const location& where, std::uint64_t ticks,
             bool leaves_tasks) noexcept override {
    exec.learn(body, where, ticks, leaves_tasks);
  }
  void learn_graph(detail::task_function body, const location& where, bool adding,
                   std::uint64_t ticks) noexcept override {
    exec.learn_graph(body, where, adding, ticks);
  }
  void ready(detail::task_node* task) noexcept override {
    if (!first && task->priority <= 0)
      first = task;
    else
      exec.ready(task);
  }
  threads_executor& exec;
  detail::task_node* first = nullptr;
};

}  // namespace

/// Runs a task, then what it made ready, and so on.
void threads_executor::run_tasks(worker& w, detail::task_node* task) {
  while (task) {
    first_ready next(*this);
    run_traced(w.index, task, next, graph::run_from_usual);
    w.count_turn();
    task = next.first;
    // Fibers that may go on here come before more of this, and so do urgent tasks.
    if (task && (w.inbox.load(std::memory_order_relaxed) || urgent_.any())) return ready(task);
    if (task && sharing_ && !sharing_->goes_on(w)) return ready(task);
  }
}

bool threads_executor::run_member(scope& s) {
  const starting_thread::visit visit(*this);
  worker* w = self();
  if (!w) return run_member_outside(s);
  if (!w->running->has_room()) return false;
  if (sharing_ && !sharing_->goes_on(*w)) return false;
  detail::task_node* task = nullptr;
  if (urgent_.any()) {
    // One of another scope goes first, too, but not on this stack.
    task = urgent_.pop_if([&](const detail::task_node& first) { return first.in == &s; });
  } else if ((task = w->tasks.pop()) && task->in != &s) {
    ready(task);
    return false;
  }
  if (!task) return false;
  run_traced(w->index, task, *this, graph::run_from_usual);
  shared_no_more();
  return true;
}

bool threads_executor::anything_for(worker& w, team& t) {
  return w.inbox.load(std::memory_order_seq_cst) || w.in_team.load(std::memory_order_seq_cst) != &t ||
         wants_stream(w, t) || urgent_.any() || !w.invited.empty() || queues(*this, w, t).any();
}

std::unique_ptr<learned_phases> threads_executor::open_learned() const {
  return std::make_unique<learned_phases>(base::processor_name(), learned_file(base::cache_path("learned")));
}

std::optional<grain::wait_sums> threads_executor::waits(int first, int width) const {
  grain::wait_sums all{.lost_cores = static_cast<double>(spin_.lost_cores())};
  for (int i = first; i < first + width; ++i) all += at(i).waits.sums(base::seconds_per_tick());
  return all;
}

/// Under `adaptive`, from here to its end the caller waits for what is expected as late as its last wait took. While it
/// does, it can ask whether others expect theirs earlier.
class threads_executor::expectation {
 public:
  expectation(threads_executor& exec, worker& w, const team& t, grain::wait_policy policy)
      : exec_(exec), self_(w), team_(t) {
    if (policy != grain::wait_policy::adaptive) return;
    begin_ = static_cast<std::int64_t>(base::ticks());
    w.wait_ends.store(begin_ + w.last_wait, std::memory_order_relaxed);
  }
  ~expectation() {
    if (begin_ == 0) return;
    self_.last_wait = static_cast<std::int64_t>(base::ticks()) - begin_;
    self_.wait_ends.store(worker::waits_for_nothing, std::memory_order_relaxed);
  }
  expectation(const expectation&) = delete;
  expectation& operator=(const expectation&) = delete;

  bool is_first() const {
    const auto [first, width] = team_.workers();
    const std::span others(exec_.workers_.begin() + first, static_cast<std::size_t>(width));
    return grain::is_expected_first(begin_ + self_.last_wait, others, [](const std::unique_ptr<worker>& other) {
      return other->wait_ends.load(std::memory_order_relaxed);
    });
  }

 private:
  threads_executor& exec_;
  worker& self_;
  const team& team_;
  std::int64_t begin_ = 0;
};

/// While it lives the worker has nothing to do, and asks those of its team that do for a branch of their forks.
class threads_executor::hungry_worker {
 public:
  hungry_worker(threads_executor& exec, worker& w, team& t) : exec_(exec), self_(w) {
    if (!exec.forks_used_.load(std::memory_order_relaxed)) return;
    counts_ = true;
    exec.hungry_.fetch_add(1, std::memory_order_relaxed);
    exec.ask(w, t);
  }
  ~hungry_worker() {
    if (!counts_) return;
    exec_.hungry_.fetch_sub(1, std::memory_order_relaxed);
    exec_.ask_again(self_);
  }
  hungry_worker(const hungry_worker&) = delete;
  hungry_worker& operator=(const hungry_worker&) = delete;

 private:
  threads_executor& exec_;
  worker& self_;
  bool counts_ = false;
};

void threads_executor::ask(const worker& w, const team& t) noexcept {
  const auto [first, width] = t.workers();
  for (int i = first; i < first + width; ++i)
    if (i != w.index && !sleeps(i) && !at(i).asked.load(std::memory_order_relaxed))
      at(i).asked.store(true, std::memory_order_relaxed);
}

void threads_executor::ask_again(worker& from) noexcept {
  if (hungry_.load(std::memory_order_relaxed) > 0) from.asked.store(true, std::memory_order_relaxed);
}

void threads_executor::give_branch(detail::fork_list& list) noexcept { core::give_branch(*this, *self(), list); }

bool threads_executor::may_give(worker& w) noexcept {
  w.asked.store(false, std::memory_order_relaxed);
  // Until the first fork nobody asks for one.
  const bool is_first = !forks_used_.exchange(true, std::memory_order_relaxed);
  const auto [first, width] = w.in_team.load(std::memory_order_acquire)->workers();
  return !is_first || asleep_.any_sleeps(first, first + width);
}

void threads_executor::run_forks(void (*call)(void*), void* env, location where) {
  const starting_thread::visit visit(*this);
  const bool has_room =
      self() && reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >= forks_of_thread()->low;
  if (!has_room) return run_as_task(*this, call, env, where);
  call(env);
}

void threads_executor::run_seated(void (*call)(void*), void* env) {
  const starting_thread::visit visit(*this);
  call(env);
}

/// Nothing else runs on the worker meanwhile.
template <class Ready>
spinning::awake threads_executor::stay_awake(worker& w, const team& t, Ready&& ready) {
  const grain::wait_policy policy = t.waits.load(std::memory_order_relaxed);
  const expectation expected(*this, w, t, policy);
  return spin_.until(policy, ready, [&] { return expected.is_first(); });
}

void threads_executor::finishes_soon(loop_run& run, worker& w) {
  const auto is_over = [&] { return run.blocks.quiet(); };
  if (learns_waits_) {
    spin_.briefly_until(is_over);
    return;
  }
  // What else there is for this worker does not wait for that.
  const auto has_other_work = [&] {
    return w.inbox.load(std::memory_order_relaxed) || !w.tasks.empty() || !w.queue.empty() || !w.invited.empty();
  };
  stay_awake(w, *w.in_team.load(std::memory_order_acquire), [&] { return is_over() || has_other_work(); });
}

/// Is there somebody for whom the worker, or the thread that plays it, looks only before it parks? That must not wait
/// for a policy that has it stay awake for long.
bool threads_executor::is_held_up_by(const worker& w, const team& t) const {
  if (stopping_.load(std::memory_order_relaxed)) return true;
  if (w.index == 0 && seat_.held_by() == seat::stand_in) return true;
  const bool leads = t.first() == w.index;
  return (leads && t.may_resume.load(std::memory_order_relaxed)) || !whole_->centre.empty();
}

void threads_executor::idle(worker& w, team& t) {
  std::optional<hungry_worker> asks(std::in_place, *this, w, t);
  const bool learns = learns_waits(t);
  bool found = false;
  const spinning::awake wait =
      stay_awake(w, t, [&] { return (found = anything_for(w, t)) || (!learns_waits_ && is_held_up_by(w, t)); });
  if (found) {
    if (learns && wait.begin != 0) w.waits.waited(wait.last - wait.begin, true);
    return;
  }
  asks.reset();  // what it may do now takes long, or does not come back here
  process_limit_.claim(w.index, 0);
  // Before it sleeps it helps whoever its team stands in the way of: a suspended stream may hold what its own waits
  // for, and a task of the team that was divided may, too.
  if (start_stream(w, true) || core::climb(*this, w, t)) return;
  const bool leaves = w.index == 0 && seat_.held_by() == seat::stand_in;
  if (leaves || (stopping_.load(std::memory_order_seq_cst) && w.suspended == 0)) {
    if (anything_for(w, t)) return;
    return replace_fiber(w, leaves ? *stand_in_stack_ : *w.own_stack);
  }
  asleep_.lie_down(w.index);
  const bool leads = t.first() == w.index;
  const bool needed =
      anything_for(w, t) || (leads && t.may_resume.load(std::memory_order_seq_cst)) || !whole_->centre.empty();
  if (!needed) {
    asks.emplace(*this, w, t);
    if (sharing_) sharing_->parks();
    trace::record(w.index, trace::event_kind::park);
    asleep_.park(w.index);
    trace::record(w.index, trace::event_kind::unpark);
    if (sharing_) sharing_->wakes();
    if (wait.begin != 0) {
      const std::uint64_t taken = base::ticks() - wait.begin;
      w.last_wait = static_cast<std::int64_t>(taken);
      if (learns) w.waits.waited(taken, spin_.was_short(taken));
    }
  }
  w.was_woken = asleep_.get_up(w.index);
}

/// The worker is not granted now: its work goes to where the others find it, and it sleeps. What only it can do it does
/// all the same: fibers that are woken here (`work_loop`) and invitations.
void threads_executor::stand_aside(worker& w, team& t) {
  pass_wake_up_on(w);
  if (invitation* to = w.invited.take_if([](const invitation&) { return true; })) return answer(&w, *to);
  if (!w.tasks.empty() || !w.queue.empty()) return hand_over(w);
  has_tasks_.clear_if_set(w.index);
  // It may have been woken for what only worker 0 may do now, whose thread is outside.
  if (is_only_one() && has_work_alone(at(0))) want_stand_in();
  // Who made it counted on this worker, and did not ask for another CPU.
  if (urgent_.any() || queues(*this, w, t).any()) sharing_->wants_more();
  if (stopping() && w.suspended == 0) {
    if (!w.inbox.load(std::memory_order_seq_cst)) replace_fiber(w, *w.own_stack);
    return;
  }
  asleep_.lie_down(w.index);
  // As in `idle`: it says that it sleeps, then looks (README, race 1).
  if (!w.inbox.load(std::memory_order_seq_cst) && w.invited.empty() && !sharing_->may_work(w)) {
    trace::record(w.index, trace::event_kind::park);
    asleep_.park(w.index);
    trace::record(w.index, trace::event_kind::unpark);
  }
  w.was_woken = asleep_.get_up(w.index);
}

void threads_executor::hand_over(worker& w) {
  std::optional<work> item;
  try {
    while ((item = w.queue.take_if([](const work&) { return true; }))) whole_->centre.push_tail(*item);
    while (detail::task_node* task = w.tasks.pop()) {
      item = work{task, {}};
      whole_->centre.push_tail(*item);
    }
  } catch (const std::bad_alloc&) {
    return core::run(*this, w, *item);  // it cannot be handed over, but it can be done
  }
  want_stand_in();  // the only active worker may be worker 0, whose thread is outside
  wake_one(whole_->workers());
}

void threads_executor::wake_one(team::span workers) {
  if (asleep_.wake_one(workers.first, workers.first + workers.width)) return;
  if (sharing_) sharing_->wants_more();
}

void threads_executor::pass_wake_up_on(worker& w) {
  if (!std::exchange(w.was_woken, false)) return;
  team& t = *w.in_team.load(std::memory_order_acquire);
  if (urgent_.any() || queues(*this, w, t).any()) wake_one(t.workers());
  if (&t != whole_ && !whole_->centre.empty()) wake_one(whole_->workers());
}

void threads_executor::rouse(worker& w) {
  if (asleep_.rouse(w.index) || w.index > 0) return;
  // It is awake, or its thread is outside.
  stand_in_call_.tell();
}

waiter* threads_executor::caller() {
  worker* w = self();
  if (w) {
    promote_all(*this);
    return has_spare_fiber(*w) ? w->running : nullptr;
  }
  look_again_for_libraries();
  want_stand_in();
  if (is_starter() && !starter_.is_asleep()) return &starter_;
  return &stranger::mine(*this);
}

void threads_executor::ready(detail::task_node* task) noexcept { core::ready(*this, task); }

/// Puts a task into the centre: a foreign thread's, or one too many for a worker's own queue.
void threads_executor::enqueue_in_centre(detail::task_node* task) noexcept {
  try {
    whole_->centre.push_tail({task, {}});
  } catch (const std::bad_alloc&) {
    return graph::run(task, *this);  // it cannot be queued, but it can be done
  }
  if (!self()) want_stand_in();
  wake_one(whole_->workers());
}

namespace {
constexpr std::uint32_t task_memory = 64;
constexpr std::uint32_t task_known = 8;  ///< as often its time must have been seen before a site is believed
}  // namespace

/// Gives what its accesses add to the handing over of a task of the site, in ticks.
double threads_executor::in_graph(const call_site& site, int width) const noexcept {
  const grain::site_time adding = site.adding();
  const grain::site_time removing = site.removing();
  if (adding.seen < task_known || removing.seen < task_known) return 0;
  // What is not short is handed over whatever that costs.
  return std::min(grain::in_graph(adding.expected(1), removing.expected(1), width),
                  (grain::still_short - 1) * handing_task_over_ticks_);
}

/// Tasks that create tasks that create tasks: is there stack left for the next?
bool threads_executor::has_room(const worker* w) const noexcept {
  if (w) return w->running->has_room();
  return is_starter() ? at(0).own_stack->has_room() : current_context().is_root;
}

bool threads_executor::is_too_small(detail::task_function body, const location& where, std::size_t accesses,
                                    std::uint64_t created) const noexcept {
  if (!at_once_) return false;
  const call_site* const site = sites_.find(body, where.line());
  if (!site || site->time().seen < task_known) return false;
  auto* const w = static_cast<worker*>(detail::state_of_thread.worker);
  if (!w || accesses > 0 || sharing_) return is_too_small(*site, w, accesses, created);
  if (!w->running->has_room()) return false;
  return grain::runs_at_once(site->time().expected(1), handing_task_over_ticks_, 0,
                             at_hand(*w, created, team_of(w).width()), team_of(w).width());
}

/// Apart, so that the usual case calls nothing and saves no registers.
[[gnu::noinline]] bool threads_executor::is_too_small(const call_site& site, worker* w, std::size_t accesses,
                                                      std::uint64_t created) const noexcept {
  if (!has_room(w)) return false;
  const team& t = team_of(w);
  const int width = shares_of(t, t.width());
  const grain::tasks_at_hand hand = w              ? at_hand(*w, created, width)
                                    : is_starter() ? grain::tasks_at_hand{at(0).tasks.size(), created}
                                                   : grain::tasks_at_hand{0, created};
  const bool at_once = grain::runs_at_once(site.time().expected(1), handing_task_over_ticks_,
                                           accesses > 0 ? in_graph(site, width) : 0, hand, width);
  // That is the end of a task and the beginning of another: on a CPU that was taken it is not to begin.
  if (at_once && w && sharing_) sharing_->goes_on(*w);
  return at_once;
}

double threads_executor::lost_by_handing_over(detail::task_function body, const location& where) const noexcept {
  const call_site* const site = at_once_ ? sites_.find(body, where.line()) : nullptr;
  if (!site || site->time().seen < task_known) return 0;
  const worker* const w = self();
  const team& t = team_of(w);
  const double handing_over = handing_task_over_ticks_ + in_graph(*site, shares_of(t, t.width()));
  return grain::is_too_small(site->time().expected(1), handing_over) && has_room(w) ? handing_over : 0;
}

void threads_executor::learn_graph(detail::task_function body, const location& where, bool adding,
                                   std::uint64_t ticks) noexcept {
  sites_.of(body, where.line()).learn_graph(adding, ticks > clock_ticks_ ? ticks - clock_ticks_ : 1, task_memory);
}

bool threads_executor::are_too_small(std::span<detail::task_node* const> tasks) const noexcept {
  if (!at_once_ || tasks.empty()) return false;
  double ticks = 0;
  for (const detail::task_node* task : tasks) {
    const grain::site_time time = sites_.time_of(task->run, task->where.line());
    if (time.seen < task_known) return false;
    ticks += time.expected(1);
  }
  return runs_in_order(ticks / static_cast<double>(tasks.size()));
}

bool threads_executor::runs_in_order(double mean_ticks) const noexcept {
  const team& t = team_of(self());
  return grain::runs_in_order(mean_ticks, handing_task_over_ticks_, shares_of(t, t.width()));
}

void threads_executor::learn(detail::task_function body, const location& where, std::uint64_t ticks,
                             bool leaves_tasks) noexcept {
  call_site& site = sites_.of(body, where.line());
  // At once, it would hold its creator up until they are done; and so would they, if they do the same, without end.
  if (leaves_tasks) return site.is_never_small();
  // One that takes so long must not wait for the mean to believe it: others of its site may be as long. How long it
  // takes does not matter then, and of a recursion's tasks, which enclose each other, most are short all the same.
  if (const double no_more_short = grain::still_short * handing_task_over_ticks_;
      static_cast<double>(ticks) >= no_more_short)
    return site.learn(1, static_cast<std::uint64_t>(2 * no_more_short), 1);
  // Reading the clock takes as long as a small body.
  site.learn(1, ticks > clock_ticks_ ? ticks - clock_ticks_ : 1, task_memory);
}

int threads_executor::width() const {
  const context& c = current_context();
  // A task has its worker: others of its team run other tasks.
  if (c.in_loop || !(c.is_root || c.owns_stream)) return 1;
  return team_of(self()).width();
}

int threads_executor::track() const noexcept { return track_of(self()); }

std::unique_ptr<executor> make_threads(int workers, schedule loops) {
  return std::make_unique<threads_executor>(workers, loops);
}

std::unique_ptr<executor> make_threads(std::unique_ptr<node::membership> as, schedule loops) {
  const int workers = as->most();
  return std::make_unique<threads_executor>(workers, loops, std::move(as));
}

}  // namespace maslin
