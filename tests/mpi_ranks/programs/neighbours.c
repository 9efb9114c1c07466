// Calls of neighbours: along each edge comes what was given to it, in grids and graphs, also where several edges join
// two ranks, or a rank with itself.
#include "expect.h"

enum { most_edges = 160, most_numbers = 700 };
static int given[most_edges * most_numbers], got[most_edges * most_numbers];
static int counts[most_edges], places[most_edges], expected[most_edges];
static MPI_Aint bytes[most_edges];
static MPI_Datatype types[most_edges];

/// A topology as its calls see it: along edge i goes `given`, and comes what is expected.
struct edges {
  int in, out;
  int sources[most_edges];
  int values[most_edges];  // that are given along each edge
};

enum { kinds = 5 };

/// Makes the call of that kind with `n` numbers an edge: blocking, or started if there is a request.
static void call(int kind, int n, MPI_Comm comm, MPI_Request* r) {
  switch (kind) {
    case 0:
      if (r)
        MPI_Ineighbor_allgather(given, n, MPI_INT, got, n, MPI_INT, comm, r);
      else
        MPI_Neighbor_allgather(given, n, MPI_INT, got, n, MPI_INT, comm);
      break;
    case 1:
      if (r)
        MPI_Ineighbor_allgatherv(given, n, MPI_INT, got, counts, places, MPI_INT, comm, r);
      else
        MPI_Neighbor_allgatherv(given, n, MPI_INT, got, counts, places, MPI_INT, comm);
      break;
    case 2:
      if (r)
        MPI_Ineighbor_alltoall(given, n, MPI_INT, got, n, MPI_INT, comm, r);
      else
        MPI_Neighbor_alltoall(given, n, MPI_INT, got, n, MPI_INT, comm);
      break;
    case 3:
      if (r)
        MPI_Ineighbor_alltoallv(given, counts, places, MPI_INT, got, counts, places, MPI_INT, comm, r);
      else
        MPI_Neighbor_alltoallv(given, counts, places, MPI_INT, got, counts, places, MPI_INT, comm);
      break;
    case 4:
      if (r)
        MPI_Ineighbor_alltoallw(given, counts, bytes, types, got, counts, bytes, types, comm, r);
      else
        MPI_Neighbor_alltoallw(given, counts, bytes, types, got, counts, bytes, types, comm);
      break;
  }
}

/// `expected[i]`: the first number that comes along edge i if each is given its own; the others follow. Where a rank
/// gives the same to all, its number is in `values[0]`, and 1000 times its rank.
static void exchange(const struct edges* of, MPI_Comm comm) {
  for (int kind = 0; kind < kinds; ++kind)
    for (int n = 1; n <= most_numbers; n += most_numbers - 1)
      for (int started = 0; started < 2; ++started) {
        const int to_all = kind < 2, has_places = kind == 1 || kind > 2;
        const int step = has_places ? n + (n == 1) : n;  // room between the parts
        memset(got, -1, (size_t)(n == 1 ? 2 * most_edges : n * of->in) * sizeof(int));
        for (int i = 0; i < most_edges; ++i) {
          counts[i] = n;
          places[i] = (has_places && n == 1 ? most_edges - 1 - i : i) * step;
          bytes[i] = (MPI_Aint)places[i] * (MPI_Aint)sizeof(int);
          types[i] = MPI_INT;
        }
        if (to_all)
          for (int k = 0; k < n; ++k) given[k] = 100000 * me + k;
        else
          for (int i = 0; i < of->out; ++i)
            for (int k = 0; k < n; ++k) given[(has_places ? places[i] : i * n) + k] = of->values[i] + k;
        MPI_Request request;
        call(kind, n, comm, started ? &request : NULL);
        if (started) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < of->in; ++i)
          for (int k = 0; k<n; k += n> 1 ? n - 1 : 1) {
            const int value = got[(has_places ? places[i] : i * n) + k];
            if (of->sources[i] == MPI_PROC_NULL)
              EXPECT_EQUAL(value, -1);
            else
              EXPECT_EQUAL(value, to_all ? 100000 * of->sources[i] + k : expected[i] + k);
          }
      }
}

/// What is given down comes from above.
static void in_a_grid(int dimensions, const int* sides, const int* periods) {
  MPI_Comm grid;
  struct edges of = {0};
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sides, periods, 0, &grid);
  if (grid == MPI_COMM_NULL) return;
  of.in = of.out = 2 * dimensions;
  for (int d = 0; d < dimensions; ++d) MPI_Cart_shift(grid, d, 1, &of.sources[2 * d], &of.sources[2 * d + 1]);
  for (int i = 0; i < of.in; ++i) {
    of.values[i] = 100000 * me + 10000 * i;
    expected[i] = 100000 * of.sources[i] + 10000 * (i ^ 1);
  }
  exchange(&of, grid);
  MPI_Comm_free(&grid);
}

