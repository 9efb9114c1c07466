#pragma once
// What a phase needs of the executor whose workers it divides.

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/mutex.hpp"
#include "exec/phase/learned.hpp"
#include "exec/phase/team.hpp"
#include "sched/grain/named_policy.hpp"
#include "sched/grain/pin.hpp"
#include "sched/grain/wait.hpp"

namespace maslin {

/// Everything but what is said to be for any thread is under the executor's grain lock.
class phase_host {
 public:
  /// Reads MASLIN_PIN, MASLIN_GRAIN and MASLIN_WAIT. Throws `error`.
  phase_host();
  virtual ~phase_host() = default;

  virtual int worker_count() const = 0;
  /// Any thread: the team that the worker serves.
  virtual MASLIN_ATOMIC<team*>& team_served_by(int worker) = 0;
  /// Any thread: makes sure that the worker takes another look around.
  virtual void notify_worker(int worker) = 0;
  /// Any thread: the number by which a trace knows the caller.
  virtual int track() const noexcept = 0;
  /// Any thread: the time.
  virtual std::uint64_t ticks() const = 0;
  virtual double seconds_per_tick() const = 0;
  /// Any thread: gives the time between two of these; 0 where the later one is behind. Workers of a described machine
  /// look at clocks of their own.
  double seconds_between(std::uint64_t then, std::uint64_t now) const {
    return now > then ? static_cast<double>(now - then) * seconds_per_tick() : 0;
  }
  /// Any thread: what sharing a kernel with a team costs at least; 0: not known.
  virtual double handing_over() const = 0;

  /// Any thread: are there libraries with threads of their own?
  virtual bool calls_libraries() const { return false; }
  /// Any thread: is what streams do themselves, between off-loads, done by their workers and at one worker's pace? In
  /// libraries it is done by as many as are granted.
  virtual bool counts_own_code() const { return !calls_libraries(); }

  const grain::pins& pins() const { return pins_; }
  /// Any thread: where that kernel runs, if MASLIN_PIN says so.
  std::optional<grain::kernel_place> pinned_place(std::uint32_t kernel) const;
  /// What chooses the configurations of phases that are not pinned.
  grain::policy policy() const { return policy_; }
  // Any thread, without the grain lock: what was learned of phases is read from a file when it is first asked for.
  // Throw std::bad_alloc.
  std::vector<grain::knowledge> learned_of(std::string_view phase, int workers, std::int64_t streams);
  void learn(std::string_view phase, int workers, std::int64_t streams, grain::knowledge what);
  /// Keeps what was learned for later runs.
  void end_learning() noexcept {
    const base::locked held(learning_);
    learned_.reset();
  }
  /// How idle workers wait, and the variable that says so; null where the user has named no policy.
  grain::wait_policy wait_policy() const { return wait_; }
  const char* wait_policy_by() const { return wait_by_; }
  /// What is known of the waits of these workers; nothing where that is not measured.
  virtual std::optional<grain::wait_sums> waits(int first, int width) const = 0;
  /// Gives `auto` for a phase that begins.
  virtual grain::auto_wait learned_wait() const { return {0, false}; }
  /// Any thread: the CPU time that the process has taken; nothing where time is virtual.
  virtual std::optional<double> cpu_seconds() const = 0;
  /// Any thread: for how long the threads of these workers have wanted a CPU and had none, in seconds, summed over
  /// them; 0 where that is not known.
  virtual double seconds_without_cpu(int /*first*/, int /*width*/) const { return 0; }
  /// Reads what earlier runs learned of phases on these workers. Throws std::bad_alloc.
  virtual std::unique_ptr<learned_phases> open_learned() const = 0;
  /// Any thread, without the grain lock: a phase begins or ends: it may hold so many teams more. Makes them and throws
  /// std::bad_alloc, or gives them up.
  void promise_teams(int count);
  team* take_team() MASLIN_REQUIRES(grain_held);
  void return_team(team* t) MASLIN_REQUIRES(grain_held);

 protected:
  /// Makes the team that is never returned.
  team& make_whole(int workers);

 private:
  learned_phases& learned() MASLIN_REQUIRES(learning_);

  grain::pins pins_;
  std::map<std::string, grain::kernel_place, std::less<>> pinned_kernels_;
  grain::policy policy_;
  base::mutex learning_;
  std::unique_ptr<learned_phases> learned_ MASLIN_GUARDED_BY(learning_);
  grain::wait_policy wait_ = grain::wait_policy::automatic;
  const char* wait_by_ = nullptr;
  base::short_lock pool_;
  std::deque<team> teams_ MASLIN_GUARDED_BY(pool_);
  std::vector<team*> free_teams_ MASLIN_GUARDED_BY(pool_);  ///< has room for all
  int promised_teams_ MASLIN_GUARDED_BY(pool_) = 0;
};

}  // namespace maslin
