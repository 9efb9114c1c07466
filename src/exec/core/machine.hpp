#pragma once
// What the engine asks of a machine: a concept for each file of templates, and `machine`, which is all of them. Each
// machine asserts it where it is compiled, so that what it lacks is named there. tests/interleavings/archetype.hpp is
// the smallest one.

#include <concepts>
#include <cstdint>
#include <optional>

#include "exec/core/invitations.hpp"
#include "exec/core/loop_queue.hpp"
#include "exec/core/loop_run.hpp"
#include "exec/core/urgent.hpp"
#include "exec/executor.hpp"
#include "exec/phase/host.hpp"
#include "exec/phase/team.hpp"
#include "maslin/fork.hpp"
#include "maslin/trace.hpp"

namespace maslin {

struct stream_run;

namespace core {

template <class Machine>
using worker_of = typename Machine::worker_type;

/// Made of the machine, and lives while what its name says holds.
template <class Guard, class Machine>
concept guard_of = std::constructible_from<Guard, Machine&>;

/// Says which of a team's workers something holds for.
template <class Bits>
concept bits_of_workers = requires(Bits& bits, int worker) {
  bits.set(worker);
  bits.clear_if_set(worker);
  { bits.test(worker) } -> std::same_as<bool>;
  { bits.first_set(worker, worker) } -> std::same_as<int>;  // in [from, to), or -1
};

template <class Worker>
concept worker_with_queues = requires(Worker& w, detail::task_node* task) {
  { w.index } -> std::convertible_to<int>;
  { w.tasks.push(task) } -> std::same_as<bool>;  // false: it has no room
  { w.tasks.pop() } -> std::same_as<detail::task_node*>;
  { w.tasks.empty() } -> std::same_as<bool>;
  requires std::same_as<decltype(w.queue), work_queue>;  // of loops
  requires std::same_as<decltype(w.invited), invitations>;
  w.gave_at;  // when it gave away a branch of a fork last, as `now` counts
};

/// For queues.hpp.
template <class Machine>
concept machine_with_queues = worker_with_queues<worker_of<Machine>> &&
    requires(Machine& machine, worker_of<Machine>& own, worker_of<Machine>& from, const team& t, team::span members) {
  { machine.at(int{}) } -> std::same_as<worker_of<Machine>&>;
  { machine.whole() } -> std::same_as<team&>;
  // Whose queues hold work.
  { machine.has_tasks() } -> bits_of_workers;
  { machine.has_loops() } -> bits_of_workers;
  // Into how many shares a team's loop is cut, and the end of the workers in whose queues its work may lie.
  { machine.shares_of(t, int{}) } -> std::same_as<int>;
  { machine.last_of(t, members) } -> std::same_as<int>;
  // Wakes one of these that sleeps, if there is one.
  machine.wake_one(members);
  // A worker looks into another's queues; moves half of that one's tasks to its own, false where there were none; has
  // found nothing there, or something.
  machine.looks_at(own, from);
  { machine.steal_tasks(own, from) } -> std::same_as<bool>;
  machine.found_nothing(from);
  machine.stole(own, from);
};

/// For loops.hpp.
template <class Machine>
concept machine_with_loops = machine_with_queues<Machine> && std::derived_from<Machine, executor> &&
    requires(Machine& machine, worker_of<Machine>* w, context& caller, loop_run& run, const loop_part& part,
             team::span members, const detail::loop& l) {
  // While one lives, what workers share may be looked at (nothing where that has locks).
  requires guard_of<typename Machine::exclusive, Machine>;
  // While one lives, the caller may note something in its worker's trace.
  requires guard_of<typename Machine::tracing, Machine>;
  // Live while a loop is called, and from its begin to its end.
  requires guard_of<typename Machine::loop_call, Machine>;
  requires std::constructible_from<typename Machine::during_loop, Machine&, decltype(w), context&>;
  // Null for a foreign thread; so may be the others' `w`.
  { machine.calling_worker() } -> std::same_as<worker_of<Machine>*>;
  // Whose workers share the caller's loops.
  { machine.calling_team(w, caller) } -> std::same_as<team&>;
  // Makes sure that the worker takes another look around; that somebody is worker 0, too.
  machine.notify_worker(int{});
  machine.want_worker_0();
  // Is the loop to be dealt out, being small, and everybody awake who would take part? What its blocks take is noted
  // while one `timed_blocks` lives, once that was asked for.
  { machine.deals_out(w, members, caller, l) } -> std::same_as<deal>;
  machine.times(run);
  requires std::constructible_from<typename Machine::timed_blocks, Machine&, loop_run&>;
  // Runs the first blocks, where what they take is to be found out first; gives the rest.
  { machine.begin_alone(w, run) } -> std::same_as<loop_part>;
  // Runs blocks from that one on until `team_has_changed`, which it asks now and then; gives the rest.
  { machine.run_until_changed(*w, run, std::int64_t{}) } -> std::same_as<loop_part>;
  // May the caller take shares of its loop?
  { machine.may_take_shares(w) } -> std::same_as<bool>;
  // Does the caller of a loop do the parts of those that have not come when it is done with its own?
  { machine.does_parts_of_others(w) } -> std::same_as<bool>;
  // Runs blocks of it and gives how many; others do the rest.
  { machine.run_share(w, part) } -> std::same_as<std::int64_t>;
  // Runs them all, by `core::run_blocks`.
  machine.run_blocks(w, run, std::int64_t{}, std::int64_t{});
  // The caller looks whether the others are done before it is suspended.
  machine.finishes_soon(run, *w);
  // The loop has ended.
  machine.learn(run);
};

/// How far `run_blocks` goes.
template <class Pace>
concept pace_of_blocks = requires(Pace& pace, std::int64_t next, context& here) {
  // The next blocks, up to there, are one piece of work.
  { pace.end_of_piece(next) } -> std::same_as<std::int64_t>;
  // A piece was run in that context.
  pace.ran(here);
  // Leaves the rest.
  { pace.stops(next) } -> std::same_as<bool>;
};

/// For step.hpp.
template <class Machine>
concept machine_with_steps = machine_with_loops<Machine> &&
    requires(Machine& machine, worker_of<Machine>& w, const team& t, detail::task_node* task, const loop_part& part) {
  // Lives while the program's code is in a call that may queue something.
  requires guard_of<typename Machine::any_call, Machine>;
  // Whose workers run the tasks that the worker makes ready.
  { machine.calling_team(&w) } -> std::convertible_to<const team&>;
  // Tasks that stand in one order for all workers: those of a positive priority, or all.
  { machine.urgent() } -> std::same_as<urgent_tasks&>;
  // In place of a worker's queue: it has no room, or the caller is no worker.
  machine.enqueue_in_centre(task);
  // A foreign thread has made something that the workers do.
  machine.comes_from_outside();
  machine.run_tasks(w, task);
  machine.run_part(&w, part);
  { machine.run_kernel(w) } -> std::same_as<bool>;
  { machine.wants_stream(w, t) } -> std::same_as<bool>;
  { machine.start_stream(w) } -> std::same_as<bool>;
  // The worker does something for which it need not have been woken.
  machine.begins_other_work(w);
  // From here on, who finds work and leaves some wakes the next.
  machine.looks_into_queues(w);
  // In the unit of `worker_type::gave_at`.
  w.gave_at = machine.now(w);
  { machine.now(w) - w.gave_at < machine.heartbeat() } -> std::same_as<bool>;
  // Forks to be ignored where it is too early.
  { Machine::forks_between_looks } -> std::convertible_to<int>;
  // A worker of its team may want a branch; notes that this one was asked.
  { machine.may_give(w) } -> std::same_as<bool>;
};

/// Can be let go and taken again; `without` does so around a call, where something else can happen meanwhile.
template <class Guard>
concept lockable_guard = requires(Guard& held) {
  held.unlock();
  held.lock();
  held.without([] {});
};

/// For streams.hpp.
template <class Machine>
concept machine_with_streams = machine_with_loops<Machine> && std::derived_from<Machine, phase_host> &&
    requires(Machine& machine, worker_of<Machine>* w, context& here, stream_run& s, const detail::loop& l,
             error_list& errors, trace::event_kind what, void (*call)(void*), void* env, std::uint32_t kernel) {
  // Lives while the code of a stream runs, whose context is in force.
  requires guard_of<typename Machine::stream_code, Machine>;
  // Lives while a phase is called.
  requires guard_of<typename Machine::phase_call, Machine>;
  // Holds the lock of what sched/grain decides.
  requires guard_of<typename Machine::grain_guard, Machine> && lockable_guard<typename Machine::grain_guard>;
  // Takes it if nobody else holds it: then a guard adopts it.
  { machine.try_grain_lock() } -> std::same_as<bool>;
  requires std::constructible_from<typename Machine::grain_guard, Machine&, std::adopt_lock_t>;
  // The stream takes its place, if its configuration has changed.
  machine.come_to_offload(here, s);
  // The caller runs what a foreign thread waits for.
  { machine.has_no_worker(w) } -> std::same_as<bool>;
  // The machine looks at what a phase changes for it.
  machine.begins_phase();
  machine.trace_stream(what, s);
  // A stream without a worker has ended, and that was all.
  { machine.ended_outside(s, errors) } -> std::same_as<bool>;
  // Loops of streams are not off-loads.
  { machine.loops_are_hosts() } -> std::same_as<bool>;
  // A loop that is too small and is not timed this time.
  { machine.passes(l) } -> std::same_as<bool>;
  // Shares it, or not: `share_loop` of loops.hpp, with what the machine knows of the loop.
  machine.share_loop(here, l);
  machine.loop_took(*w, l, int{}, std::uint64_t{});
  // What is known of the kernel's calls; too small, and not timed this time.
  { machine.passes(machine.site_of(&s, call, kernel), 1) } -> std::same_as<bool>;
  { Machine::kernel_handing_over_seconds } -> std::convertible_to<double>;
  // The workers are others than the one that calls: `send_kernel` does the rest.
  { machine.sends_kernels() } -> std::same_as<bool>;
  machine.send_kernel(here, &s, kernel, int{}, call, env);
  machine.trace_kernel(what, kernel, int{});
  machine.ran_kernel(w);
  machine.kernel_took(*w, machine.site_of(&s, call, kernel), int{}, std::uint64_t{});
};

template <class Machine>
concept machine = machine_with_steps<Machine> && machine_with_streams<Machine>;

}  // namespace core
}  // namespace maslin
