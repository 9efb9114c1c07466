#pragma once
// Who is calling: the task, stream, loop body or thread in whose name the current code runs.

#include <exception>
#include <memory>
#include <vector>

#include "task/scope.hpp"

namespace maslin {

namespace graph {
class recorder;
}
namespace detail {
struct loop;
struct fork_list;
}  // namespace detail

/// Lives on the stack of what runs in it; a thread's root context lives as long as the thread.
struct context {
  explicit context(scope& own) : children(&own) {}

  /// What the graph knows of the data that this context's tasks use.
  struct dependences {
    virtual ~dependences() = default;
  };

  scope* children;
  std::uint64_t window_full_from = 0;  ///< at how many children the window may be full at the earliest
  float lost = 0;            ///< ticks, by handing over tasks that are too small for it, since none was in flight
  float waits_at = 0;        ///< how much has to be lost before the creator waits for those in flight
  int mutexes = 0;           ///< ms::mutex objects that its code holds: it runs nothing that may want one
  bool is_root = false;      ///< a thread's own, outside every task
  bool at_once = false;      ///< a task that its creator runs at once
  bool tiny = false;         ///< over before a library could share its work
  bool in_offload = false;   ///< a kernel's body: an off-load inside is part of it
  bool alone = false;        ///< a kernel's body that is not worth sharing: its loops run in place
  bool owns_stream = false;  ///< the stream itself, not a task or loop body of it
  bool declares = false;     ///< it said what it costs (`cost`), so it is not measured
  const detail::loop* in_loop = nullptr;  ///< whose body this is: width is 1
  void* stream = nullptr;                 ///< the executor's record of the stream that this runs in
  std::unique_ptr<dependences> data;
  graph::recorder* records_into = nullptr;  ///< tasks that are created here are recorded and do not run
  error_list others;                        ///< what the last rethrow left behind
};

/// Gives the calling context; never null (a thread outside every task has a root context). A fiber that was suspended
/// may continue on another thread, so the address behind this must not be kept across a call that can suspend; hence no
/// inline.
context& current_context() noexcept;
void set_current_context(context* c) noexcept;
/// The same; gives what `current_context_or_null` gave before.
context* exchange_current_context(context* c) noexcept;
/// As `current_context`, but null where only the thread's root context is meant, or code has not needed one yet.
context* current_context_or_null() noexcept;
/// The innermost context that there is; null for the thread's own.
context* known_context() noexcept;
/// Is the calling code the thread's own, and no task, stream, loop's body or branch?
bool is_outside_tasks() noexcept;

/// The forks of the calling code's fiber; no inline, as above.
detail::fork_list* forks_of_thread() noexcept;
void set_forks_of_thread(detail::fork_list* list) noexcept;
/// The calling code asks again before it runs tasks itself.
void keep_no_tasks() noexcept;

/// Says what waits for the tasks of a root context and reports their exceptions, when its thread ends.
void set_root_drain(void (*drain)(context& root)) noexcept;
/// Does so now for the calling thread's.
void drain_root_context();
/// Is the calling thread, or the process in which it called `exit`, at its end?
bool is_root_context_over() noexcept;
/// Is the calling code what `exit` runs that was called inside a task on this stack?
bool has_left_in_task() noexcept;
/// Forgets what the calling thread's root context counted: its tasks belong to the process that this one was forked
/// from.
void forget_root_context() noexcept;

/// Puts a context in force while it lives.
class entered {
 public:
  explicit entered(context& c) : before_(exchange_current_context(&c)) {}
  ~entered() { set_current_context(before_); }
  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

 private:
  context* before_;
};

/// Throws the earliest of `errors`, if there is any; the others become `other_exceptions()` of the calling context.
void rethrow_first(error_list&& errors);

}  // namespace maslin
