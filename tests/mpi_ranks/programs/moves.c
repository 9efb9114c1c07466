// Messages and calls of all whose numbers are known: to the next rank each sends 4 messages of 17,016 bytes in all, and
// all come to 14 calls, besides three in MPI_Init, one in MPI_Finalize, and the barrier of expect.h.
#include "expect.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int next = (me + 1) % ranks, before = (me + ranks - 1) % ranks;
  double small[2] = {me, 1},
         from[2] = {0, 0}, *const large = calloc(2000, sizeof *large), *const in = calloc(2000, sizeof *in);
  MPI_Request requests[3];
  MPI_Status status;

  // Tags that come in the other order; one receive is from anybody, and one is cancelled.
  MPI_Irecv(in, 2000, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(from, 1, MPI_DOUBLE, before, 9, MPI_COMM_WORLD, &requests[1]);
  large[1999] = me;
  MPI_Issend(large, 2000, MPI_DOUBLE, next, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Cancel(&requests[1]);
  MPI_Wait(&requests[1], &status);
  MPI_Request sent;
  MPI_Isend(small, 2, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &sent);
  MPI_Recv(from, 2, MPI_DOUBLE, before, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  EXPECT_EQUAL(status.MPI_TAG, 1);
  EXPECT_EQUAL(from[0], before);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], &status);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  EXPECT_EQUAL(in[1999], before);

  // A request that is started again, and one that is tested: 500 bytes each.
  char text[500] = "", got[500] = "";
  MPI_Send_init(text, 500, MPI_CHAR, next, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Start(&requests[0]);
  MPI_Recv(got, 500, MPI_CHAR, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Irecv(got, 500, MPI_CHAR, before, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(text, 500, MPI_CHAR, next, 4, MPI_COMM_WORLD, &requests[0]);
  for (int done = 0; !done;) MPI_Test(&requests[1], &done, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  // One of each pattern, a started one, and one of a communicator in which ranks have another order. A split is two.
  const double mine = me;
  double sum = 0;
  double *const all = calloc((size_t)ranks, sizeof *all), *const parts = calloc((size_t)ranks, sizeof *parts);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(large, 2000, MPI_DOUBLE, ranks - 1, MPI_COMM_WORLD);
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQUAL(sum, ranks * (ranks - 1) / 2);
  MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_DOUBLE, &sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT_EQUAL(sum, me);
  MPI_Allgather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Alltoall(all, 1, MPI_DOUBLE, parts, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  EXPECT_EQUAL(parts[before], me);
  MPI_Scan(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQUAL(sum, me * (me + 1) / 2);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm halves;
  MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - me, &halves);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_MAX, halves);
  EXPECT_EQUAL(sum, ranks - 1);
  MPI_Comm_free(&halves);
  free(large);
  free(in);
  free(all);
  free(parts);
  return end();
}
