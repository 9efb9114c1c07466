// Graphs of ranks: what they were made of is read back, whoever said it; and what is no graph is an error.
#include "expect.h"

static int kind_of(MPI_Comm comm) {
  int kind;
  MPI_Topo_test(comm, &kind);
  return kind;
}

/// Each rank knows all edges: a star whose middle is rank 0, with an edge from rank 0 to itself.
static void known_to_all(int nodes) {
  int index[64], edges[200], end = 0, rank, count, of_all, got_index[64], got_edges[200];
  for (int node = 0; node < nodes; ++node) {
    if (node == 0)
      for (int other = 0; other < nodes; ++other) edges[end++] = other;
    else
      edges[end++] = 0;
    index[node] = end;
  }
  MPI_Comm star, same, part;
  MPI_Graph_map(MPI_COMM_WORLD, nodes, index, edges, &rank);
  EXPECT_EQUAL(rank == MPI_UNDEFINED, me >= nodes);
  MPI_Graph_create(MPI_COMM_WORLD, nodes, index, edges, 0, &star);
  if (me >= nodes) {
    EXPECT_EQUAL(star, MPI_COMM_NULL);
    return;
  }
  EXPECT_EQUAL(kind_of(star), MPI_GRAPH);
  MPI_Comm_size(star, &count);
  EXPECT_EQUAL(count, nodes);
  MPI_Comm_dup(star, &same);
  EXPECT_EQUAL(kind_of(same), MPI_GRAPH);
  MPI_Graphdims_get(same, &count, &of_all);
  EXPECT(count == nodes && of_all == end);
  MPI_Graph_get(same, 64, 200, got_index, got_edges);
  EXPECT(memcmp(index, got_index, (size_t)nodes * sizeof(int)) == 0);
  EXPECT(memcmp(edges, got_edges, (size_t)end * sizeof(int)) == 0);
  for (int node = 0; node < nodes; ++node) {
    MPI_Graph_neighbors_count(same, node, &count);
    EXPECT_EQUAL(count, node == 0 ? nodes : 1);
    got_edges[0] = got_edges[count] = -1;
    MPI_Graph_neighbors(same, node, 200, got_edges);
    for (int i = 0; i < count; ++i) EXPECT_EQUAL(got_edges[i], node == 0 ? i : 0);
    EXPECT_EQUAL(got_edges[count], -1);  // no more than there are
    MPI_Graph_neighbors(same, node, 0, &got_edges[count]);
    EXPECT_EQUAL(got_edges[count], -1);
  }
  MPI_Comm_set_errhandler(same, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Graph_neighbors_count(same, nodes, &count), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Graph_neighbors(same, -1, 1, got_edges), MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Cartdim_get(same, &count), MPI_ERR_TOPOLOGY);
  EXPECT_EQUAL(MPI_Dist_graph_neighbors_count(same, &count, &count, &count), MPI_ERR_TOPOLOGY);
  MPI_Comm_split(same, 0, 0, &part);
  EXPECT_EQUAL(kind_of(part), MPI_UNDEFINED);
  EXPECT_EQUAL(MPI_Graphdims_get(part, &count, &count), MPI_ERR_TOPOLOGY);
  MPI_Comm_free(&part);
  MPI_Comm_free(&same);
  MPI_Comm_free(&star);
}

