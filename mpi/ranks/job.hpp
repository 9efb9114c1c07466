#pragma once
// What maslin-mpirun and the programs that it loads know of each other.

#include <cstdio>

namespace maslin {
class communicator;
class host;
}  // namespace maslin

namespace mpi {

/// The job, as a rank sees it, or a host, which has a copy of the program, too.
struct job {
  static constexpr int host_of_process = -1, host_of_job = -2;

  int rank;             ///< or one of these
  int process;          ///< of the job; a described machine's node, whose ranks share memory there
  bool speaks;          ///< for all ranks of its process, where each would say the same
  const char* program;  ///< the file that it runs
  /// Prints the text and ends the process with that status. "@:NUMBER" in it is a place in the program.
  void (*end)(int rank, int status, const char* text);
  int node, nodes;               ///< its number, which may be a described machine's, and how many the job has
  bool has_threads;              ///< --threads was given
  std::FILE* input;              ///< its standard input
  maslin::host* host = nullptr;  ///< that the copy is of
};

}  // namespace mpi

// Defined by the library in each program.
#pragma GCC visibility push(default)
extern "C" {
/// Before the program's `main`, or its hosts' functions, which have no communicator. Both stay as long as the rank
/// lives. Gives what the library keeps to the end of the process: nobody frees it.
const void* maslin_mpi_attach(maslin::communicator* world, const mpi::job* job);
/// After it: calls exit handlers and destructors, and takes back what was started and is not complete. Gives false if
/// MPI_Init was called and MPI_Finalize was not.
bool maslin_mpi_detach();
}
#pragma GCC visibility pop
