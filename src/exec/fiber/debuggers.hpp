#pragma once
// What debuggers are told of fibers: gdb's script (tools/gdb) finds them in a list, valgrind is told where stacks lie.

#include <cstddef>
#include <cstdint>

namespace maslin {

/// A fiber in the list. The script knows these fields by their places, for released code has no types to look at.
struct listed_fiber {
  void* machine_context = nullptr;  ///< where it continues (Boost.Context's), unless it runs
  const void* bottom = nullptr;     ///< of its stack; null: a thread's own
  std::size_t bytes = 0;
  listed_fiber* next = nullptr;
  listed_fiber* before = nullptr;

  listed_fiber() noexcept;
  ~listed_fiber();
  listed_fiber(const listed_fiber&) = delete;
  listed_fiber& operator=(const listed_fiber&) = delete;
};

/// So that a child has the list to itself: to be called around the fork of a process.
void fibers_around_fork(bool begins) noexcept;

/// Tells valgrind, if the process runs under it, that a stack lies there. Gives the number by which it knows the stack;
/// 0 where there is no valgrind.
std::uintptr_t tell_valgrind(const void* bottom, const void* top) noexcept;
/// That stack is gone.
void tell_valgrind_no_more(std::uintptr_t stack) noexcept;

}  // namespace maslin
