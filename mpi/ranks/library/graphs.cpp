// Ranks that form a graph: one that all of them know, or one of which each knows its own edges.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "state.hpp"
#include "together.hpp"

namespace mpi {

std::span<const int> graph::neighbours_of(int rank) const {
  const auto at = static_cast<std::size_t>(rank);
  const auto begin = static_cast<std::size_t>(at == 0 ? 0 : index[at - 1]);
  return std::span(edges).subspan(begin, static_cast<std::size_t>(index[at]) - begin);
}

namespace {

template <class Kind>
const Kind& topology_of(MPI_Comm comm, const char* expected) {
  const Kind* const found = std::get_if<Kind>(&communicator_of(comm).topology);
  if (!found)
    throw failure{MPI_ERR_TOPOLOGY, std::string("the communicator is no such graph; expected one of ") + expected};
  return *found;
}
const graph& graph_of(MPI_Comm comm) { return topology_of<graph>(comm, "MPI_Graph_create"); }
const distributed_graph& distributed_graph_of(MPI_Comm comm) {
  return topology_of<distributed_graph>(comm, "MPI_Dist_graph_create or MPI_Dist_graph_create_adjacent");
}

/// A graph of the first ranks of a communicator, as the program describes it.
graph checked_graph(const communicator& in, int nodes, const int* index, const int* edges) {
  if (nodes < 0 || nodes > in.size())
    throw failure{MPI_ERR_ARG,
                  "a graph of " + std::to_string(nodes) + " ranks; the communicator has " + std::to_string(in.size())};
  int end = 0;
  for (int node = 0; node < nodes; ++node) {
    if (index[node] < end)
      throw failure{MPI_ERR_ARG, "the edges of rank " + std::to_string(node) + " end at " +
                                     std::to_string(index[node]) + "; those of the rank before it at " +
                                     std::to_string(end)};
    end = index[node];
  }
  for (int i = 0; i < end; ++i)
    if (edges[i] < 0 || edges[i] >= nodes)
      throw failure{MPI_ERR_ARG, "edge " + std::to_string(i) + " goes to rank " + std::to_string(edges[i]) +
                                     "; expected 0 to " + std::to_string(nodes - 1)};
  return {{index, index + nodes}, {edges, edges + end}};
}

/// A communicator of the same ranks.
std::shared_ptr<communicator> with_topology(communicator& from, distributed_graph edges, const call& by) {
  auto made = split(from, 0, from.rank, by);
  made->topology = std::move(edges);
  return made;
}

void expect_degree(int degree) {
  if (degree < 0) throw failure{MPI_ERR_ARG, std::to_string(degree) + " edges; expected 0 or more"};
}
bool is_weighted(const int* weights) { return weights != MPI_UNWEIGHTED; }
/// 1 where edges have none.
int weight_at(const int* weights, int i) {
  if (!is_weighted(weights)) return 1;
  if (!weights || weights == MPI_WEIGHTS_EMPTY)
    throw failure{MPI_ERR_ARG, "there are no weights of edges; MPI_UNWEIGHTED says that they have none"};
  if (weights[i] < 0)
    throw failure{MPI_ERR_ARG,
                  "edge " + std::to_string(i) + " weighs " + std::to_string(weights[i]) + "; expected 0 or more"};
  return weights[i];
}

distributed_graph::edges checked_edges(const communicator& in, int degree, const int* ranks, const int* weights) {
  expect_degree(degree);
  distributed_graph::edges made;
  for (int i = 0; i < degree; ++i) {
    expect_rank(in, ranks[i]);
    made.ranks.push_back(ranks[i]);
    const int weight = weight_at(weights, i);
    if (is_weighted(weights)) made.weights.push_back(weight);
  }
  return made;
}

/// An edge that any rank may know, and tells those that it joins.
struct told_edge {
  int from, to, weight;
  auto operator<=>(const told_edge&) const = default;
};
constexpr std::size_t numbers_of_edge = sizeof(told_edge) / sizeof(int);

/// Gives what all ranks tell the caller, in the order of the ranks. `told`: what it tells each.
std::vector<told_edge> exchanged(communicator& in, const std::vector<std::vector<told_edge>>& told, const call& by) {
  std::vector<int> going, coming(told.size());
  for (const auto& some : told) going.push_back(static_cast<int>(some.size()));
  const datatype& number = type_of(MPI_INT);
  using kind = spread::kind;
  call_of_all counted(in, by, false);
  counted.exchange_with_all({kind::blocks, {going.data(), 1, &number}, {}},
                            {kind::blocks, {coming.data(), 1, &number}, {}});
  complete(counted);
  std::size_t all = 0;
  for (const int count : coming) all += static_cast<std::size_t>(count);
  std::vector<told_edge> got(all);
  call_of_all mine(in, by, false);
  neighbourhood peers;
  std::vector<buffer> to, from;
  auto next = got.data();
  for (int rank = 0; rank < in.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    if (going[at] > 0) {
      peers.to.push_back({rank, 0});
      to.push_back({const_cast<told_edge*>(told[at].data()), told[at].size() * numbers_of_edge, &number});
    }
    if (coming[at] == 0) continue;
    peers.from.push_back({rank, 0});
    from.push_back({next, static_cast<std::size_t>(coming[at]) * numbers_of_edge, &number});
    next += coming[at];
  }
  mine.exchange_along(peers, std::move(to), std::move(from));
  complete(mine);
  return got;
}

/// What two ranks name otherwise of the edges from one to the other: how many, or a weight.
struct difference {
  int from, to, is_weight, one, other;
};
using told_difference = std::array<int, sizeof(difference) / sizeof(int)>;  // all ranks know its type
constexpr int no_weight = -1;

/// Gives the first one. The edges are those to one rank, as the others name them and as it does, sorted.
told_difference difference_between(const std::vector<told_edge>& others, const std::vector<told_edge>& its) {
  const auto [a, b] = std::mismatch(others.begin(), others.end(), its.begin(), its.end());
  const told_edge& first = b == its.end() || (a != others.end() && *a < *b) ? *a : *b;
  const auto count = [&first](const std::vector<told_edge>& edges) {
    return static_cast<int>(
        std::count_if(edges.begin(), edges.end(), [&](const told_edge& one) { return one.from == first.from; }));
  };
  const int one = count(others), other = count(its);
  if (one == other) return {first.from, first.to, true, a->weight, b->weight};
  return {first.from, first.to, false, one, other};
}

std::string text_of(const difference& it, const communicator& in) {
  const auto rank = [&in](int which) { return "rank " + std::to_string(in.in_world(which)); };
  const auto named = [](int number) { return number == no_weight ? "MPI_UNWEIGHTED" : std::to_string(number); };
  return std::string(it.is_weight ? "both ranks of an edge must name the same weight"
                                  : "both ranks of an edge must name it") +
         "; from " + rank(it.from) + " to " + rank(it.to) + ", " + rank(it.from) + " names " + named(it.one) + ", " +
         rank(it.to) + " names " + named(it.other);
}

/// Throws MPI_ERR_TOPOLOGY in all ranks unless both ranks of each edge have named it, with the same weight.
void expect_named_by_both(communicator& in, const distributed_graph& of, const call& by) {
  const auto weight = [](const distributed_graph::edges& edges, std::size_t i) {
    return edges.weights.empty() ? no_weight : edges.weights[i];
  };
  std::vector<std::vector<told_edge>> told(static_cast<std::size_t>(in.size()));
  std::vector<told_edge> named;
  for (std::size_t i = 0; i < of.out.ranks.size(); ++i)
    told[static_cast<std::size_t>(of.out.ranks[i])].push_back({in.rank, of.out.ranks[i], weight(of.out, i)});
  for (std::size_t i = 0; i < of.in.ranks.size(); ++i) named.push_back({of.in.ranks[i], in.rank, weight(of.in, i)});
  std::vector<told_edge> by_others = exchanged(in, told, by);
  std::sort(named.begin(), named.end());
  std::sort(by_others.begin(), by_others.end());
  const int differs = by_others != named;
  std::vector<int> who(told.size());
  in.channel.all_gather(differs, who, by.where);
  const auto first = std::find(who.begin(), who.end(), 1);
  if (first == who.end()) return;
  told_difference what = differs ? difference_between(by_others, named) : told_difference();
  in.channel.broadcast(what, static_cast<int>(first - who.begin()), by.where);
  throw failure{MPI_ERR_TOPOLOGY, text_of(std::bit_cast<difference>(what), in)};
}

/// The edges that are the caller's. Those of one pair of ranks have the same order for both.
distributed_graph edges_of(int rank, const std::vector<told_edge>& edges, bool have_weights) {
  distributed_graph made;
  made.is_weighted = have_weights;
  const auto add = [have_weights](distributed_graph::edges& to, int peer, int weight) {
    to.ranks.push_back(peer);
    if (have_weights) to.weights.push_back(weight);
  };
  for (const told_edge& one : edges) {
    if (one.from == rank) add(made.out, one.to, one.weight);
    if (one.to == rank) add(made.in, one.from, one.weight);
  }
  return made;
}

void copy_edges(const distributed_graph::edges& from, int most, int* ranks, int* weights) {
  expect_degree(most);
  const auto some = static_cast<std::ptrdiff_t>(std::min(static_cast<std::size_t>(most), from.ranks.size()));
  std::copy_n(from.ranks.begin(), some, ranks);
  if (weights && is_weighted(weights) && !from.weights.empty()) std::copy_n(from.weights.begin(), some, weights);
}

}  // namespace

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Topo_test, (MPI_Comm comm, int* kind)) {
  static_assert(std::is_same_v<std::variant_alternative_t<MPI_GRAPH, topology>, graph> &&
                std::is_same_v<std::variant_alternative_t<MPI_CART, topology>, grid> &&
                std::is_same_v<std::variant_alternative_t<MPI_DIST_GRAPH, topology>, distributed_graph>);
  return carry_out(MASLIN_MPI_CALL(Topo_test), comm, [&] {
    const std::size_t found = communicator_of(comm).topology.index();
    *kind = found == 0 ? MPI_UNDEFINED : static_cast<int>(found);
  });
}
MASLIN_MPI_DEFINE(Graph_create, (MPI_Comm comm, int nodes, const int* index, const int* edges, int, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Graph_create);
  return carry_out(in, comm, [&] {
    communicator& from = intracommunicator_of(comm);
    graph shape = checked_graph(from, nodes, index, edges);
    const auto part = split(from, from.rank < nodes ? 0 : MPI_UNDEFINED, from.rank, in);
    if (part) part->topology = std::move(shape);
    *made = add(part);
  });
}
MASLIN_MPI_DEFINE(Graphdims_get, (MPI_Comm comm, int* nodes, int* edges)) {
  return carry_out(MASLIN_MPI_CALL(Graphdims_get), comm, [&] {
    const graph& of = graph_of(comm);
    *nodes = static_cast<int>(of.index.size());
    *edges = static_cast<int>(of.edges.size());
  });
}
MASLIN_MPI_DEFINE(Graph_get, (MPI_Comm comm, int most_nodes, int most_edges, int* index, int* edges)) {
  return carry_out(MASLIN_MPI_CALL(Graph_get), comm, [&] {
    const graph& of = graph_of(comm);
    std::copy_n(of.index.begin(), std::clamp(most_nodes, 0, static_cast<int>(of.index.size())), index);
    std::copy_n(of.edges.begin(), std::clamp(most_edges, 0, static_cast<int>(of.edges.size())), edges);
  });
}
MASLIN_MPI_DEFINE(Graph_neighbors_count, (MPI_Comm comm, int rank, int* count)) {
  return carry_out(MASLIN_MPI_CALL(Graph_neighbors_count), comm, [&] {
    const graph& of = graph_of(comm);
    expect_rank(communicator_of(comm), rank);
    *count = static_cast<int>(of.neighbours_of(rank).size());
  });
}
MASLIN_MPI_DEFINE(Graph_neighbors, (MPI_Comm comm, int rank, int most, int* ranks)) {
  return carry_out(MASLIN_MPI_CALL(Graph_neighbors), comm, [&] {
    const graph& of = graph_of(comm);
    expect_rank(communicator_of(comm), rank);
    const std::span<const int> found = of.neighbours_of(rank);
    std::copy_n(found.begin(), std::clamp(most, 0, static_cast<int>(found.size())), ranks);
  });
}
MASLIN_MPI_DEFINE(Graph_map, (MPI_Comm comm, int nodes, const int* index, const int* edges, int* rank)) {
  return carry_out(MASLIN_MPI_CALL(Graph_map), comm, [&] {
    const communicator& in = intracommunicator_of(comm);
    if (nodes < 1) throw failure{MPI_ERR_ARG, "a graph of " + std::to_string(nodes) + " ranks; expected 1 or more"};
    checked_graph(in, nodes, index, edges);
    *rank = in.rank < nodes ? in.rank : MPI_UNDEFINED;
  });
}
MASLIN_MPI_DEFINE(Dist_graph_create_adjacent,
                  (MPI_Comm comm, int in_degree, const int* sources, const int* source_weights, int out_degree,
                   const int* destinations, const int* destination_weights, MPI_Info, int, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Dist_graph_create_adjacent);
  return carry_out(in, comm, [&] {
    communicator& from = intracommunicator_of(comm);
    if (is_weighted(source_weights) != is_weighted(destination_weights))
      throw failure{MPI_ERR_ARG, "either all edges of a graph have weights, or MPI_UNWEIGHTED stands for both lists"};
    distributed_graph edges{checked_edges(from, in_degree, sources, source_weights),
                            checked_edges(from, out_degree, destinations, destination_weights),
                            is_weighted(source_weights)};
    expect_named_by_both(from, edges, in);
    *made = add(with_topology(from, std::move(edges), in));
  });
}
MASLIN_MPI_DEFINE(Dist_graph_create, (MPI_Comm comm, int count, const int* sources, const int* degrees,
                                      const int* destinations, const int* weights, MPI_Info, int, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Dist_graph_create);
  return carry_out(in, comm, [&] {
    communicator& from = intracommunicator_of(comm);
    expect_degree(count);
    std::vector<std::vector<told_edge>> told(static_cast<std::size_t>(from.size()));
    int next = 0;
    for (int i = 0; i < count; ++i) {
      expect_rank(from, sources[i]);
      expect_degree(degrees[i]);
      for (const int end = next + degrees[i]; next < end; ++next) {
        expect_rank(from, destinations[next]);
        const told_edge one{sources[i], destinations[next], weight_at(weights, next)};
        told[static_cast<std::size_t>(one.from)].push_back(one);
        if (one.to != one.from) told[static_cast<std::size_t>(one.to)].push_back(one);
      }
    }
    *made = add(with_topology(from, edges_of(from.rank, exchanged(from, told, in), is_weighted(weights)), in));
  });
}
MASLIN_MPI_DEFINE(Dist_graph_neighbors_count, (MPI_Comm comm, int* in_degree, int* out_degree, int* weighted)) {
  return carry_out(MASLIN_MPI_CALL(Dist_graph_neighbors_count), comm, [&] {
    const distributed_graph& of = distributed_graph_of(comm);
    *in_degree = static_cast<int>(of.in.ranks.size());
    *out_degree = static_cast<int>(of.out.ranks.size());
    *weighted = of.is_weighted;
  });
}
MASLIN_MPI_DEFINE(Dist_graph_neighbors, (MPI_Comm comm, int most_in, int* sources, int* source_weights, int most_out,
                                         int* destinations, int* destination_weights)) {
  return carry_out(MASLIN_MPI_CALL(Dist_graph_neighbors), comm, [&] {
    const distributed_graph& of = distributed_graph_of(comm);
    copy_edges(of.in, most_in, sources, source_weights);
    copy_edges(of.out, most_out, destinations, destination_weights);
  });
}