static void in_grids(void) {
  const int open[3] = {0, 0, 0}, around[3] = {1, 1, 1};
  in_a_grid(1, &ranks, open);
  in_a_grid(1, &ranks, around);
  in_a_grid(1, (const int[]){1}, around);
  if (ranks > 1) in_a_grid(1, (const int[]){2}, around);
  for (int ways = 0; ways < 2; ++ways) {
    int sides[3] = {0, 0, 0};
    MPI_Dims_create(ranks, 3, sides);
    in_a_grid(3, sides, ways ? around : (const int[]){1, 0, 1});
  }
  in_a_grid(0, NULL, NULL);
}

/// A ring in which each rank has two edges to each side.
static void in_a_graph(void) {
  int index[64], edges[256];
  struct edges of = {4, 4, {0}, {0}};
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < 4; ++i) edges[4 * rank + i] = (rank + (i % 2 ? 1 : ranks - 1)) % ranks;
    index[rank] = 4 * rank + 4;
  }
  MPI_Comm ring;
  MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &ring);
  for (int i = 0; i < 4; ++i) {
    of.sources[i] = edges[4 * me + i];
    of.values[i] = 100000 * me + 10000 * i;
    // The edges to one rank are matched in their order.
    const int alike = ranks <= 2, nth = alike ? i : i / 2;
    expected[i] = 100000 * of.sources[i] + 10000 * (alike ? nth : 2 * nth + !(i % 2));
  }
  exchange(&of, ring);
  MPI_Comm_free(&ring);
}

static unsigned drawn;
static int draw(int below) {
  drawn = drawn * 1664525u + 1013904223u;
  return (int)(drawn >> 8) % below;
}

/// Along an edge goes its weight, which no other edge has: it comes along the edge with that weight.
static void in_a_random_graph(int seed, int by_each) {
  enum { most = 150 };
  const int count = 1 + (seed * 37) % most;
  int from[most], to[most], sources[most], destinations[most], in_weights[most], out_weights[most], in = 0, out = 0;
  drawn = (unsigned)seed;
  for (int i = 0; i < count; ++i) {
    from[i] = draw(ranks);
    to[i] = draw(seed % 2 ? ranks : (ranks + 2) / 3);
  }
  MPI_Comm graph;
  if (by_each) {
    // Where the edges come from is listed backward, but not those of one rank.
    for (int rank = ranks - 1; rank >= 0; --rank)
      for (int i = 0; i < count; ++i)
        if (from[i] == rank && to[i] == me) sources[in] = rank, in_weights[in++] = i;
    for (int i = 0; i < count; ++i)
      if (from[i] == me) destinations[out] = to[i], out_weights[out++] = i;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, in ? in_weights : MPI_WEIGHTS_EMPTY, out, destinations,
                                   out ? out_weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
  } else {
    // Each edge is said by some rank.
    int degrees[most], weights[most], own = 0, weighted;
    for (int i = 0; i < count; ++i)
      if (draw(ranks) == me) {
        sources[own] = from[i];
        degrees[own] = 1;
        destinations[own] = to[i];
        weights[own++] = i;
      }
    MPI_Dist_graph_create(MPI_COMM_WORLD, own, sources, degrees, destinations, own ? weights : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    EXPECT(weighted);
    MPI_Dist_graph_neighbors(graph, in, sources, in_weights, out, destinations, out_weights);
  }
  struct edges of = {in, out, {0}, {0}};
  for (int i = 0; i < in; ++i) {
    of.sources[i] = sources[i];
    expected[i] = 10000 * in_weights[i];
    EXPECT(to[in_weights[i]] == me && from[in_weights[i]] == sources[i]);
  }
  for (int i = 0; i < out; ++i) of.values[i] = 10000 * out_weights[i];
  exchange(&of, graph);
  MPI_Comm_free(&graph);
}

/// Who has no neighbours to give to, or to get from, needs no buffer.
static void without_buffers(void) {
  const int middle = 0, is_middle = me == middle;
  int all[64], own = 7 * me, got = -1;
  MPI_Comm to_middle, from_middle;
  MPI_Request requests[2];
  for (int i = 0; i < ranks; ++i) all[i] = i;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, is_middle ? ranks : 0, all, MPI_UNWEIGHTED, 1, &middle, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &to_middle);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &middle, MPI_UNWEIGHTED, is_middle ? ranks : 0, all, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &from_middle);
  memset(all, -1, sizeof all);
  MPI_Neighbor_allgather(&own, 1, MPI_INT, is_middle ? all : NULL, 1, MPI_INT, to_middle);
  for (int i = 0; i < ranks; ++i) EXPECT_EQUAL(all[i], is_middle ? 7 * i : -1);
  own = -1;
  MPI_Neighbor_alltoall(is_middle ? all : NULL, 1, MPI_INT, &own, 1, MPI_INT, from_middle);
  EXPECT_EQUAL(own, 7 * me);
  MPI_Ineighbor_alltoall(&own, 1, MPI_INT, is_middle ? all : NULL, 1, MPI_INT, to_middle, &requests[0]);
  MPI_Ineighbor_allgather(is_middle ? &me : NULL, 1, MPI_INT, &got, 1, MPI_INT, from_middle, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  EXPECT_EQUAL(got, middle);
  if (is_middle)
    for (int i = 0; i < ranks; ++i) EXPECT_EQUAL(all[i], 7 * i);
  MPI_Comm_free(&to_middle);
  MPI_Comm_free(&from_middle);
}

