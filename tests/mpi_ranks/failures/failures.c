// Mistakes, one by its name: failures WHICH.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int* nowhere(void) { return NULL; }
static volatile int zero;

static int deep(int n) {
  volatile char much[4096];
  much[0] = (char)n;
  return n == zero ? much[0] : deep(n + 1) + much[0];
}

/// Needs more than the 8 MiB of stack that a rank has by itself.
static int wide(void) {
  volatile char much[12 << 20];
  for (size_t i = 0; i < sizeof much; i += 4096) much[i] = 1;
  return much[zero];
}

static void at_exit(void) { fprintf(stderr, "an exit handler ran\n"); }

int main(int argc, char** argv) {
  int me, data[5000] = {0};
  MPI_Request request;
  MPI_Comm part;
  const char* const which = argc > 1 ? argv[1] : "";
  if (strcmp(which, "too early") == 0) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (strcmp(which, "stuck") == 0 && me < 2) MPI_Recv(data, 1, MPI_INT, 1 - me, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(which, "all send") == 0) MPI_Send(data, 5000, MPI_INT, (me + 1) % 3, 3, MPI_COMM_WORLD);
  if (strcmp(which, "nobody sends") == 0) {
    MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "one of several") == 0) {
    MPI_Request several[2];
    int index;
    for (int i = 0; i < 2; ++i) MPI_Irecv(&data[i], 1, MPI_INT, (me + 1) % 3, i, MPI_COMM_WORLD, &several[i]);
    if (me == 1) MPI_Cancel(&several[0]), MPI_Wait(&several[0], MPI_STATUS_IGNORE);
    MPI_Waitany(2, several, &index, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "all of several") == 0) {
    MPI_Request several[66];
    MPI_Isend(data, 5000, MPI_INT, (me + 1) % 3, 7, MPI_COMM_WORLD, &several[0]);
    MPI_Irecv(data, 1, MPI_INT, (me + 2) % 3, 1, MPI_COMM_WORLD, &several[1]);
    for (int i = 2; i < 66; ++i) MPI_Irecv(&data[i], 1, MPI_INT, (me + 2) % 3, 2, MPI_COMM_WORLD, &several[i]);
    MPI_Waitall(66, several, MPI_STATUSES_IGNORE);
  }
  if (strcmp(which, "one of two ranks") == 0) {
    MPI_Request several[2];
    int index;
    for (int i = 0; i < 2; ++i) MPI_Irecv(&data[i], 1, MPI_INT, me ? 0 : i + 1, 1, MPI_COMM_WORLD, &several[i]);
    MPI_Waitany(2, several, &index, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "started") == 0) {
    if (me == 1) MPI_Recv(data, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "other started call") == 0) {
    if (me == 1) MPI_Ibcast(data, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    if (me != 1) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "probes") == 0) MPI_Probe((me + 1) % 3, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(which, "other tag") == 0) {
    if (me == 0) MPI_Ssend(data, 5000, MPI_INT, 1, 4, MPI_COMM_WORLD);
    if (me == 1) MPI_Recv(data, 5000, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "other communicator") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &part);
    if (me == 0) MPI_Send(data, 5000, MPI_INT, 1, 4, part);
    if (me == 1) MPI_Recv(data, 5000, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "small and synchronous") == 0) MPI_Ssend(data, 1, MPI_INT, (me + 1) % 3, 3, MPI_COMM_WORLD);
  if (strcmp(which, "one is missing") == 0 && me == 2) {
    MPI_Recv(data, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "of a part") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, me == 0, -me, &part);
    if (me == 1) MPI_Bcast(data, 1, MPI_INT, 0, part);
    if (me == 2) MPI_Gather(data, 1, MPI_INT, &data[1], 1, MPI_INT, 0, part);
  }
  if (strcmp(which, "one duplicates") == 0) {
    if (me == 1) MPI_Comm_dup(MPI_COMM_WORLD, &part);
    if (me != 1) MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &part);
  }
  if (strcmp(which, "one is done") == 0 && me == 1) MPI_Finalize();
  if (strcmp(which, "one does not come") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &part);  // the other way round
    if (argc > 2) MPI_Comm_set_name(part, argv[2]);
    if (me == 1) MPI_Recv(data, 1, MPI_INT, 0, 6, part, MPI_STATUS_IGNORE);
    MPI_Allreduce(data, data + 100, argc > 3 ? 1000 : 1, MPI_INT, MPI_SUM, part);
  }
  if (strcmp(which, "one has come") == 0) {
    if (me < 2) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (me > 0) MPI_Recv(data, 1, MPI_INT, me - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);  // for a barrier
  }
  if (strcmp(which, "other operation") == 0)
    MPI_Allreduce(data, data + 100, 1, MPI_INT, me == 2 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "other type") == 0)
    MPI_Allreduce(data, data + 100, 1, me == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "many more") == 0) MPI_Allreduce(data, data + 1000, 100 + me, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "long part") == 0)
    MPI_Gather(data, 100 + me, MPI_INT, data + 1000, 100, MPI_INT, 0, MPI_COMM_WORLD);
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
  if (strcmp(which, "other numbers") == 0) {
    if (me == 0) MPI_Send(data, 2, MPI_INT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) MPI_Recv(data, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "other numbers, later") == 0) {
    if (me == 0) MPI_Ssend(data, 1000, MPI_FLOAT, 1, 7, MPI_COMM_WORLD);
    if (me == 1) MPI_Irecv(data, 500, MPI_LONG, 0, 7, MPI_COMM_WORLD, &request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "rank") == 0 && me == 1) MPI_Send(data, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);
  if (strcmp(which, "tag") == 0 && me == 1) MPI_Recv(data, 1, MPI_INT, 0, -7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(which, "type") == 0 && me == 1) MPI_Send(data, 1, 7777, 0, 0, MPI_COMM_WORLD);
  if (strcmp(which, "count") == 0 && me == 1) MPI_Isend(data, -4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  if (strcmp(which, "null buffer") == 0 && me == 1) MPI_Send(NULL, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (strcmp(which, "communicator") == 0 && me == 1) MPI_Send(data, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
  if (strcmp(which, "root") == 0) MPI_Bcast(data, 1, MPI_INT, 3, MPI_COMM_WORLD);
  if (strcmp(which, "operation") == 0) MPI_Allreduce(data, data + 1, 1, MPI_FLOAT, MPI_BXOR, MPI_COMM_WORLD);
  if (strcmp(which, "no buffer is attached") == 0) MPI_Bsend(data, 5, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (strcmp(which, "request") == 0) {
    request = 12345;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(which, "named communicator") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, &part);
    MPI_Comm_set_name(part, "the pressure solver");
    MPI_Send(data, 1, MPI_INT, 3, 0, part);
  }
  if (strcmp(which, "edge of one rank") == 0 || strcmp(which, "edge of two weights") == 0) {
    const int weighs = which[8] == 't', zero_and_one[2] = {0, 1}, weights[2] = {5 + me, 5}, is_end = weighs && me == 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, is_end, zero_and_one, weighs ? weights : MPI_UNWEIGHTED, me == 0,
                                   &zero_and_one[1], weighs ? weights : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &part);
  }
  if (strcmp(which, "twice") == 0) MPI_Init(&argc, &argv);
  if (strcmp(which, "uncommitted") == 0 && me == 0) {
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Send(data, 1, type, 1, 0, MPI_COMM_WORLD);
  }
  if (strcmp(which, "in place") == 0)
    MPI_Gather(me == 1 ? MPI_IN_PLACE : data, 1, MPI_INT, data + 1, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (strcmp(which, "same buffer") == 0) MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(which, "short result") == 0) {
    enum { bytes = 1 << 18, is_there = 1 << 15 };
    char* const result = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (me == 1) mprotect(result + is_there, bytes - is_there, PROT_NONE);
    MPI_Allreduce(calloc(bytes, 1), result, bytes / sizeof(int), MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (strcmp(which, "leaves") == 0 && me == 1) return 0;
  if (strcmp(which, "exits") == 0 && me == 1) exit(3);
  if (strcmp(which, "aborts") == 0 && me == 2) MPI_Abort(MPI_COMM_WORLD, 9);
  if (strcmp(which, "abort") == 0 && me == 2) abort();
  if (strcmp(which, "divides") == 0 && me == 1) return 1000 * me / zero;
  if (strcmp(which, "deep") == 0 && me == 1) return deep(1);
  if (strcmp(which, "wide") == 0 && me == 1) printf("%d\n", wide());
  if (strcmp(which, "half a line") == 0) {
    printf("half a line");
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1) MPI_Abort(MPI_COMM_SELF, 256);
  }
  if (strcmp(which, "crashes") == 0 && me == 1) *nowhere() = 1;
  if (strcmp(which, "prints") == 0) printf("%d has\nsaid\n", me);
  if (strcmp(which, "writes") == 0) {
    const int some = write(STDOUT_FILENO, "one half, ", 10);
    MPI_Barrier(MPI_COMM_WORLD);
    if (some != 10 || write(STDOUT_FILENO, "and another\n", 12) != 12) return 1;
  }
  if (strcmp(which, "many lines") == 0)
    for (int i = 0; i < 200; ++i) {
      printf("rank %d ", me);
      printf("says %d", i);
      MPI_Barrier(MPI_COMM_WORLD);
      printf(" times\n");
    }
  if (strcmp(which, "arguments") == 0 && me == 2)
    for (int i = 2; i < argc; ++i) fprintf(i % 2 ? stderr : stdout, "%s\n", argv[i]);
  if (strcmp(which, "reads") == 0 && me == 0) {
    char line[100];
    if (fgets(line, sizeof line, stdin)) printf("read %s", line);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // all meet
  MPI_Finalize();
  if (strcmp(which, "exit late") == 0) {
    atexit(at_exit);
    if (me == 1) exit(4);
  }
  if (strcmp(which, "too late") == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(which, "status") == 0) return me == 2 ? 5 : 0;
  return 0;
}
