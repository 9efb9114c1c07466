#pragma once
// Says what ran where a fiber's stack was too small. README.md says how that is found. Others may know of other faults.

#include <signal.h>

namespace maslin {

class fiber_stacks;

namespace overflow {

/// An access to the guards of these stacks is reported from now on, before the process ends by its signal. The last
/// ones count: a process has one runtime.
void watch(const fiber_stacks& stacks) noexcept;
void watch_no_more(const fiber_stacks& stacks) noexcept;

/// What somebody makes of a fault: nothing; the access is possible now; he has said what is wrong with it.
enum class answer : unsigned char { not_mine, go_on, told };
/// From now on asks that about faults which are not in stacks. It is called in the handler, with what that gets.
void ask(answer (*about)(const siginfo_t& fault, const void* machine) noexcept) noexcept;

/// Gives the calling thread, which may run fibers, a stack for signals if it has none: there is no room on the one that
/// overflows.
void watch_this_thread() noexcept;

/// Ends the process by SIGABRT: code on the calling fiber wrote below its stack.
[[noreturn]] void found() noexcept;

}  // namespace overflow

}  // namespace maslin
