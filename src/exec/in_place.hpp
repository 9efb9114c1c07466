#pragma once
// What the executors share: running code in place, enclosed in a context of its own.

#include <exception>
#include <utility>

#include "exec/executor.hpp"
#include "exec/tracing.hpp"
#include "graph/domain.hpp"
#include "graph/recording.hpp"
#include "graph/store_clock.hpp"
#include "maslin/trace.hpp"
#include "task/context.hpp"

namespace maslin {

class live_report;

/// Suspends the caller until the tasks of that scope are done.
void await_scope(executor& exec, const context& caller, scope& covered);

/// Suspends the caller until all tasks of its context (or all members of a group) are done, whose data is settled.
inline void await_settled(executor& exec, context& caller, scope* members) {
  scope& covered = members ? *members : *caller.children;
  if (!covered.quiet()) await_scope(exec, caller, covered);
  // What is below a context that none of these tell of was waited for in the same way.
  if (graph::hear_program() && (members || caller.data || covered.created() > 0)) [[unlikely]]
    graph::tell_program_looks();
  if (caller.data) graph::domain::of(caller).quiet(members, covered.has_errors() || covered.dismissed());
}

/// Suspends the caller until they are done and their data is where the program declared it.
inline void await_tasks(executor& exec, context& caller, scope* members = nullptr) {
  if (caller.data) graph::settle(caller, members, exec);
  await_settled(exec, caller, members);
}

/// The same for all tasks of a context that ends.
inline void await_tasks_at_end(executor& exec, context& ending) {
  if (ending.data) graph::settle_at_end(ending, exec);
  await_settled(exec, ending, nullptr);
}

/// Runs `body()` in the context `here`, which is in force and whose scope is `own`, and waits for the tasks that it
/// created there. What went wrong is in the scope then.
template <class Body>
void run_to_end(executor& exec, context& here, scope& own, Body&& body) {
  try {
    body();
  } catch (...) {
    own.add_error(~std::uint64_t{0}, std::current_exception());
  }
  await_tasks_at_end(exec, here);
}

/// Puts the context in force for that, and gives what went wrong, in program order.
template <class Body>
error_list run_enclosed(executor& exec, context& here, scope& own, Body&& body) {
  {
    const entered in(here);
    run_to_end(exec, here, own, std::forward<Body>(body));
  }
  return own.has_errors() ? own.take_errors() : error_list();
}

/// Runs a kernel's body in the context of its caller, who is there or waits, and tells the executor when it has run.
/// `alone`: its loops are not shared.
void call_kernel(executor& exec, context& caller, bool alone, void (*call)(void*), void* env);

/// Runs a kernel that another one off-loads, as a part of that one: in its context.
void call_inner_kernel(executor& exec, context& caller, void (*call)(void*), void* env);

/// Gives a kernel's name in the trace; 0 while none is on.
std::uint32_t traced_kernel(std::uint32_t kernel);

/// Runs recorded tasks and returns when all are done; what they threw is in their scope.
void run_recorded(executor& exec, recording::state& tasks);

/// Runs the blocks of a loop in index order on the caller's stack, up to and including the first that throws, or
/// further where only tasks of its blocks throw: those are waited for behind several blocks.
void loop_in_place(executor& exec, context& caller, const detail::loop& l);

/// Runs the streams of a phase in index order on the caller's stack and notes it in the phase's report: that one, or a
/// new one.
void phase_in_place(executor& exec, context& caller, const detail::phase& p,
                    std::shared_ptr<live_report> report = nullptr);

}  // namespace maslin
