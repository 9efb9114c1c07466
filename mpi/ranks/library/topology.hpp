#pragma once
// Who is whose neighbour in a communicator.

#include <compare>
#include <span>
#include <variant>
#include <vector>

namespace mpi {

/// A graph that all ranks know.
struct graph {
  std::vector<int> index;  ///< of each rank: where its edges end in `edges`
  std::vector<int> edges;  ///< the ranks to which they go

  std::span<const int> neighbours_of(int rank) const;
};

struct grid {
  std::vector<int> sizes;
  std::vector<bool> is_periodic;
  std::vector<int> coordinates;  ///< the caller's

  std::vector<int> coordinates_of(int rank) const;
  int rank_at(const int* where) const;  ///< MPI_PROC_NULL outside
};

/// A graph of which each rank knows its own edges.
struct distributed_graph {
  struct edges {
    std::vector<int> ranks, weights;  ///< no weights where it has none
  };
  edges in, out;
  bool is_weighted = false;
};

/// Which it is, is what MPI_Topo_test gives; it begins with none.
using topology = std::variant<std::monostate, graph, grid, distributed_graph>;

/// An edge, as one of its ranks sees it.
struct edge {
  int peer;
  int way;  ///< edges of one pair of ranks that go different ways do not match, whatever their order
  auto operator<=>(const edge&) const = default;
};
struct neighbourhood {
  std::vector<edge> from, to;
};
struct communicator;
/// The caller's neighbours. In a grid each dimension has two, where there is none, with MPI_PROC_NULL. Throws
/// `failure`.
neighbourhood neighbours_of(const communicator& in);

}  // namespace mpi
