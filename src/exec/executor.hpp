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
  /// Gives the caller as somebody who can be suspended.
  virtual waiter& caller() = 0;
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

/// Gives the runtime's executor; starts the runtime on the first call. Throws `error` for a bad environment.
executor& the_executor();

/// Makes the executor for this many workers (exec/threads).
std::unique_ptr<executor> make_threads(int workers);
/// Makes the serial elision (exec/serial).
std::unique_ptr<executor> make_serial();

}  // namespace maslin
