#pragma once
// The runtime as a program sees it.

#include <chrono>

#include "maslin/api.hpp"

namespace maslin {

/// Which of the tasks that are ready a worker runs next; `of_the_run` is what MASLIN_PLACE says. `dbs`: the latest that
/// it made ready, and others steal the oldest. `locality`: one whose data its cache still holds. `chains`: the task
/// that it made ready, if that is the only one, else the earliest of all in program order. `program_order`: the
/// earliest of all. `automatic`: dbs or locality, whichever serves the program better, as measured. The results are the
/// same under each of them.
enum class placement : unsigned char { of_the_run, dbs, locality, chains, program_order, automatic };

/// Keeps the runtime of this process alive. The first one (or the first call of anything else) starts it; the starting
/// thread is worker 0 while it is inside Maslin. The last destructor waits for everything, prints exceptions that
/// nobody observed, stops the workers and never throws. One that is made inside a task, a stream or a loop does not
/// count: the runtime runs there, and its end waits for that code.
class Runtime {
 public:
  /// What a program may ask for.
  struct options {
    int workers = 0;      ///< 0: MASLIN_WORKERS, else this process's CPU budget
    bool serial = false;  ///< run every call in place, in program order (also MASLIN_SERIAL=1)
    placement place = placement::of_the_run;
  };
  /// Throws `error` for a bad environment (MASLIN_WORKERS=banana) or when a runtime with other options is running.
  MASLIN_API Runtime();
  MASLIN_API explicit Runtime(const options& wish);
  MASLIN_API ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

 private:
  bool counts_ = false;
};

/// Gives the number of workers granted to the caller: a stream's width; 1 inside a task or loop. For code inside.
MASLIN_API int width();

/// Gives the number of workers of the runtime.
MASLIN_API int workers();

/// Gives the time since some moment in the past: on a described machine (MASLIN_MACHINE) its virtual time, where the
/// system's clocks say how long the simulation takes.
MASLIN_API std::chrono::duration<double> time();

}  // namespace maslin
