#include "exec/virtual/virtual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/settings.hpp"
#include "exec/core/machine.hpp"
#include "exec/forks/forks.hpp"
#include "exec/phase/phase_run.hpp"
#include "exec/virtual/described_links.hpp"
#include "exec/virtual/monitor_guard.hpp"
#include "graph/store_clock.hpp"
#include "maslin/error.hpp"
#include "task/context.hpp"
#include "trace/recorder.hpp"

namespace maslin {

static_assert(core::machine<virtual_executor>);

namespace {

std::atomic<virtual_executor*> the_only_one{nullptr};
std::atomic<std::uint64_t> last_nanoseconds{0};

void nothing(void*) {}

/// Writes to the standard error. Errors are ignored: what `fmt::print` throws would end the program.
void tell(const std::string& text) noexcept { std::fputs(text.c_str(), stderr); }

/// Who drives is in the middle of another's work, so nobody could be told by an exception.
[[noreturn]] void has_no_stack(std::size_t stacks) {
  std::fprintf(stderr,
               "maslin: the described machine needs one more stack than the system gives memory or mappings for "
               "(ulimit -v, vm.max_map_count); it has %zu, each of MASLIN_STACK: one for each body that waits\n",
               stacks);
  std::abort();
}

}  // namespace

virtual_executor::virtual_executor(const machine::machine_spec& machine, int workers, run_policies policies)
    : executor(!base::flag_of("MASLIN_DURATIONS")),
      machine_name_(machine.name),
      machine_file_(machine.file),
      description_(std::filesystem::absolute(machine.file).string()),
      times_(machine),
      stacks_(*base::number_of("MASLIN_STACK")),
      loops_(policies.loops),
      quiet_(base::flag_of("MASLIN_QUIET")),
      has_loops_(workers),
      has_tasks_(workers),
      asleep_(workers),
      whole_(&make_whole(workers)),
      urgent_(policies.place),
      runs_small_at_once_(times_.task > 0 && base::flag_of("MASLIN_AT_ONCE")),
      began_nanoseconds_(last_nanoseconds.load(std::memory_order_relaxed)),
      memory_free_(static_cast<std::size_t>(times_.memories.count())) {
  for (int i = 0; i < workers; ++i) workers_.push_back(std::make_unique<virtual_worker>(*this, i));
  for (int i = 0; i < workers; ++i) at(i).in_team.store(whole_, std::memory_order_relaxed);
  if (machine.hosts) hosts_.emplace(*this, machine, workers);
  stores_ = local_stores::of(*this, machine, workers, links_number() + 1);
  for (int i = hosts_ ? 0 : 1; i < workers; ++i) asleep_.set(i);
  processor& first = hosts_ ? static_cast<processor&>(hosts_->first()) : at(0);
  starter_ = std::make_unique<virtual_fiber>(*this, &first);
  if (hosts_) {
    hosts_->first().bind(*starter_);
    starter_->on_host.away = false;
  }
  first.running = starter_.get();
  calling_thread::set_started(this);
  the_only_one.store(this, std::memory_order_relaxed);
  current_context().declares = false;  // what it said on another machine
  calling_thread::code_begins();
}

virtual_executor::~virtual_executor() = default;

void virtual_executor::end() noexcept {
  if (stores_) graph::tell_program_looks();
  {
    const monitor_guard last(*this);
    drive(*starter_, [this] { return events_.empty(); });
    stores_.reset();
  }
  calling_thread::code_stops();
  calling_thread::set_started(nullptr);
  the_only_one.store(nullptr, std::memory_order_relaxed);
  end_learning();
  if (now_ >= end_of_time)
    tell(
        fmt::format("maslin: virtual time ended at 9,000,000 s, and what came later counts as if it took no time; make "
                    "the times in {} or the costs of the program smaller\n",
                    machine_file_));
  if (quiet_) return;
  const double here = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  tell(fmt::format("maslin: {} workers of '{}' would have taken {:.6g} s (it took {:.3g} s to find out)\n", workers(),
                   machine_name_, static_cast<double>(now_) * 1e-12, here));
}

processor& virtual_executor::processor_at(int number) const {
  if (number < workers()) return at(number);
  if (links_ && number == links_number()) return *links_;
  if (stores_ && number >= stores_->first_number()) return stores_->bus_at(number);
  return hosts_->at(number);
}

processor* virtual_executor::here() const {
  if (calling_thread::owns_monitor() && driver_) return current_;
  return calling_thread::started() == this ? starter_->home : nullptr;
}

message_links* virtual_executor::links() {
  const monitor_guard calling(*this, false);  // to read the description takes no time
  if (!links_ && links::has_network(description_))
    links_ = std::make_unique<described_links>(*this, links_number(), links::network_of(description_));
  return links_.get();
}

virtual_worker* virtual_executor::self() const {
  processor* p = here();
  return p && p->index < workers() ? static_cast<virtual_worker*>(p) : nullptr;
}

/// Its caller is inside.
team& virtual_executor::calling_team(const context& c) const MASLIN_UNCHECKED {
  const virtual_worker* w = self();
  const auto* s = static_cast<const stream_run*>(c.stream);
  team* t = !w && s ? s->phase.team_of(*s) : nullptr;
  return t ? *t : team_of(w);
}

/// There is an event for the processor then, or earlier; but none in the past.
void virtual_executor::expect(processor& p, picoseconds when, bool goes_on) noexcept {
  when = std::max({when, p.clock, now_});
  if (p.expected != 0 && p.expected_at <= when) return;
  if (p.index < workers()) asleep_.clear(p.index);
  p.expected = events_.add(when, p.index, goes_on);
  p.expected_at = when;
  moved_.notify_all();
}

bool virtual_executor::is_past(picoseconds when) {
  while (!events_.empty() && is_stale(events_.next())) events_.drop();
  return events_.empty() || events_.next().when >= when;
}

bool virtual_executor::somebody_goes_on_at(picoseconds when) const {
  return !events_.empty() && events_.next().when == when && events_.next().goes_on;
}

/// Nothing happens any more, unless a thread of the program calls.
void virtual_executor::wait_for_threads() {
  if (patience_.idle_seconds == 0 || told_) return moved_.wait(lock_);
  const std::chrono::duration<double> patience(patience_.idle_seconds);
  if (moved_.wait_for(lock_, patience) == std::cv_status::no_timeout || told_ || !events_.empty()) return;
  told_ = true;
  print_state();
}

void virtual_executor::print_state() const {
  std::vector<suspended_code> all;
  const auto add = [&](const virtual_fiber& f) {
    if (!f.asleep) return;
    all.push_back({f.suspended_in, f.waits_for, f.home->index < workers() ? f.home->index : suspended_code::on_host});
  };
  for (const virtual_fiber& f : fibers_) add(f);
  add(*starter_);
  std::string out = fmt::format("maslin: no progress for {:.1f} s; the described machine has nothing to do\n",
                                patience_.idle_seconds);
  out += who_waits_for_whom(all);
  if (threads_asleep_ > 0) out += fmt::format("  {} threads of the program wait\n", threads_asleep_);
  std::fputs(out.c_str(), stderr);
}

template <class Done>
void virtual_executor::drive(virtual_fiber& me, Done&& done) {
  const uncancelled meanwhile(true);  // bodies of others run on top, also where a call does not wait for them
  virtual_fiber* const before = std::exchange(driver_, &me);
  const bool is_starter = &me == starter_.get();
  while (!done()) {
    const bool stands_back = starter_goes_first_ && !is_starter;
    if (events_.empty() || stands_back) {
      if (!stands_back && (resume_stranded() || lend_starters_processor(me))) continue;
      driver_ = before;
      if (stands_back)
        moved_.wait(lock_);
      else
        wait_for_threads();
      if (!is_starter) outside_.other_is_inside();
      driver_ = &me;
      continue;
    }
    told_ = false;
    const event next = events_.next();
    events_.drop();
    processor& p = processor_at(next.processor);
    if (p.expected != next.order) continue;
    p.expected = 0;
    now_ = std::max(now_, next.when);
    p.clock = std::max(p.clock, next.when);
    go_on(p);
  }
  driver_ = before;
  if (is_starter && std::exchange(starter_goes_first_, false)) moved_.notify_all();
}

/// Nothing happens any more, and a foreign thread waits: while the program's own thread is outside, its processor may
/// do what there is. Gives whether it can.
bool virtual_executor::lend_starters_processor(const virtual_fiber& to) {
  processor& p = *starter_->home;
  if (&to == starter_.get() || p.running != starter_.get()) return false;
  starter_->on_host.away = true;
  lent_at_ = p.clock;
  p.running = nullptr;
  expect(p, now_);
  return true;
}

/// The program's own thread has come back inside, and goes on at that time or later.
void virtual_executor::take_back_processor(picoseconds when) {
  processor& p = *starter_->home;
  starter_->awake = false;
  p.enqueue(*starter_, when);
  drive(*starter_, [this] { return starter_->awake; });
  current_ = &p;
}

/// The processor's time has come: it goes on with what it ran, or looks for something.
void virtual_executor::go_on(processor& p) {
  if (!p.running || p.is_spinning()) {
    if (!p.choose()) return;
    if (p.clock > now_) return expect(p, p.clock);
  }
  current_ = &p;
  virtual_fiber& to = *p.running;
  if (to.is_thread) {
    const bool waits = !std::exchange(to.awake, true);
    if (&to == driver_) return;
    starter_goes_first_ = waits;
    moved_.notify_all();
    return;
  }
  calling_thread::code_stops();  // what drives is no code of the program
  fiber::switch_to(driver_->machine, to.machine, nothing, nullptr);
}

void virtual_executor::leave(virtual_fiber& from) {
  calling_thread::code_stops();
  fiber::switch_to(from.machine, driver_->machine, nothing, nullptr);
}

/// The fiber goes on when it is chosen again.
void virtual_executor::make_way(virtual_fiber& me) {
  if (me.is_thread) {
    me.awake = false;
    drive(me, [&] { return me.awake; });
  } else {
    leave(me);
  }
  if (me.home) current_ = me.home;
}

void virtual_fiber::sleep(base::short_lock& held, const awaited_end& what) {
  woken = false;
  waits_for = what;
  suspended_in = &current_context();
  // A thread that drives may want this lock and has the executor's: so the one is left before the other is taken, and
  // the wake-up may come in between.
  held.unlock();
  const virtual_executor::monitor_guard calling(exec, false);
  if (woken) return;
  asleep = true;
  if (!home) {
    ++exec.threads_asleep_;
    exec.make_way(*this);
    --exec.threads_asleep_;
    return;
  }
  on_host.away = true;
  home->running = nullptr;
  exec.expect(*home, home->clock);
  const bool on_worker = home->index < exec.workers();
  if (on_worker) trace::record(home->index, trace::event_kind::suspend, 0, number);
  exec.make_way(*this);
  if (on_worker) trace::record(home->index, trace::event_kind::resume, 0, number);
}

void virtual_fiber::wake() noexcept {
  const virtual_executor::monitor_guard calling(exec, false);
  woken = true;
  if (std::exchange(asleep, false)) {
    if (home) return home->enqueue(*this, exec.signalled(*home));
    awake = true;
  }
  exec.moved_.notify_all();
}

/// The caller's fiber goes on behind what could run on its worker now: other ranks' fibers, and ranks that have not
/// begun.
void virtual_executor::let_others_run() {
  const monitor_guard calling(*this);
  if (!here() || here()->index >= workers()) return;
  auto& w = static_cast<virtual_worker&>(*here());
  if (!w.running || (!w.has_ready() && w.apart.empty())) return;
  virtual_fiber& me = *std::exchange(w.running, nullptr);
  w.enqueue(me, w.clock);
  trace::record(w.index, trace::event_kind::suspend, 0, me.number);
  make_way(me);
  trace::record(w.index, trace::event_kind::resume, 0, me.number);
}

waiter* virtual_executor::caller() {
  promote_all(*this);
  if (calling_thread::owns_monitor() && driver_ && current_) return current_->running;
  if (calling_thread::started() == this) return starter_.get();
  thread_local std::optional<virtual_fiber> mine;
  if (!mine || &mine->exec != this) mine.emplace(*this, nullptr);
  return &*mine;
}

/// Gives an idle fiber of a sort, or a new one.
virtual_fiber& virtual_executor::take_fiber(virtual_fiber*& idle, void (*body)(void*)) {
  if (!idle) try {
      return fibers_.emplace_back(*this, fibers_.size() + 1, stacks_.take(), body);
    } catch (const std::bad_alloc&) {
      has_no_stack(fibers_.size());
    }
  virtual_fiber& f = *idle;
  idle = f.next;
  return f;
}

/// `take_fiber` gives this one next, so it keeps its memory; the one that was next gives back what it was deep with.
void virtual_executor::set_idle(virtual_fiber*& idle, virtual_fiber& f) {
  if (idle) idle->machine.stack()->return_memory();
  f.next = idle;
  idle = &f;
}

int virtual_executor::track() const noexcept {
  const virtual_worker* w = self();
  return w ? w->index : -1;
}

std::uint64_t described_nanoseconds() noexcept {
  const virtual_executor* exec = the_only_one.load(std::memory_order_relaxed);
  if (exec && exec->is_known_here()) last_nanoseconds.store(exec->nanoseconds(), std::memory_order_relaxed);
  return last_nanoseconds.load(std::memory_order_relaxed);
}

void forget_described_machine_after_fork() noexcept {
  the_only_one.store(nullptr, std::memory_order_relaxed);
  calling_thread::set_started(nullptr);
}

std::unique_ptr<executor> make_virtual(const machine::machine_spec& machine, int workers, run_policies policies) {
  return std::make_unique<virtual_executor>(machine, workers, policies);
}

}  // namespace maslin
