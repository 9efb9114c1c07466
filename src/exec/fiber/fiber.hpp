#pragma once
// A fiber: a user-level thread that a suspended caller lives on. Switching costs about ten nanoseconds; the C++
// exception state and the floating-point mode go with the fiber, and every switch is announced to the sanitizers.

#include <cstddef>
#include <optional>

#include "exec/fiber/debuggers.hpp"
#include "exec/fiber/stacks.hpp"
#include "maslin/fork.hpp"
#include "task/context.hpp"

namespace maslin {

class fiber {
 public:
  /// Stands for the calling thread's own stack.
  fiber();
  /// Will run `body(argument)` on that stack, which must never return, once it is switched to.
  fiber(const fiber_stack& on, void (*body)(void*), void* argument);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// Null for a thread's own stack.
  const fiber_stack* stack() const { return stack_ ? &*stack_ : nullptr; }
  /// The code on this fiber, which does not run now, keeps its forks there.
  void keep_forks_in(detail::fork_list& list) { forks_ = &list; }

  /// Leaves `from`, the fiber that runs on this thread, for `to`, and calls `after(argument)` there, when nothing runs
  /// on `from` any more. Returns when somebody switches to `from`, perhaps on another thread.
  static void switch_to(fiber& from, fiber& to, void (*after)(void*), void* argument);

 private:
  struct message;
  friend struct fiber_entry;
  static void arrive(message* sent, void* left_context);

  listed_fiber listed_;
  std::optional<fiber_stack> stack_;
  bool is_checked_ = false;  ///< its stack has no guard
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;

  // What the thread holds for the code that runs on it; it is this fiber's while it is not running.
  context* context_ = nullptr;
  detail::fork_list* forks_ = &detail::no_forks;
  struct exception_state {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  } exceptions_;

  [[maybe_unused]] void* tsan_ = nullptr;       ///< ThreadSanitizer's record
  [[maybe_unused]] void* asan_fake_ = nullptr;  ///< AddressSanitizer's fake stack
  const void* asan_bottom_ = nullptr;
  std::size_t asan_bytes_ = 0;
};

}  // namespace maslin
