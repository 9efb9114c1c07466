#pragma once
// What each thread of the operating system that calls into a described machine, or drives it, has of its own.

#include <ctime>

#include <cstdint>

namespace maslin {

class virtual_executor;

/// The calling thread's. A fiber may go on on another one, so that nothing here is inline: no address is kept.
namespace calling_thread {

/// Is the thread inside the executor, which is a monitor?
bool owns_monitor() noexcept;
void set_owns_monitor(bool now) noexcept;

/// The executor that this thread has started.
virtual_executor* started() noexcept;
void set_started(virtual_executor* what) noexcept;

// Its tick: since when code of the program runs here that was not charged yet. It stands still while the runtime is at
// work.
/// From now on code of the program runs. Gives whether it did already.
bool code_begins() noexcept;
/// From now on it does not. Gives whether it did.
bool code_stops() noexcept;
bool runs_code() noexcept;
/// Stops and gives for how many ticks it ran, up to that one.
std::uint64_t code_ran(std::uint64_t until) noexcept;

/// Code of the program runs while this lives; it may go on on another thread.
class runs_code_meanwhile {
 public:
  runs_code_meanwhile() noexcept : ran_(code_begins()) {}
  ~runs_code_meanwhile() {
    if (!ran_) code_stops();
  }
  runs_code_meanwhile(const runs_code_meanwhile&) = delete;
  runs_code_meanwhile& operator=(const runs_code_meanwhile&) = delete;

 private:
  const bool ran_;
};

}  // namespace calling_thread

/// How long the program's own thread has run its code outside the executor. Under the executor's lock.
///
/// That is measured by the wall clock. But where another thread of the program comes inside meanwhile, the own one may
/// only wait for that, and the wall clock shows what the simulation takes: from then on its CPU time counts.
class outside_time {
 public:
  /// On the program's own thread.
  outside_time() noexcept;
  /// It goes outside.
  void begins() noexcept { other_came_ = 0; }
  /// Another thread is inside.
  void other_is_inside() noexcept;
  /// It is back at that tick: gives the one up to which its code counts.
  std::uint64_t ends(std::uint64_t now) noexcept;

 private:
  std::uint64_t other_came_ = 0;  ///< 0: none has come
  double cpu_seconds_then_ = 0;
  clockid_t cpu_clock_;
};

}  // namespace maslin
