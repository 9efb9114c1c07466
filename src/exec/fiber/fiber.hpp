#pragma once
// A fiber: a user-level thread that a suspended caller lives on. Switching costs about ten nanoseconds; the C++
// exception state goes with the fiber, and every switch is announced to the sanitizers.

#include <cstddef>
#include <memory>

#include "task/context.hpp"

namespace maslin {

/// A stack with a guard page below it.
class fiber_stack {
 public:
  /// Throws std::bad_alloc when the system gives no more mappings.
  explicit fiber_stack(std::size_t bytes);
  ~fiber_stack();
  fiber_stack(const fiber_stack&) = delete;
  fiber_stack& operator=(const fiber_stack&) = delete;

  void* top() const { return static_cast<char*>(base_) + bytes_; }
  void* bottom() const { return base_; }  ///< above the guard
  std::size_t bytes() const { return bytes_; }

 private:
  void* mapping_;
  void* base_;
  std::size_t bytes_;  ///< without the guard
};

class fiber {
 public:
  /// Stands for the calling thread's own stack.
  fiber();
  /// Will run `body(argument)` on a stack of its own, which must never return, once it is switched to.
  fiber(std::size_t stack_bytes, void (*body)(void*), void* argument);
  ~fiber();
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  /// The lowest address of a stack of its own.
  void* stack_bottom() const { return stack_->bottom(); }

  /// Leaves `from`, the fiber that runs on this thread, for `to`, and calls `after(argument)` there, when nothing runs
  /// on `from` any more. Returns when somebody switches to `from`, perhaps on another thread.
  static void switch_to(fiber& from, fiber& to, void (*after)(void*), void* argument);

 private:
  struct message;
  friend struct fiber_entry;
  static void arrive(message* sent, void* left_context);

  void* machine_context_ = nullptr;  ///< where it continues; Boost.Context's
  std::unique_ptr<fiber_stack> stack_;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;

  // What the thread holds for the code that runs on it; it is this fiber's while it is not running.
  context* context_ = nullptr;
  struct exception_state {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  } exceptions_;

  void* tsan_ = nullptr;       ///< ThreadSanitizer's record
  void* asan_fake_ = nullptr;  ///< AddressSanitizer's fake stack
  const void* asan_bottom_ = nullptr;
  std::size_t asan_bytes_ = 0;
};

/// Gives the stack size of fibers in bytes: MASLIN_STACK (with K or M behind it), 1 MiB by default. Throws `error`.
std::size_t stack_bytes_from_environment();

}  // namespace maslin
