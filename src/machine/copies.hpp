#pragma once
// Copies of Maslin in one process: the library is linked into the program and once more into a shared object, each
// with its own runtime.

namespace maslin::machine {

/// This copy's runtime has so many workers on CPU cores from now on; 0: none. If another copy's has some, too, says so
/// on stderr, once in a process and the children that it forks. Not from two threads at the same time.
void announce_workers(int workers) noexcept;

}  // namespace maslin::machine
