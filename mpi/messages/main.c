// Figures 1 and 2 of ps3-cluster: what MPI_Allreduce, and MPI_Send with MPI_Recv, take by size, and by how many
// processes of how many nodes call them. `maslin machine --calibrate FILE -- LAUNCHER` starts it and reads what it
// says: a line with the name of the MPI, and one for each round, several rounds of each size:
//
//     maslin-messages library NAME
//     maslin-messages CALL PLACEMENT RANKS RANKS_OF_A_NODE BYTES MICROSECONDS ERROR

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_repeats = 60, fewest_repeats = 10, warm_up = 10, rounds = 9, sizes = 4, most_numbers = 16384 };
static const double seconds_of_a_round = 0.1;
static const int bytes_of[sizes] = {8, 512, 8192, 131072};
static double data[most_numbers], sum[most_numbers];

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

// The first rank sends to the one in the middle and gets the message back; so do the second and the next, and so on.
static void send(MPI_Comm ranks, int rank, int count, int numbers) {
  const int half = count / 2;
  if (rank < half) {
    MPI_Send(data, numbers, MPI_DOUBLE, rank + half, 0, ranks);
    MPI_Recv(data, numbers, MPI_DOUBLE, rank + half, 0, ranks, MPI_STATUS_IGNORE);
  } else if (rank < 2 * half) {
    MPI_Recv(data, numbers, MPI_DOUBLE, rank - half, 0, ranks, MPI_STATUS_IGNORE);
    MPI_Send(data, numbers, MPI_DOUBLE, rank - half, 0, ranks);
  }
}

// Calls `times` times and gives the seconds of a call, or of a message there. Each one's go to `us`, in microseconds.
static double repeat(MPI_Comm ranks, int numbers, int sends, int times, double* us) {
  int rank, count;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &count);
  MPI_Barrier(ranks);
  const double all = MPI_Wtime();
  for (int i = 0; i < times; ++i) {
    const double begin = MPI_Wtime();
    if (sends)
      send(ranks, rank, count, numbers);
    else
      MPI_Allreduce(data, sum, numbers, MPI_DOUBLE, MPI_SUM, ranks);
    us[i] = 1e6 * (MPI_Wtime() - begin) / (sends ? 2 : 1);
  }
  return (MPI_Wtime() - all) / times;
}

static void measure(MPI_Comm ranks, int of_a_node, const char* placement, int sends) {
  int rank, count;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &count);
  for (int size = 0; size < sizes; ++size) {
    const int numbers = bytes_of[size] / (int)sizeof(double);
    double us[most_repeats];
    double times = seconds_of_a_round / repeat(ranks, numbers, sends, warm_up, us);
    MPI_Bcast(&times, 1, MPI_DOUBLE, 0, ranks);
    const int repeats = (int)fmin(most_repeats, fmax(fewest_repeats, times));
    for (int round = 0; round < rounds; ++round) {
      repeat(ranks, numbers, sends, repeats, us);
      if (rank != 0) continue;
      qsort(us, (size_t)repeats, sizeof *us, by_value);
      // Of a median: half the distance of the values that are as far from the middle as half of the root of all.
      const int off = (int)(sqrt(repeats) / 2);
      printf("maslin-messages %s %s %d %d %d %.6g %.3g\n", sends ? "send" : "all_reduce", placement, count, of_a_node,
             bytes_of[size], us[repeats / 2], (us[repeats / 2 + off] - us[repeats / 2 - off]) / 2);
    }
  }
}

// The next power of two, or `most` itself if that is less.
static int next(int count, int most) { return count < most && 2 * count > most ? most : 2 * count; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, of_node, ranks_of_node, processes = 1, node = 0, nodes, fewest;
  MPI_Comm node_ranks, leaders, firsts;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node_ranks);
  MPI_Comm_rank(node_ranks, &of_node);
  MPI_Comm_size(node_ranks, &ranks_of_node);

  // Of each process only its first rank takes part, before which none of the node has the same number of the process.
  const int mine = (int)getpid();
  int* const all = malloc((size_t)ranks_of_node * sizeof *all);
  if (!all) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, node_ranks);
  int is_first = 1;
  for (int i = 0; i < of_node; ++i) is_first &= all[i] != mine;
  free(all);
  MPI_Comm_split(node_ranks, is_first ? 0 : MPI_UNDEFINED, of_node, &firsts);
  int process = -1;
  if (is_first) {
    MPI_Comm_rank(firsts, &process);
    MPI_Comm_size(firsts, &processes);
  }
  MPI_Bcast(&processes, 1, MPI_INT, 0, node_ranks);
  MPI_Allreduce(&processes, &fewest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, of_node == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
  if (of_node == 0) {
    MPI_Comm_rank(leaders, &node);
    MPI_Comm_size(leaders, &nodes);
  }
  MPI_Bcast(&node, 1, MPI_INT, 0, node_ranks);
  MPI_Bcast(&nodes, 1, MPI_INT, 0, node_ranks);

  if (rank == 0) {
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(name, &length);
    name[strcspn(name, ",\n")] = 0;
    printf("maslin-messages library %s\n", name);
  }
  for (int n = 1; n <= nodes; n = next(n, nodes))
    for (int k = 1; k <= fewest; k = next(k, fewest)) {
      MPI_Comm some;
      const int is_in = node < n && process >= 0 && process < k;
      MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : MPI_UNDEFINED, node * fewest + process, &some);
      if (is_in && n * k > 1)
        for (int sends = 1; sends >= 0; --sends) measure(some, k, n > 1 ? "nodes" : "processes", sends);
      if (is_in) MPI_Comm_free(&some);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  MPI_Finalize();
  return 0;
}
