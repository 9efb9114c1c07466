#pragma once
// A team: the workers that share loops and take each other's work. Its members are neighbours: workers [first, first +
// width).

#include <atomic>
#include <vector>

#include "base/atomic.hpp"
#include "exec/core/loop_queue.hpp"
#include "exec/phase/grain_lock.hpp"
#include "sched/grain/wait.hpp"

namespace maslin {

class phase_run;

/// Teams are pooled and never freed while the runtime runs, so a worker that looks at a team which has just been
/// dissolved finds a team, perhaps another one; it looks again at its next step.
struct team {
  /// Workers [first, first + width).
  struct alignas(8) span {  // to its size: clang 14 calls libatomic where an atomic object is aligned to less
    int first;
    int width;
  };

  /// `most_phases`: that its workers may be divided among.
  explicit team(int most_phases, span workers = {0, 1}) : workers_(workers) {
    phases.reserve(static_cast<std::size_t>(most_phases));
  }

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

  phase_run* runs MASLIN_GUARDED_BY(grain_held) = nullptr;  ///< the phase whose streams it runs
  /// That its workers are divided among, one beside the other; there is room for all.
  std::vector<phase_run*> phases MASLIN_GUARDED_BY(grain_held);
  void set_workers(span to) MASLIN_REQUIRES(grain_held) { workers_.store(to, std::memory_order_seq_cst); }

 private:
  MASLIN_ATOMIC<span> workers_;
  static_assert(std::atomic<span>::is_always_lock_free);
};

/// Of a team, and of those that it was divided from, the next one up; null where that worker is not its first.
inline const team* next_led(const team& t, int worker) {
  const team* const up = t.parent.load(std::memory_order_relaxed);
  return up && up->first() == worker ? up : nullptr;
}
/// Is a stream suspended that the first worker of a team resumes before it sleeps?
inline bool may_resume(const team& t, int worker) {
  if (t.first() != worker) return false;
  for (const team* one = &t; one; one = next_led(*one, worker))
    if (one->may_resume.load(std::memory_order_seq_cst)) return true;
  return false;
}

}  // namespace maslin
