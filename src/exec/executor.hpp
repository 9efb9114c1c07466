#pragma once
// The contract of exec: what every kind of machine offers. The public calls end here; tests/conformance states the
// promises that each implementation keeps.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "maslin/loop.hpp"
#include "maslin/phase.hpp"
#include "task/node.hpp"

namespace maslin {

class executor {
 public:
  virtual ~executor() = default;

  /// Takes a task that is a member of its scope and ready; it runs once, now or later.
  virtual void submit(detail::task_node* task) noexcept = 0;
  /// Gives the caller as somebody who can be suspended; null when the system has no stack left to go on with.
  virtual waiter* caller() = 0;
  /// For a caller that cannot be suspended: does some of what `covered` (if it is a scope that is waited for) is
  /// waiting for, on the caller's stack, or lets others run.
  virtual void help(const scope* covered) = 0;
  /// The public calls of the same names.
  virtual void run_loop(const detail::loop& l) = 0;
  virtual void run_phase(const detail::phase& p) = 0;
  virtual void run_offload(std::uint32_t kernel, void (*call)(void*), void* env) = 0;
  virtual int width() const = 0;
  virtual int workers() const = 0;
  /// Tasks that a creator may have in flight before it runs a new one in place.
  virtual std::uint64_t window() const = 0;
  virtual bool serial() const { return false; }
};

/// Suspends the caller until all members of the scope are done.
inline void await(executor& exec, scope& s) {
  while (!s.quiet()) {
    if (waiter* me = exec.caller()) return s.await(*me);
    exec.help(&s);
  }
}

/// Gives the runtime's executor; starts the runtime on the first call. Throws `error` for a bad environment.
executor& the_executor();

/// Makes the executor for this many workers (exec/threads).
std::unique_ptr<executor> make_threads(int workers);
/// Makes the serial elision (exec/serial).
std::unique_ptr<executor> make_serial();

}  // namespace maslin