/// Each rank says edges that are not its own: those of the rank behind it. From each rank go one edge to each rank, and
/// two to the next one; each edge has a weight of its own.
static void said_by_others(int weighted) {
  const int of = (me + 1) % ranks, degree = ranks + 1;
  int destinations[65], weights[65], sources[65], its_weights[65], in, out, has_weights;
  for (int i = 0; i < degree; ++i) {
    destinations[i] = i < ranks ? i : (of + 1) % ranks;
    weights[i] = of * 100 + i;
  }
  MPI_Comm all;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &of, &degree, destinations, weighted ? weights : MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &all);
  EXPECT_EQUAL(kind_of(all), MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors_count(all, &in, &out, &has_weights);
  EXPECT(in == degree && out == degree && has_weights == weighted);
  memset(weights, -1, sizeof weights);
  memset(its_weights, -1, sizeof its_weights);
  MPI_Dist_graph_neighbors(all, in, sources, weighted ? its_weights : MPI_UNWEIGHTED, out, destinations,
                           weighted ? weights : MPI_UNWEIGHTED);
  int from[64] = {0}, to[64] = {0};
  for (int i = 0; i < degree; ++i) {
    ++from[sources[i]];
    ++to[destinations[i]];
    if (!weighted) {
      EXPECT(weights[i] == -1 && its_weights[i] == -1);
      continue;
    }
    EXPECT_EQUAL(weights[i] / 100, me);
    EXPECT_EQUAL(its_weights[i] / 100, sources[i]);
    const int edge = weights[i] % 100, its_edge = its_weights[i] % 100;
    EXPECT_EQUAL(destinations[i], edge < ranks ? edge : (me + 1) % ranks);
    EXPECT_EQUAL(me, its_edge < ranks ? its_edge : (sources[i] + 1) % ranks);
    for (int k = 0; k < i; ++k) EXPECT(weights[k] != weights[i] && its_weights[k] != its_weights[i]);
  }
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQUAL(to[rank], 1 + (rank == (me + 1) % ranks));
    EXPECT_EQUAL(from[rank], 1 + (me == (rank + 1) % ranks));
  }
  // As many as there is room for.
  sources[1] = destinations[1] = -7;
  MPI_Dist_graph_neighbors(all, 1, sources, its_weights, 1, destinations, weights);
  EXPECT(sources[1] == -7 && destinations[1] == -7);
  MPI_Comm_free(&all);
}

/// Rank 0 knows it all; the others have no weights that they could name.
static void said_by_one(void) {
  int sources[64], degrees[64], destinations[64], weights[64], in, out, weighted, source, destination;
  for (int rank = 0; rank < ranks; ++rank) {
    sources[rank] = rank;
    degrees[rank] = 1;
    destinations[rank] = (rank + 1) % ranks;
    weights[rank] = 7 * rank;
  }
  MPI_Comm ring, same;
  MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? ranks : 0, me == 0 ? sources : NULL, degrees, destinations,
                        me == 0 ? weights : NULL, MPI_INFO_NULL, 1, &ring);
  MPI_Comm_dup(ring, &same);
  MPI_Comm_free(&ring);
  MPI_Dist_graph_neighbors_count(same, &in, &out, &weighted);
  EXPECT(in == 1 && out == 1 && weighted);
  MPI_Dist_graph_neighbors(same, 1, &source, weights, 1, &destination, MPI_UNWEIGHTED);
  EXPECT_EQUAL(weights[0], 7 * source);
  int rank;
  MPI_Comm_rank(same, &rank);
  EXPECT_EQUAL(source, (rank + ranks - 1) % ranks);
  EXPECT_EQUAL(destination, (rank + 1) % ranks);
  MPI_Comm_free(&same);
}

static void said_by_each(void) {
  const int left = (me + ranks - 1) % ranks, right = (me + 1) % ranks;
  const int sources[2] = {left, right}, weights[2] = {100 + left, 200 + right};
  const int destinations[2] = {left, right}, its_weights[2] = {200 + me, 100 + me};
  int in, out, weighted, got[2], got_weights[2], unused = -1;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, its_weights, MPI_INFO_NULL, 0,
                                 &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  EXPECT(in == 2 && out == 2 && weighted);
  MPI_Dist_graph_neighbors(graph, 2, got, got_weights, 0, &unused, &unused);
  EXPECT(got[0] == left && got[1] == right && memcmp(got_weights, weights, sizeof weights) == 0 && unused == -1);
  MPI_Dist_graph_neighbors(graph, 0, &unused, &unused, 2, got, got_weights);
  EXPECT(got[0] == left && got[1] == right && memcmp(got_weights, its_weights, sizeof weights) == 0 && unused == -1);
  MPI_Comm_free(&graph);
  // Only rank 0 has edges, to itself: the others have no weights that they could name.
  const int none = me == 0 ? 2 : 0, mixed[2] = {6, 5};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, none, me == 0 ? (int[]){0, 0} : NULL,
                                 me == 0 ? (int[]){5, 6} : MPI_WEIGHTS_EMPTY, none, me == 0 ? (int[]){0, 0} : NULL,
                                 me == 0 ? mixed : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  EXPECT(in == none && out == none && weighted);
  MPI_Comm_free(&graph);
}

