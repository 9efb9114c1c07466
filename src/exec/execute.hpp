#pragma once
// Running the bodies of tasks. The graph says when a task may run (`ready`) and what its end means (`graph::complete`).

#include "exec/executor.hpp"

namespace maslin {

/// Calls the body of a task, between the checks that the user asked for; what it throws passes.
void call_body(executor& exec, detail::task_node& task);

/// Runs the body of a task that waits for nothing in a context of its own, unless the task was cancelled; what it
/// throws is in the task's scope. Tells a described machine when the body has run. What brings the data of its tasks
/// home goes to `sink`. The task is done when `graph::complete` is called for it, here or on any other thread, now or
/// later.
void execute(executor& exec, detail::task_node* task, graph::ready_sink& sink) noexcept;
/// Completes a task that has been executed. Afterwards it may be gone, and another may have its place and its number.
void complete(executor& exec, detail::task_node* task, graph::ready_sink& sink) noexcept;

/// Executes the task and completes it; what that makes ready goes to `sink`.
void run_task(executor& exec, detail::task_node* task, graph::ready_sink& sink) noexcept;
/// The same where the usual floating-point mode is in force.
void run_task_from_usual(executor& exec, detail::task_node* task, graph::ready_sink& sink) noexcept;

/// Executes the task, and notes it in the trace as worker `track`'s.
void execute_traced(int track, executor& exec, detail::task_node* task, graph::ready_sink& sink);
/// Runs a task, in one of these ways where no trace is on. Its end is recorded before it is completed, because its
/// number may then be another's.
void run_traced(int track, executor& exec, detail::task_node* task, graph::ready_sink& sink,
                void (*way)(executor&, detail::task_node*, graph::ready_sink&) noexcept);

}  // namespace maslin
