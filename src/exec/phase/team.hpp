#pragma once
// A team: the workers that share loops and take each other's work. Its members are neighbours: workers [first, first +
// width).

#include <atomic>
#include <vector>

#include "base/atomic.hpp"
#include "exec/core/loop_queue.hpp"
#include "sched/grain/wait.hpp"

namespace maslin {

class phase_run;

/// Teams are pooled and never freed while the runtime runs, so a worker that looks at a team which has just been
/// dissolved finds a team, perhaps another one; it looks again at its next step.
struct team {
  /// Workers [first, first + width).
  struct span {
    int first;
    int width;
  };

  // Any thread may read these.
  int first() const { return workers().first; }
  int width() const { return workers().width; }
  /// Both of the same team, also where it becomes another one meanwhile: together they never reach behind the workers
  /// that there are.
  span workers() const { return workers_.load(std::memory_order_relaxed); }
  bool grows = false;                    ///< it may be narrower now than it will be: the whole where the node is shared
  MASLIN_ATOMIC<int> slot{0xffff};       ///< the stream slot of a phase; trace::no_slot outside phases
  MASLIN_ATOMIC<team*> parent{nullptr};  ///< the team that was divided
  MASLIN_ATOMIC<bool> wants_stream{false};  ///< its first worker should ask the phase for a stream
  MASLIN_ATOMIC<grain::wait_policy> waits{grain::wait_policy::spin};  ///< how its workers wait
  MASLIN_ATOMIC<bool> may_resume{false};  ///< there is a suspended stream that its first worker runs before it sleeps
  /// Work for anybody. Only the whole's is used: a team that was divided off may be gone before its work is done.
  work_queue centre;

  // Under the executor's grain lock.
  phase_run* runs = nullptr;       ///< the phase whose streams it runs
  std::vector<phase_run*> phases;  ///< that its workers are divided among, one beside the other
  void set_workers(span to) { workers_.store(to, std::memory_order_seq_cst); }

 private:
  MASLIN_ATOMIC<span> workers_{{0, 1}};
  static_assert(std::atomic<span>::is_always_lock_free);
};

/// Of the team and those that it was divided from, as far as that worker is the first of each: does `visit(one)` give
/// true for one?
template <class Visit>
bool any_led(const team& t, int worker, Visit&& visit) {
  for (const team* one = &t; one && one->first() == worker; one = one->parent.load(std::memory_order_relaxed))
    if (visit(*one)) return true;
  return false;
}
/// Is a stream suspended that such a worker resumes before it sleeps?
inline bool may_resume(const team& t, int worker) {
  return any_led(t, worker, [](const team& one) { return one.may_resume.load(std::memory_order_seq_cst); });
}

}  // namespace maslin
