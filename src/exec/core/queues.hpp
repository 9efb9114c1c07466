#pragma once
// The queues of a team as one of its workers sees them, on every machine (sched/place/dbs.hpp says what each call
// gives).

#include <new>
#include <optional>

#include "exec/core/machine.hpp"
#include "sched/place/dbs.hpp"

namespace maslin::core {

template <machine_with_queues Machine>
class team_queues {
 public:
  using work = maslin::work;
  using worker = typename Machine::worker_type;

  team_queues(Machine& machine, worker& own, team& t)
      : machine_(machine),
        own_(own),
        team_(t),
        members_(t.workers()),
        shares_(machine.shares_of(t, members_.width)),
        last_(machine.last_of(t, members_)) {}

  std::optional<work> take_own() {
    // What a loop's caller waits for comes first.
    if (auto part = own_.queue.take_head(shares_)) return part;
    if (detail::task_node* task = own_.tasks.pop()) return work{task, {}};
    machine_.has_tasks().clear_if_set(own_.index);
    return std::nullopt;
  }

  std::optional<work> take_centre() {
    std::optional<work> item = team_.centre.take_head(shares_);
    if (!item || item->task || item->part.size() <= item->part.grain) {
      // As after a theft: who leaves some wakes the next, however many workers there are for small shares.
      if (item && !team_.centre.empty()) machine_.wake_one(members_);
      return item;
    }
    try {
      own_.queue.push_head(*item);
    } catch (const std::bad_alloc&) {
      return item;  // it cannot be shared further, but it can be done
    }
    machine_.wake_one(members_);
    return take_own();
  }

  int next_victim(int victim) {
    return place::next_in_circle(own_.index, members_.first, last_, victim,
                                 [this](int from, int to) { return first_set(from, to); });
  }

  bool bisect(int victim) {
    worker& from = machine_.at(victim);
    machine_.looks_at(own_, from);
    int took = 0;
    if (machine_.steal_tasks(own_, from)) {
      machine_.has_tasks().set(own_.index);
      took = own_.tasks.size() > 1 ? 2 : 1;
    } else {
      try {
        took = from.queue.bisect_into(own_.queue);
        if (took == 0) return machine_.found_nothing(from), false;
      } catch (const std::bad_alloc&) {
        return false;  // there is no memory for the list of what would be taken; its owner will do it
      }
    }
    machine_.stole(own_, from);
    // Who finds work and leaves some wakes the next, so that a wave of work wakes the team without one waker paying for
    // all. What it takes beside the one that it runs nobody saw while it moved.
    if (took > 1 || next_victim(-1) >= 0) machine_.wake_one(members_);
    return true;
  }

  /// Is there something to take? Unlike the bits, this is exact.
  bool any() {
    if (!own_.queue.empty() || !own_.tasks.empty() || !team_.centre.empty()) return true;
    for (int victim = next_victim(-1); victim >= 0; victim = next_victim(victim)) {
      worker& from = machine_.at(victim);
      if (!from.tasks.empty() || !from.queue.empty()) return true;
    }
    return false;
  }

 private:
  int first_set(int from, int to) {
    const int tasks = machine_.has_tasks().first_set(from, to);
    const int loops = machine_.has_loops().first_set(from, tasks < 0 ? to : tasks);
    return loops >= 0 ? loops : tasks;
  }

  Machine& machine_;
  worker& own_;
  team& team_;
  const team::span members_;
  int shares_;
  int last_;
};

}  // namespace maslin::core