/// Started ones go on side by side, on types whose numbers lie apart.
static void side_by_side(void) {
  enum { calls = 20 };
  MPI_Comm ring;
  MPI_Datatype apart;
  MPI_Request requests[calls];
  int in[calls][8], out[calls][8];
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){1}, 0, &ring);
  MPI_Type_vector(2, 1, 2, MPI_INT, &apart);
  MPI_Type_create_resized(apart, 0, 4 * sizeof(int), &types[0]);
  MPI_Type_commit(&types[0]);
  memset(in, -1, sizeof in);
  for (int i = 0; i < calls; ++i) {
    for (int k = 0; k < 8; ++k) out[i][k] = 1000 * me + 10 * i + k;
    MPI_Ineighbor_alltoall(out[i], 1, types[0], in[i], 2, MPI_INT, ring, &requests[i]);
  }
  MPI_Type_free(&apart);
  MPI_Type_free(&types[0]);  // what was started keeps it
  MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < calls; ++i)
    for (int side = 0; side < 2; ++side)
      for (int k = 0; k < 2; ++k)
        EXPECT_EQUAL(in[i][2 * side + k],
                     1000 * ((me + (side ? 1 : ranks - 1)) % ranks) + 10 * i + (side ? 0 : 4) + 2 * k);
  MPI_Comm_free(&ring);
}

static void errors(void) {
  MPI_Comm ring, lonely;
  int data[8] = {0}, into[8];
  MPI_Request request;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Neighbor_allgather(data, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD), MPI_ERR_TOPOLOGY);
  EXPECT_EQUAL(MPI_Ineighbor_alltoall(data, 1, MPI_INT, into, 1, MPI_INT, MPI_COMM_WORLD, &request), MPI_ERR_TOPOLOGY);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (const int[]){1}, 0, &ring);
  EXPECT_EQUAL(MPI_Neighbor_alltoall(data, -1, MPI_INT, into, 1, MPI_INT, ring), MPI_ERR_COUNT);
  EXPECT_EQUAL(MPI_Neighbor_alltoall(data, 1, MPI_DATATYPE_NULL, into, 1, MPI_INT, ring), MPI_ERR_TYPE);
  EXPECT_EQUAL(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, into, 1, MPI_INT, ring), MPI_ERR_BUFFER);
  EXPECT_EQUAL(MPI_Neighbor_allgather(data, 2, MPI_INT, into, 1, MPI_INT, ring), MPI_ERR_TRUNCATE);
  MPI_Comm_free(&ring);
  // A graph in which rank 0 has an edge that the rank at its other end does not have.
  if (ranks > 1) {
    int index[64];
    for (int rank = 0; rank < ranks; ++rank) index[rank] = 1;
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, (const int[]){1}, 0, &lonely);
    EXPECT_EQUAL(MPI_Neighbor_alltoall(data, 1, MPI_INT, into, 1, MPI_INT, lonely),
                 me == 0 ? MPI_ERR_TOPOLOGY : MPI_SUCCESS);
    MPI_Comm_free(&lonely);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  in_grids();
  in_a_graph();
  for (int seed = 1; seed < 7; ++seed) in_a_random_graph(seed, seed % 2 == 0);
  without_buffers();
  side_by_side();
  errors();
  return end();
}
