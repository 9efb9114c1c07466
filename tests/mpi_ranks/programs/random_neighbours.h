// Calls of neighbours in graphs and grids that a seed decides.
#pragma once

#include "random_calls.h"

enum { most_edges = 64 };

/// One call along edges that are known by their numbers: along edge `out[i]` goes what is given as number i, and along
/// `in[i]` comes what the rank `sources[i]` gives to the edge of that number.
static void along(int round, int call, MPI_Comm comm, const int* in, const int* sources, int ins, const int* out,
                  int outs) {
  const int what = (int)drawn(3), is_started = (int)drawn(2), count = (int)drawn(6) ? 1 + (int)drawn(4) : drawn_count();
  const size_t size = sizeof(unsigned long), edges = (size_t)(ins > outs ? ins : outs) + 1;
  unsigned long *const given = malloc(edges * ((size_t)count + 1) * size), *const got = malloc(
                                                                               edges * ((size_t)count + 1) * size);
  int *const counts = malloc(2 * edges * sizeof *counts), *const at = counts + edges;
  MPI_Request request;
  // To all the same, to each its own, and to each its own behind a gap.
  const int step = what == 2 ? count + 1 : count;
  for (size_t i = 0; i < edges; ++i) {
    counts[i] = count;
    at[i] = (int)i * step;
  }
  for (int i = 0; i < (what ? outs : 1); ++i)
    for (int k = 0; k < count; ++k) given[i * step + k] = number_of(round, what ? most_edges + out[i] : me, k);
  memset(got, 0, edges * ((size_t)count + 1) * size);
  const MPI_Datatype number = MPI_UNSIGNED_LONG;
  if (what == 0 && is_started) MPI_Ineighbor_allgather(given, count, number, got, count, number, comm, &request);
  if (what == 1 && is_started) MPI_Ineighbor_alltoall(given, count, number, got, count, number, comm, &request);
  if (what == 2 && is_started)
    MPI_Ineighbor_alltoallv(given, counts, at, number, got, counts, at, number, comm, &request);
  if (what == 0 && !is_started) MPI_Neighbor_allgather(given, count, number, got, count, number, comm);
  if (what == 1 && !is_started) MPI_Neighbor_alltoall(given, count, number, got, count, number, comm);
  if (what == 2 && !is_started) MPI_Neighbor_alltoallv(given, counts, at, number, got, counts, at, number, comm);
  if (is_started) MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < ins; ++i)
    for (int k = 0; k < count; ++k) {
      const unsigned long expected =
          sources[i] == MPI_PROC_NULL ? 0 : number_of(round, what ? most_edges + in[i] : sources[i], k);
      EXPECT_EQUAL(got[i * step + k], expected);
    }
  note(of_edges + call, got, edges * (size_t)count * size);
  free(given);
  free(got);
  free(counts);
}

/// Edges between any two ranks, several of them between the same. Each rank lists those that come to it by their
/// sources, backward.
static void in_a_graph(int round) {
  const int count = (int)drawn(is_large ? most_edges : 16) + 1;
  int from[most_edges], to[most_edges], in[most_edges], out[most_edges], sources[most_edges], destinations[most_edges];
  int ins = 0, outs = 0;
  for (int i = 0; i < count; ++i) {
    from[i] = (int)drawn((unsigned)ranks);
    to[i] = (int)drawn((unsigned)ranks);
    if (from[i] == me) destinations[outs] = to[i], out[outs++] = i;
  }
  for (int rank = ranks - 1; rank >= 0; --rank)
    for (int i = 0; i < count; ++i)
      if (to[i] == me && from[i] == rank) sources[ins] = rank, in[ins++] = i;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, ins, sources, MPI_UNWEIGHTED, outs, destinations, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  for (int call = (int)drawn(3); call >= 0; --call) along(round, call, graph, in, sources, ins, out, outs);
  MPI_Comm_free(&graph);
}

/// In a grid what goes down comes from above. The edges have their numbers by their senders.
static void in_a_grid(int round) {
  enum { most_dimensions = 3 };
  const int dimensions = 1 + (int)drawn(most_dimensions);
  int sides[most_dimensions] = {0}, periods[most_dimensions], in[2 * most_dimensions], out[2 * most_dimensions],
      sources[2 * most_dimensions];
  for (int d = 0; d < dimensions; ++d) periods[d] = (int)drawn(2);
  MPI_Dims_create(ranks, dimensions, sides);
  // Where both neighbours of a side are the same rank, MPI_Ineighbor_alltoall of Open MPI 4.1.4 gives what its
  // MPI_Neighbor_alltoall does not. So programs that other MPIs run, too, have no such grids.
  for (int d = 0; d < dimensions && file; ++d) periods[d] &= sides[d] > 2;
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, periods, 0, &grid);
  for (int d = 0; d < dimensions; ++d) MPI_Cart_shift(grid, d, 1, &sources[2 * d], &sources[2 * d + 1]);
  for (int i = 0; i < 2 * dimensions; ++i) {
    out[i] = 8 * me + i;
    in[i] = 8 * sources[i] + (i ^ 1);
  }
  for (int call = (int)drawn(3); call >= 0; --call)
    along(round, 3 + call, grid, in, sources, 2 * dimensions, out, 2 * dimensions);
  MPI_Comm_free(&grid);
}
