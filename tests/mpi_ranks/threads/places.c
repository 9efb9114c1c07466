// Which line an error names, while threads make calls as Fortran does: places WHICH. An error ends the job.
#include <pthread.h>
#include <unistd.h>

#include "../programs/expect.h"

void mpi_recv_(int* data, int* count, MPI_Datatype* type, int* from, int* tag, MPI_Comm* comm, MPI_Status* status,
               int* error);

static void* receives(void* of) {
  int data = 0, count = 1, from = 0, error = 0;
  MPI_Datatype type = MPI_INT;
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Status status;
  mpi_recv_(&data, &count, &type, &from, of, &comm, &status, &error);
  return NULL;
}

int main(int argc, char** argv) {
  int level, tags[2] = {0, 1}, data = 0;
  pthread_t both[2];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  EXPECT_EQUAL(level, MPI_THREAD_MULTIPLE);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&both[i], NULL, receives, &tags[i]);
    usleep(20000);
  }
  if (strcmp(argv[1], "while they wait") == 0) {
    MPI_Send(&data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);  // the first
  }
  for (int i = 0; i < 2; ++i) {  // in the order in which they began
    MPI_Send(&data, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    pthread_join(both[i], NULL);
  }
  MPI_Send(&data, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);  // the second
  return 0;
}
