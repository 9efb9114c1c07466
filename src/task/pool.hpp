#pragma once
// Memory for what comes and goes with every task: blocks of a few sizes, kept by the thread that frees them and
// exchanged between threads up to sixty-four at a time, so that a task costs no call of the allocator and no lock.

#include <cstddef>

namespace maslin::pool {

/// Gives a block of at least `bytes`, aligned as operator new aligns; throws std::bad_alloc. A fiber may take a block
/// on one thread and give it back on another.
void* take(std::size_t bytes);
/// Takes back what `take(bytes)` gave.
void give(void* block, std::size_t bytes) noexcept;

/// Makes what the calling thread keeps. The C library ends a process that has no memory for this later.
void begin_thread() noexcept;

/// A fork begins or has ended, in either process: no other thread is exchanging blocks meanwhile.
void around_fork(bool begins) noexcept;

}  // namespace maslin::pool
