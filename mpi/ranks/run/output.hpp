#pragma once
// What ranks print: whole lines, each known to be of its rank.

namespace mpi {

/// Has the standard output and error of ranks go through this. `tagged`: each line begins with its rank.
void take_output(bool tagged);
/// Prints all that has been said so far, also lines without an end.
void flush_output() noexcept;

}  // namespace mpi
