#pragma once
// What ranks print: whole lines, each known to be of its rank.

namespace mpi {

struct shared_by_processes;

/// Has the standard output and error of ranks go through this. `tagged`: each line begins with its rank. `shared`: of
/// several processes, which do not print into each other's lines.
void take_output(bool tagged, shared_by_processes* shared);
/// Prints all that has been said so far, also lines without an end.
void flush_output() noexcept;

}  // namespace mpi
