// A tool stands between: it defines MPI_Send and calls PMPI_Send.
#include "expect.h"

static int counted;

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++counted;
  return PMPI_Send(data, count, type, to, tag, comm);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int got;
  for (int i = 0; i < 3; ++i) {
    MPI_Send(&i, 1, MPI_INT, (me + 1) % ranks, 0, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_INT, (me + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQUAL(got, i);
  }
  EXPECT_EQUAL(counted, 3);
  return end();
}
