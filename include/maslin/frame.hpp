#pragma once
// What code that runs on its caller's stack, in its own name, keeps there: a branch of a fork, a task that its creator
// runs before it goes on.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "maslin/api.hpp"

namespace maslin {

struct context;  // who calls

namespace detail {

struct access_record;
enum class body_use : unsigned char;
using task_function = void (*)(void* callable, const access_record* records, body_use what);

/// A place in the list of forks whose second branch is known to its caller alone.
struct fork_link {
  fork_link* older;
  fork_link* newer;
};

/// Code that runs on its caller's stack in its own name: a branch of a fork, or a task that its creator runs at once.
/// It gets a context when it first needs one (src/exec/forks/README.md).
struct branch_frame {
  branch_frame* outside;      ///< the one in which this one stands, on the same fiber
  context* before;            ///< the context in force; null: the thread's own, or that of one which has not needed one
  context* base_before;       ///< the list's `base`; where `before` is set
  context* inside = nullptr;  ///< its own, once it has needed one
  void* stream;               ///< of a task
  void (*run)(struct fork_frame&);   ///< of a fork: runs the second branch and keeps its result; null: this is a task
  alignas(8) std::byte branch[160];  ///< room for `inside` and its scope

  bool is_task() const noexcept { return !run; }
  /// The code begins.
  void open(struct fork_list& in, struct thread_state& on) noexcept;
  /// It is over.
  void close(struct fork_list& in) noexcept;
};

/// What those who have nothing to do ask of a worker.
struct requests {
  std::atomic<bool> branch;  ///< a branch of its forks
  std::atomic<bool> tasks;   ///< tasks that it would run itself
};

/// Tasks that the code of a fiber runs itself without asking: the next of one call site.
struct kept_tasks {
  task_function body = nullptr;
  unsigned line = 0;
  unsigned left = 0;  ///< so many more; then it asks again

  bool are_of(task_function of, unsigned at) const noexcept { return body == of && line == at; }
};

/// The forks of one fiber, or of a thread's own stack.
struct fork_list {
  fork_link oldest{nullptr,
                   nullptr};  ///< its `newer` is the oldest fork that can be promoted, unless the list is empty
  fork_link* newest = &oldest;
  branch_frame* innermost = nullptr;  ///< in which the fiber is
  context* base = nullptr;            ///< the innermost context in force that is not a branch's; null: the thread's own
  std::uintptr_t low = 0;             ///< below this address the stack is too short for another fork; or `no_room`
  const requests* asked = nullptr;    ///< what somebody wants
  int ignored = 0;                    ///< so many more forks before the clock is read again
  kept_tasks kept{};

  static constexpr std::uintptr_t no_room = ~std::uintptr_t{0};
  bool has_room() const noexcept { return low != no_room; }
};

/// What the code of a fiber looks up on its thread.
struct thread_state {
  context* current = nullptr;  ///< null: the thread's own, or a branch's that has not needed one yet
  fork_list* forks = nullptr;
  void* worker = nullptr;   ///< the executor's; null: it is none
  context* root = nullptr;  ///< the thread's own context, once it has been asked for
};
/// Has no room: who has no list gets one in `fork_elsewhere`. No frame stands in it.
extern constinit fork_list no_forks;
MASLIN_API extern constinit thread_local thread_state state_of_thread;
/// Never inline.
MASLIN_API thread_state& address_of_thread_state() noexcept;

// What the code of a program looks up on x86-64 is an offset from a register, which stays right when its fiber changes
// threads. Elsewhere, and in shared objects, it is an address, which a compiler may keep.
#if defined(__x86_64__) && (!defined(__PIC__) || defined(__PIE__))
[[gnu::always_inline]] inline thread_state& this_thread() noexcept { return state_of_thread; }
#else
[[gnu::always_inline]] inline thread_state& this_thread() noexcept { return address_of_thread_state(); }
#endif

[[gnu::always_inline]] inline void branch_frame::open(fork_list& in, thread_state& on) noexcept {
  outside = in.innermost;
  in.innermost = this;
  before = on.current;
  if (before) {
    base_before = in.base;
    in.base = before;
    on.current = nullptr;
  }
}

inline void branch_frame::close(fork_list& in) noexcept {
  in.innermost = outside;
  if (before) {
    in.base = base_before;
    this_thread().current = before;
  }
}

}  // namespace detail

}  // namespace maslin
