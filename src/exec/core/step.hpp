#pragma once
// What a worker does next, and where a task waits for a worker, on every machine.

#include <optional>
#include <utility>

#include "exec/core/loops.hpp"
#include "exec/core/queues.hpp"
#include "exec/forks/forks.hpp"
#include "task/node.hpp"

namespace maslin::core {

template <machine_with_steps Machine>
void run(Machine& machine, worker_of<Machine>& w, const work& item) {
  item.task ? machine.run_tasks(w, item.task) : machine.run_part(&w, item.part);
}

/// The worker does one thing; false where there is nothing.
template <machine_with_steps Machine>
bool step(Machine& machine, worker_of<Machine>& w, team& t) {
  if (machine.urgent().any())
    if (detail::task_node* task = machine.urgent().pop()) {
      machine.begins_other_work(w);
      return machine.run_tasks(w, task), true;
    }
  if (machine.run_kernel(w)) return true;
  if (const auto to = w.invited.take()) {
    machine.begins_other_work(w);
    return answer(machine, &w, *to), true;
  }
  machine.looks_into_queues(w);
  team_queues<Machine> all(machine, w, t);
  if (auto item = place::dbs(all)) return run(machine, w, *item), true;
  return machine.wants_stream(w, t) && machine.start_stream(w);
}

/// The worker of a divided team looks into the whole team's centre, where a task of its team may lie that was made
/// before the team was divided. Gives whether there was something.
template <machine_with_steps Machine>
bool take_from_whole_team(Machine& machine, worker_of<Machine>& w, const team& t) {
  team& whole = machine.whole();
  if (&t == &whole) return false;
  const team::span all = whole.workers();
  const auto item = whole.centre.take_head(machine.shares_of(whole, all.width));
  if (!item) return false;
  if (!whole.centre.empty()) machine.wake_one(all);
  run(machine, w, *item);
  return true;
}

/// A task is ready: puts it where a worker finds it, and wakes one.
template <machine_with_steps Machine>
void ready(Machine& machine, detail::task_node* task) noexcept {
  const typename Machine::any_call call(machine);
  const typename Machine::exclusive held(machine);
  worker_of<Machine>* w = machine.calling_worker();
  const team& t = machine.calling_team(w);
  if ((task->priority > 0 || machine.urgent().holds_all()) && machine.urgent().push(task)) {
  } else if (w && w->tasks.push(task)) {
    if (!machine.has_tasks().test(w->index)) machine.has_tasks().set(w->index);
  } else {
    return machine.enqueue_in_centre(task);
  }
  if (!w) machine.comes_from_outside();
  machine.wake_one(t.workers());
}

/// Keeps the first task that becomes ready for the worker that made it so, which goes on with it: the head of its queue
/// would be the same. Under chains it keeps that only if it is the only one.
template <machine_with_steps Machine>
struct first_ready final : graph::ready_sink {
  explicit first_ready(Machine& m) : machine(m) {}
  void ready(detail::task_node* task) noexcept override {
    if (!first && task->priority <= 0 && !chain_ends) {
      first = task;
    } else {
      if (machine.urgent().follows_chains()) end_chain();
      machine.ready(task);
    }
  }
  void end_chain() noexcept {
    chain_ends = true;
    if (first) machine.ready(std::exchange(first, nullptr));
  }
  Machine& machine;
  detail::task_node* first = nullptr;
  bool chain_ends = false;
};

/// Gives away the oldest branch of worker `w`, at most one a heartbeat, if there is a worker that has nothing to do.
template <machine_with_steps Machine>
void give_branch(Machine& machine, worker_of<Machine>& w, detail::fork_list& list) noexcept {
  const auto now = machine.now(w);
  if (now - w.gave_at < machine.heartbeat()) {
    list.ignored = Machine::forks_between_looks;
    return;
  }
  if (!machine.may_give(w)) return;
  w.gave_at = now;
  promote_oldest(machine, list);
}

}  // namespace maslin::core
