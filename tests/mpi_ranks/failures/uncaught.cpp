// Rank 1 throws what nobody catches: uncaught error, or uncaught number.
#include <mpi.h>

#include <stdexcept>
#include <string>

int main(int argc, char** argv) {
  int me = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 1 && argv[1] == std::string("error")) throw std::runtime_error("of mine");
  if (me == 1) throw 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