/// Rank 0 says of edges from and to itself what does not fit, or of one to the last rank, which does not know it. All
/// ranks are told.
static void said_by_one_of_two(void) {
  static const struct {
    int in, out, in_weights[3], out_weights[3], error;
  } cases[] = {
      {2, 2, {-1}, {-1}, MPI_SUCCESS},          {1, 0, {-1}, {-1}, MPI_ERR_TOPOLOGY},
      {0, 1, {-1}, {-1}, MPI_ERR_TOPOLOGY},     {3, 2, {-1}, {-1}, MPI_ERR_TOPOLOGY},
      {2, 3, {-1}, {-1}, MPI_ERR_TOPOLOGY},     {2, 2, {4, 9}, {9, 4}, MPI_SUCCESS},
      {2, 2, {4, 9}, {4, 8}, MPI_ERR_TOPOLOGY}, {2, 1, {4, 4}, {4}, MPI_ERR_TOPOLOGY},
  };
  static const int itself[3] = {0, 0, 0};
  const int last = ranks - 1;
  MPI_Comm made;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int weighted = cases[i].in_weights[0] >= 0;
    const int* const none = weighted ? MPI_WEIGHTS_EMPTY : MPI_UNWEIGHTED;
    EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(
                     MPI_COMM_WORLD, me == 0 ? cases[i].in : 0, itself,
                     weighted && me == 0 ? cases[i].in_weights : none, me == 0 ? cases[i].out : 0, itself,
                     weighted && me == 0 ? cases[i].out_weights : none, MPI_INFO_NULL, 0, &made),
                 cases[i].error);
    if (cases[i].error == MPI_SUCCESS) MPI_Comm_free(&made);
  }
  EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_UNWEIGHTED, me == 0, &last, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &made),
               MPI_ERR_TOPOLOGY);
  EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, me == last, itself, MPI_UNWEIGHTED, 0, NULL,
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
               MPI_ERR_TOPOLOGY);
  // The rank at one end gives the edge a weight, the other one none.
  if (ranks > 1) {
    const int* const weights = me == 0 ? (const int[]){7} : MPI_UNWEIGHTED;
    EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, me == last, itself, weights, me == 0, &last, weights,
                                                MPI_INFO_NULL, 0, &made),
                 MPI_ERR_TOPOLOGY);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void errors(void) {
  MPI_Comm made;
  int count;
  const int one = 1, minus = -1, beyond = ranks, far[2] = {1, 0}, edges[2] = {0, 0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT_EQUAL(MPI_Graph_create(MPI_COMM_WORLD, ranks + 1, far, edges, 0, &made), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Graph_create(MPI_COMM_WORLD, -1, far, edges, 0, &made), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Graph_create(MPI_COMM_WORLD, 1, &one, &beyond, 0, &made), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Graph_create(MPI_COMM_WORLD, 1, &minus, edges, 0, &made), MPI_ERR_ARG);
  if (ranks > 1) EXPECT_EQUAL(MPI_Graph_create(MPI_COMM_WORLD, 2, far, edges, 0, &made), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Graph_map(MPI_COMM_WORLD, 0, far, edges, &count), MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Graphdims_get(MPI_COMM_WORLD, &count, &count), MPI_ERR_TOPOLOGY);
  EXPECT_EQUAL(MPI_Dist_graph_neighbors_count(MPI_COMM_WORLD, &count, &count, &count), MPI_ERR_TOPOLOGY);
  EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &beyond, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &made),
               MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, -1, edges, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                              MPI_INFO_NULL, 0, &made),
               MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, edges, &minus, 0, NULL, MPI_WEIGHTS_EMPTY,
                                              MPI_INFO_NULL, 0, &made),
               MPI_ERR_ARG);
  EXPECT_EQUAL(
      MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, edges, &one, 0, NULL, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
      MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, edges, &one, edges, NULL, MPI_INFO_NULL, 0, &made),
               MPI_ERR_ARG);
  EXPECT_EQUAL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &beyond, &one, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
               MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, edges, &one, &minus, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
               MPI_ERR_RANK);
  EXPECT_EQUAL(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, edges, &minus, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made),
               MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &made);
  EXPECT_EQUAL(made, MPI_COMM_NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  known_to_all(ranks);
  known_to_all((ranks + 1) / 2);
  said_by_others(0);
  said_by_others(1);
  said_by_one();
  said_by_each();
  said_by_one_of_two();
  errors();
  return end();
}
