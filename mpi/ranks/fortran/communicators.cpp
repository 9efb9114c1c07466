// Groups, communicators, grids, graphs, and what is done with errors. A handler in Fortran takes what one in C takes.

#include "binding.hpp"

namespace {

/// What stands for no weights is a variable in Fortran.
const int* weights(const int* at) {
  if (at == &maslin_mpi_special_.unweighted) return MPI_UNWEIGHTED;
  return at == &maslin_mpi_special_.weights_empty ? MPI_WEIGHTS_EMPTY : at;
}

int dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int* sources, const int* source_weights,
                               int out_degree, const int* destinations, const int* destination_weights, MPI_Info info,
                               int reorder, MPI_Comm* made) {
  return PMPI_Dist_graph_create_adjacent(comm, in_degree, sources, weights(source_weights), out_degree, destinations,
                                         weights(destination_weights), info, reorder, made);
}

int dist_graph_create(MPI_Comm comm, int count, const int* sources, const int* degrees, const int* destinations,
                      const int* edge_weights, MPI_Info info, int reorder, MPI_Comm* made) {
  return PMPI_Dist_graph_create(comm, count, sources, degrees, destinations, weights(edge_weights), info, reorder,
                                made);
}

int dist_graph_neighbors(MPI_Comm comm, int most_in, int* sources, int* source_weights, int most_out, int* destinations,
                         int* destination_weights) {
  return PMPI_Dist_graph_neighbors(comm, most_in, sources, const_cast<int*>(weights(source_weights)), most_out,
                                   destinations, const_cast<int*>(weights(destination_weights)));
}

}  // namespace

MASLIN_FORTRAN(PMPI_Group_size, group_size, 2)
MASLIN_FORTRAN(PMPI_Group_rank, group_rank, 2)
MASLIN_FORTRAN(PMPI_Group_translate_ranks, group_translate_ranks, 5)
MASLIN_FORTRAN(PMPI_Group_compare, group_compare, 3)
MASLIN_FORTRAN(PMPI_Group_union, group_union, 3)
MASLIN_FORTRAN(PMPI_Group_intersection, group_intersection, 3)
MASLIN_FORTRAN(PMPI_Group_difference, group_difference, 3)
MASLIN_FORTRAN(PMPI_Group_incl, group_incl, 4)
MASLIN_FORTRAN(PMPI_Group_excl, group_excl, 4)
MASLIN_FORTRAN(PMPI_Group_range_incl, group_range_incl, 4)
MASLIN_FORTRAN(PMPI_Group_range_excl, group_range_excl, 4)
MASLIN_FORTRAN(PMPI_Group_free, group_free, 1)

MASLIN_FORTRAN(PMPI_Comm_group, comm_group, 2)
MASLIN_FORTRAN(PMPI_Comm_size, comm_size, 2)
MASLIN_FORTRAN(PMPI_Comm_rank, comm_rank, 2)
MASLIN_FORTRAN(PMPI_Comm_compare, comm_compare, 3)
MASLIN_FORTRAN(PMPI_Comm_dup, comm_dup, 2)
MASLIN_FORTRAN(PMPI_Comm_dup_with_info, comm_dup_with_info, 3)
MASLIN_FORTRAN(PMPI_Comm_create, comm_create, 3)
MASLIN_FORTRAN(PMPI_Comm_split, comm_split, 4)
MASLIN_FORTRAN(PMPI_Comm_split_type, comm_split_type, 5)
MASLIN_FORTRAN(PMPI_Comm_set_info, comm_set_info, 2)
MASLIN_FORTRAN(PMPI_Comm_get_info, comm_get_info, 2)
MASLIN_FORTRAN(PMPI_Comm_get_parent, comm_get_parent, 1)
MASLIN_FORTRAN(PMPI_Comm_free, comm_free, 1)
MASLIN_FORTRAN(PMPI_Comm_disconnect, comm_disconnect, 1)
MASLIN_FORTRAN(PMPI_Comm_create_group, comm_create_group, 4)
MASLIN_FORTRAN(PMPI_Comm_idup, comm_idup, 3)
MASLIN_FORTRAN(PMPI_Comm_idup_with_info, comm_idup_with_info, 4)
MASLIN_FORTRAN(PMPI_Comm_test_inter, comm_test_inter, 2)
MASLIN_FORTRAN(PMPI_Comm_remote_size, comm_remote_size, 2)
MASLIN_FORTRAN(PMPI_Comm_remote_group, comm_remote_group, 2)
MASLIN_FORTRAN(PMPI_Intercomm_create, intercomm_create, 6)
MASLIN_FORTRAN(PMPI_Intercomm_merge, intercomm_merge, 3)

MASLIN_FORTRAN(PMPI_Cart_create, cart_create, 6)
MASLIN_FORTRAN(PMPI_Cart_get, cart_get, 5)
MASLIN_FORTRAN(PMPI_Cart_coords, cart_coords, 4)
MASLIN_FORTRAN(PMPI_Cart_rank, cart_rank, 3)
MASLIN_FORTRAN(PMPI_Cart_shift, cart_shift, 5)
MASLIN_FORTRAN(PMPI_Cart_sub, cart_sub, 3)
MASLIN_FORTRAN(PMPI_Cartdim_get, cartdim_get, 2)
MASLIN_FORTRAN(PMPI_Cart_map, cart_map, 5)
MASLIN_FORTRAN(PMPI_Dims_create, dims_create, 3)
MASLIN_FORTRAN(PMPI_Topo_test, topo_test, 2)
MASLIN_FORTRAN(PMPI_Graph_create, graph_create, 6)
MASLIN_FORTRAN(PMPI_Graphdims_get, graphdims_get, 3)
MASLIN_FORTRAN(PMPI_Graph_get, graph_get, 5)
MASLIN_FORTRAN(PMPI_Graph_neighbors_count, graph_neighbors_count, 3)
MASLIN_FORTRAN(PMPI_Graph_neighbors, graph_neighbors, 4)
MASLIN_FORTRAN(PMPI_Graph_map, graph_map, 5)
MASLIN_FORTRAN(dist_graph_create_adjacent, dist_graph_create_adjacent, 10)
MASLIN_FORTRAN(dist_graph_create, dist_graph_create, 9)
MASLIN_FORTRAN(PMPI_Dist_graph_neighbors_count, dist_graph_neighbors_count, 4)
MASLIN_FORTRAN(dist_graph_neighbors, dist_graph_neighbors, 7)

MASLIN_FORTRAN(PMPI_Comm_create_errhandler, comm_create_errhandler, 2)
MASLIN_FORTRAN(PMPI_Comm_set_errhandler, comm_set_errhandler, 2)
MASLIN_FORTRAN(PMPI_Comm_get_errhandler, comm_get_errhandler, 2)
MASLIN_FORTRAN(PMPI_Comm_call_errhandler, comm_call_errhandler, 2)
MASLIN_FORTRAN(PMPI_Errhandler_create, errhandler_create, 2)
MASLIN_FORTRAN(PMPI_Errhandler_set, errhandler_set, 2)
MASLIN_FORTRAN(PMPI_Errhandler_get, errhandler_get, 2)
MASLIN_FORTRAN(PMPI_Errhandler_free, errhandler_free, 1)
MASLIN_FORTRAN(PMPI_Add_error_class, add_error_class, 1)
MASLIN_FORTRAN(PMPI_Add_error_code, add_error_code, 2)
MASLIN_FORTRAN(PMPI_Error_class, error_class, 2)
