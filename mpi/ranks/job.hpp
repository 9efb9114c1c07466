#pragma once
// What maslin-mpirun and the programs that it loads know of each other.

#include <cstdio>

namespace maslin {
class communicator;
}

namespace mpi {

/// The job, as a rank sees it.
struct job {
  int rank;
  int process;          ///< of the job; a described machine's node, whose ranks share memory there
  bool speaks;          ///< for all ranks of its process, where each would say the same
  const char* program;  ///< the file that it runs
  /// Prints the text and ends the process with that status. "@:NUMBER" in it is a place in the program.
  void (*end)(int rank, int status, const char* text);
  int node, nodes;   ///< its number, which may be a described machine's, and how many the job has
  bool has_threads;  ///< --threads was given
  std::FILE* input;  ///< its standard input
};

}  // namespace mpi

// Defined by the library in each program.
#pragma GCC visibility push(default)
extern "C" {
/// Before the program's `main`. Both stay as long as the rank lives. Gives what the library keeps to the end of the
/// process: nobody frees it.
const void* maslin_mpi_attach(maslin::communicator* world, const mpi::job* job);
/// After it: calls exit handlers and destructors, and takes back what was started and is not complete. Gives false if
/// MPI_Init was called and MPI_Finalize was not.
bool maslin_mpi_detach();
}
#pragma GCC visibility pop
