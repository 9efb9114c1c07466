#include "graph/edges.hpp"

#include <atomic>
#include <functional>

#include "graph/recording.hpp"
#include "graph/version.hpp"
#include "task/pool.hpp"

namespace maslin::graph {

using detail::access_record;
using detail::edge;
using detail::task_node;
using detail::version;

namespace {

edge* list_of(std::uintptr_t word) { return reinterpret_cast<edge*>(word & ~flags); }

}  // namespace

void destroy(task_node* task) noexcept {
  const std::size_t bytes = task->granules * task_node::granule;
  task->~task_node();
  pool::give(task, bytes);
}

namespace {

void set_next_in_queue(task_node* task, task_node* next) {
  task->records()->link.to = reinterpret_cast<std::uintptr_t>(next);
}

/// Gives the version after `last` (in address order, so that no two tasks wait for each other) whose turn the task
/// takes.
version* next_turn(task_node& task, const version* last) {
  version* next = nullptr;
  for (int i = 0; i < task.accesses; ++i) {
    const access_record& record = task.records()[i];
    const bool turns = record.of && record.of->has_turns();
    if (turns && std::less<>{}(last, record.of) && (!next || std::less<>{}(record.of, next))) next = record.of;
  }
  return next;
}

/// Takes the turns after `held`; gives whether the task has them all. If not, it waits in the queue of one.
bool take_turns(task_node& task, const version* held) noexcept {
  while (version* next = next_turn(task, held)) {
    const base::locked guard(next->lock);
    if (next->taken) {
      set_next_in_queue(&task, nullptr);
      if (next->waiting)
        set_next_in_queue(next->last_waiting, &task);
      else
        next->waiting = &task;
      next->last_waiting = &task;
      return false;
    }
    next->taken = true;
    held = next;
  }
  return true;
}

}  // namespace

void return_turns(task_node& task, ready_sink& sink) noexcept {
  const version* before = nullptr;
  while (version* v = next_turn(task, before)) {
    before = v;
    task_node* next;
    {
      const base::locked guard(v->lock);
      next = v->waiting;
      if (next) {
        v->waiting = next_in_queue(next);
      } else {
        v->taken = false;
      }
    }
    if (next && take_turns(*next, v)) sink.ready(next);
  }
}

namespace {

/// What a done task with accesses leaves behind: versions without it, turns for others, followers without a blocker.
void release_data(task_node* task, ready_sink& sink) noexcept {
  if (task->takes_turns) return_turns(*task, sink);
  for (int i = 0; i < task->accesses; ++i)
    if (version* v = task->records()[i].of) release(*v);
  const bool failed = task->failed();
  const scope* why = failed_for(*task);
  // Release: what the task wrote is visible to who finds it done; acquire: the edges' memory is the creator's.
  const std::uintptr_t word = task->followers.exchange(done, std::memory_order_acq_rel);
  if (word & forgotten) destroy(task);  // else the creator will, once no datum names it
  edge* in_order = nullptr;
  for (edge* e = list_of(word); e;) {
    edge* after = e->next;
    e->next = in_order;
    in_order = e;
    e = after;
  }
  for (edge* e = in_order; e;) {
    edge* after = e->next;
    task_node* to = target(*e);
    if (failed && is_needed(*e)) cancel(*to, why);
    if (is_block(*e)) pool::give(e, sizeof(edge));
    unblock(*to, 1, sink);
    e = after;
  }
}

}  // namespace

bool link(task_node& from, edge& with, task_node& to, bool needs, bool is_block) noexcept {
  std::uintptr_t seen = from.followers.load(std::memory_order_acquire);
  with.to = reinterpret_cast<std::uintptr_t>(&to) | (needs ? edge_needs : 0) | (is_block ? edge_is_block : 0);
  do {
    if (seen & done) {
      if (needs && from.failed()) cancel(to, failed_for(from));
      return false;
    }
    with.next = list_of(seen);
    // Release: whoever takes the list reads the edge.
  } while (!from.followers.compare_exchange_weak(seen, reinterpret_cast<std::uintptr_t>(&with) | (seen & flags),
                                                 std::memory_order_release, std::memory_order_acquire));
  return true;
}

void unname(task_node& task) noexcept {
  if (--task.named > 0) return;
  // One of the two sides sees the other's flag, and destroys.
  if (is_done(task) || (task.followers.fetch_or(forgotten, std::memory_order_acq_rel) & done)) destroy(&task);
}

void unblock(task_node& task, std::int32_t count, ready_sink& sink) noexcept {
  // Release: what the source did happened before the target runs; acquire: that of all sources.
  if (task.blockers.fetch_sub(count, std::memory_order_acq_rel) == count) start(task, sink);
}

void start(task_node& task, ready_sink& sink) noexcept {
  if (!task.takes_turns || take_turns(task, nullptr)) sink.ready(&task);
}

void finish(task_node* task, ready_sink& sink) noexcept {
  while (task) {
    scope* in = task->in;
    if (task->children.has_errors()) {
      in->add_errors(task->place, task->children.take_errors());
      cancel(*task, in);
    }
    if (task->failed() && !task->is_internal && !in->dismissed()) in->mark_void();
    if (task->is_recorded) {
      if (!end_recorded(*task, sink)) return;
    } else if (task->accesses > 0)
      release_data(task, sink);
    else
      destroy(task);
    // Read before leaving: the scope may be gone afterwards, unless this was the last that kept its owner.
    task_node* owner = in->owner();
    task = in->leave() ? owner : nullptr;
  }
}

}  // namespace maslin::graph
