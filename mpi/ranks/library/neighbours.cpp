// Calls in which each rank exchanges data with its neighbours in a grid or graph.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "state.hpp"
#include "together.hpp"

namespace mpi {

namespace {

std::vector<edge> edges_of(std::span<const int> ranks) {
  std::vector<edge> made;
  for (const int rank : ranks) made.push_back({rank, 0});
  return made;
}

neighbourhood neighbours_in(const grid& of) {
  neighbourhood made;
  std::vector<int> at = of.coordinates;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const int own = at[d], down = static_cast<int>(2 * d), up = down + 1;
    at[d] = own - 1;
    const int before = of.rank_at(at.data());
    at[d] = own + 1;
    const int behind = of.rank_at(at.data());
    at[d] = own;
    made.from.insert(made.from.end(), {{before, down}, {behind, up}});
    // What goes down comes from above, also where one rank lies on both sides.
    made.to.insert(made.to.end(), {{before, up}, {behind, down}});
  }
  return made;
}

/// Parts and the edges along which they go. Edges that are alike keep their order.
spread sorted(const std::vector<edge>& edges, std::vector<buffer> parts) {
  if (std::is_sorted(edges.begin(), edges.end())) return {spread::kind::edges, {}, std::move(parts), edges};
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return edges[a] < edges[b]; });
  spread made{spread::kind::edges, {}, {}};
  for (const std::size_t i : order) {
    made.edges.push_back(edges[i]);
    made.parts.push_back(parts[i]);
  }
  return made;
}

void take_from_neighbours(const call_of_all&, calls_of_all all, int rank) {
  const call_of_all& its = brought(all, rank);
  const std::vector<edge>& edges = its.wants.edges;
  for (std::size_t i = 0; i < edges.size();) {
    const edge from = edges[i];
    const call_of_all& gives = brought(all, from.peer);
    const std::vector<edge>& given = gives.offers.edges;
    // Edges that are alike are matched in their order, as messages are.
    const auto alike = std::equal_range(given.begin(), given.end(), edge{rank, from.way});
    for (auto along = alike.first; i < edges.size() && edges[i] == from; ++i, ++along) {
      if (along == alike.second)
        throw failure{MPI_ERR_TOPOLOGY, "rank " + std::to_string(its.in.in_world(rank)) + " has an edge from rank " +
                                            std::to_string(gives.in.in_world(from.peer)) + ", which does not have it"};
      copy_part(gives, gives.offers.parts[static_cast<std::size_t>(along - given.begin())], its, its.wants.parts[i]);
    }
  }
}

}  // namespace

neighbourhood neighbours_of(const communicator& in) {
  if (const auto* const its = std::get_if<grid>(&in.topology)) return neighbours_in(*its);
  if (const auto* const its = std::get_if<distributed_graph>(&in.topology))
    return {edges_of(its->in.ranks), edges_of(its->out.ranks)};
  const auto* const its = std::get_if<graph>(&in.topology);
  if (!its) throw failure{MPI_ERR_TOPOLOGY, "the communicator has no neighbours; expected a grid or a graph"};
  return {edges_of(its->neighbours_of(in.rank)), edges_of(its->neighbours_of(in.rank))};
}

void call_of_all::exchange_along(const neighbourhood& edges, std::vector<buffer> to, std::vector<buffer> from) {
  part = take_from_neighbours;
  offers = sorted(edges.to, std::move(to));
  wants = sorted(edges.from, std::move(from));
}

}  // namespace mpi

using namespace mpi;

namespace {

/// `given(i)` and `wanted(i)`: the part of the i-th neighbour. Those that are not there have none.
template <class Given, class Wanted>
void exchange(call_of_all& mine, Given&& given, Wanted&& wanted) {
  neighbourhood among = neighbours_of(mine.comm());
  const auto parts = [](std::vector<edge>& edges, auto&& part) {
    std::vector<buffer> made;
    for (std::size_t i = 0; i < edges.size(); ++i)
      if (edges[i].peer != MPI_PROC_NULL) made.push_back(part(i));
    std::erase_if(edges, [](const edge& one) { return one.peer == MPI_PROC_NULL; });
    return made;
  };
  std::vector<buffer> to = parts(among.to, given), from = parts(among.from, wanted);
  mine.exchange_along(among, std::move(to), std::move(from));
}

// Where a rank has no neighbours, its buffer may be none: parts are checked one by one.

auto same(call_of_all& mine, const void* data, int count, MPI_Datatype type) {
  return [=, &mine](std::size_t) { return mine.checked(data, count, type); };
}
auto blocks(call_of_all& mine, const void* data, int count, MPI_Datatype type) {
  return [=, &mine](std::size_t i) {
    const buffer first = mine.checked(data, count, type);
    return buffer{first.element(i * first.count), first.count, first.type};
  };
}
auto listed(call_of_all& mine, const void* data, const int* counts, const int* displacements, MPI_Datatype type) {
  const std::ptrdiff_t extent = type_of(type).extent();
  return [=, &mine](std::size_t i) {
    return mine.checked(static_cast<const char*>(data) + displacements[i] * extent, counts[i], type);
  };
}
/// Of different types; distances are bytes.
auto listed(call_of_all& mine, const void* data, const int* counts, const MPI_Aint* displacements,
            const MPI_Datatype* types) {
  return [=, &mine](std::size_t i) {
    return mine.checked(static_cast<const char*>(data) + displacements[i], counts[i], types[i]);
  };
}

}  // namespace

MASLIN_MPI_OF_ALL(Neighbor_allgather, Ineighbor_allgather,
                  exchange(mine, same(mine, data, count, type), blocks(mine, into, room, into_type)), const void* data,
                  int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Neighbor_allgatherv, Ineighbor_allgatherv,
                  exchange(mine, same(mine, data, count, type), listed(mine, into, rooms, displacements, into_type)),
                  const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                  const int* displacements, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Neighbor_alltoall, Ineighbor_alltoall,
                  exchange(mine, blocks(mine, data, count, type), blocks(mine, into, room, into_type)),
                  const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Neighbor_alltoallv, Ineighbor_alltoallv,
                  exchange(mine, listed(mine, data, counts, displacements, type),
                           listed(mine, into, rooms, into_displacements, into_type)),
                  const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                  const int* rooms, const int* into_displacements, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Neighbor_alltoallw, Ineighbor_alltoallw,
                  exchange(mine, listed(mine, data, counts, displacements, types),
                           listed(mine, into, rooms, into_displacements, into_types)),
                  const void* data, const int* counts, const MPI_Aint* displacements, const MPI_Datatype* types,
                  void* into, const int* rooms, const MPI_Aint* into_displacements, const MPI_Datatype* into_types)
