// What messages cost, as an MPI program: the same source for Maslin's MPI and for others.
//
//     messages FIGURE BYTES    prints the seconds that an operation takes, and whether all data was right
//
// latency: half a round trip of two ranks. touched: the same; the sender writes all of the data, the receiver reads it.
// rate: a message of a window of 64. barrier, allreduce, bcast, alltoall: a call of all ranks.

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "touched.h"

static int me, ranks;
static size_t bytes;         // of a message, or that a rank gives another
static double *given, *got;  // room for all ranks' parts
static int wrong;

static void expect(int right) { wrong |= !right; }

/// A number that tells a message from the one before.
static double mark(int turn, int from) { return turn % 1000 + 1000.0 * from; }

static void latency(int turn) {
  if (me == 0) {
    given[0] = mark(turn, 0);
    MPI_Send(given, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(got, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got[0] == mark(turn, 1));
  } else if (me == 1) {
    MPI_Recv(got, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got[0] == mark(turn, 0));
    given[0] = mark(turn, 1);
    MPI_Send(given, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

static void touched(int turn) {
  if (me == 0) {
    write_all(given, bytes / sizeof *given, turn);
    MPI_Send(given, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(got, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(are_right(got, bytes / sizeof *got, turn));
  } else if (me == 1) {
    MPI_Recv(got, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(are_right(got, bytes / sizeof *got, turn));
    write_all(given, bytes / sizeof *given, turn);
    MPI_Send(given, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

enum { window = 64 };
static void rate(int turn) {
  MPI_Request requests[window];
  const size_t each = bytes / sizeof *given;
  if (me == 0) {
    for (int i = 0; i < window; ++i) {
      given[(size_t)i * each] = mark(turn, i);
      MPI_Isend(&given[(size_t)i * each], (int)bytes, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    MPI_Recv(got, 0, MPI_BYTE, 1, window, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    for (int i = 0; i < window; ++i)
      MPI_Irecv(&got[(size_t)i * each], (int)bytes, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < window; ++i) expect(got[(size_t)i * each] == mark(turn, i));
    MPI_Send(given, 0, MPI_BYTE, 0, window, MPI_COMM_WORLD);
  }
}

static void barrier(int turn) {
  (void)turn;
  MPI_Barrier(MPI_COMM_WORLD);
}
static void allreduce(int turn) {
  const int count = (int)(bytes / sizeof *given);
  given[0] = given[count - 1] = turn + me;
  MPI_Allreduce(given, got, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double sum = (double)ranks * turn + (double)ranks * (ranks - 1) / 2;
  expect(got[0] == sum && got[count - 1] == sum);
}
static void bcast(int turn) {
  const int root = turn % ranks, last = (int)(bytes / sizeof *got) - 1;
  if (me == root) got[0] = got[last] = mark(turn, root);
  MPI_Bcast(got, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
  expect(got[0] == mark(turn, root) && got[last] == mark(turn, root));
}
static void alltoall(int turn) {
  const size_t each = bytes / sizeof *given;
  for (int i = 0; i < ranks; ++i) given[(size_t)i * each] = mark(turn, me * ranks + i);
  MPI_Alltoall(given, (int)bytes, MPI_BYTE, got, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) expect(got[(size_t)i * each] == mark(turn, i * ranks + me));
}

static const struct {
  const char* name;
  void (*once)(int turn);
  double operations;  // that are counted in a call
} figures[] = {{"latency", latency, 2},     {"touched", touched, 2}, {"rate", rate, window},   {"barrier", barrier, 1},
               {"allreduce", allreduce, 1}, {"bcast", bcast, 1},     {"alltoall", alltoall, 1}};

/// Gives the seconds of so many calls, the slowest rank's.
static double run(void (*once)(int), int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int turn = 0; turn < calls; ++turn) once(turn);
  double mine = MPI_Wtime() - begin, slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bytes = argc > 2 ? (size_t)atoll(argv[2]) : 8;
  size_t which = 0;
  while (argc > 1 && which < sizeof figures / sizeof *figures && strcmp(figures[which].name, argv[1]) != 0) ++which;
  if (argc < 3 || which == sizeof figures / sizeof *figures || bytes < sizeof *given || bytes % sizeof *given != 0) {
    if (me == 0) fprintf(stderr, "messages: expected FIGURE BYTES, a figure that there is and a multiple of 8\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const size_t room = bytes * (size_t)(ranks > window ? ranks : window);
  given = calloc(room, 1);
  got = calloc(room, 1);
  if (!given || !got) MPI_Abort(MPI_COMM_WORLD, 3);
  int calls = 1;
  double seconds;
  while ((seconds = run(figures[which].once, calls)) < 0.1 && calls < 1 << 24) calls *= 2;
  int wrongs = 0;
  MPI_Allreduce(&wrong, &wrongs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0)
    printf("{\"seconds\": %.9g, \"calls\": %d, \"checked\": %s}\n", seconds / calls / figures[which].operations, calls,
           wrongs ? "false" : "true");
  free(given);
  free(got);
  MPI_Finalize();
  return wrongs;
}
