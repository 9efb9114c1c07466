// Mistakes, one by its name: failures WHICH.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int* nowhere(void) { return NULL; }

int main(int argc, char** argv) {
  int me, data[200] = {0};
  const char* const which = argc > 1 ? argv[1] : "";
  if (strcmp(which, "too early") == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (strcmp(which, "stuck") == 0 && me < 2) MPI_Recv(data, 1, MPI_INT, 1 - me, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(which, "other call") == 0) {
    if (me == 1)
      MPI_Bcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD);
    else
      MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(which, "other root") == 0) MPI_Bcast(data, 100, MPI_INT, me == 2, MPI_COMM_WORLD);
  if (strcmp(which, "other count") == 0)
    MPI_Allreduce(data, data + 100, 1 + (me == 1), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "truncated") == 0) {
    if (me == 0) MPI_Send(data, 200, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) MPI_Recv(data, 10, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "rank") == 0 && me == 1) MPI_Send(data, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);
  if (strcmp(which, "uncommitted") == 0 && me == 0) {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
  }
  if (strcmp(which, "same buffer") == 0) MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "leaves") == 0 && me == 1) return 0;
  if (strcmp(which, "exits") == 0 && me == 1) exit(3);
  if (strcmp(which, "aborts") == 0 && me == 2) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(which, "abort") == 0 && me == 2) abort();
  if (strcmp(which, "crashes") == 0 && me == 1) *nowhere() = 1;
  if (strcmp(which, "prints") == 0) printf("%d has\nsaid\n", me);
  if (strcmp(which, "reads") == 0 && me == 0) {
    char line[100];
    if (fgets(line, sizeof line, stdin)) printf("read %s", line);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (strcmp(which, "too late") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(which, "status") == 0) return me == 2 ? 5 : 0;
  return 0;
}
