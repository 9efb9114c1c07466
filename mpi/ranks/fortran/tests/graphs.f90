! Graphs, and calls of neighbours. Written for any number of ranks.
program graphs
  use mpi
  implicit none
  integer, parameter :: n = 3
  integer :: rank, ranks, ierror, comm, kind, i, count, edges, out, request
  integer :: left, right, sources(2), destinations(2), weights(2), out_weights(2)
  integer :: own(n), by_edge(n, 2), got(n, 2), twos(2), places(2), types(2)
  integer(MPI_ADDRESS_KIND) :: bytes(2)
  integer, allocatable :: index(:), ring(:)
  logical :: weighted

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)

  ! Known to all.
  index = [(2 * i, i = 1, ranks)]
  ring = [(mod(i / 2 + merge(1, ranks - 1, mod(i, 2) == 1), ranks), i = 0, 2 * ranks - 1)]
  call MPI_GRAPH_MAP(MPI_COMM_WORLD, ranks, index, ring, i, ierror)
  call expect(i >= 0 .and. i < ranks, 'MPI_GRAPH_MAP')
  call MPI_GRAPH_CREATE(MPI_COMM_WORLD, ranks, index, ring, .false., comm, ierror)
  call MPI_TOPO_TEST(comm, kind, ierror)
  call expect(kind == MPI_GRAPH, 'MPI_TOPO_TEST of a graph')
  call MPI_GRAPHDIMS_GET(comm, count, edges, ierror)
  call expect(count == ranks .and. edges == 2 * ranks, 'MPI_GRAPHDIMS_GET')
  index = 0
  ring = -1
  call MPI_GRAPH_GET(comm, ranks, 2 * ranks, index, ring, ierror)
  call expect(index(ranks) == 2 * ranks .and. ring(1) == ranks - 1, 'MPI_GRAPH_GET')
  call MPI_GRAPH_NEIGHBORS_COUNT(comm, rank, count, ierror)
  call expect(count == 2, 'MPI_GRAPH_NEIGHBORS_COUNT')
  call MPI_GRAPH_NEIGHBORS(comm, rank, 2, sources, ierror)
  call expect(all(sources == [left, right]), 'MPI_GRAPH_NEIGHBORS')
  own = [(100 * rank + i, i = 1, n)]
  call MPI_NEIGHBOR_ALLGATHER(own, n, MPI_INTEGER, got, n, MPI_INTEGER, comm, ierror)
  call expect(came(0), 'MPI_NEIGHBOR_ALLGATHER')
  call MPI_COMM_FREE(comm, ierror)

  ! Each rank knows its edges: from the left one, and to the right one, twice.
  sources = left
  destinations = right
  weights = [7, 8]
  call MPI_DIST_GRAPH_CREATE_ADJACENT(MPI_COMM_WORLD, 2, sources, weights, 2, destinations, weights, MPI_INFO_NULL, &
                                      .false., comm, ierror)
  call MPI_DIST_GRAPH_NEIGHBORS_COUNT(comm, count, out, weighted, ierror)
  call expect(count == 2 .and. out == 2 .and. weighted, 'MPI_DIST_GRAPH_NEIGHBORS_COUNT')
  weights = 0
  call MPI_DIST_GRAPH_NEIGHBORS(comm, 2, sources, weights, 2, destinations, MPI_UNWEIGHTED, ierror)
  call expect(all(sources == left) .and. all(destinations == right) .and. all(weights == [7, 8]), &
              'MPI_DIST_GRAPH_NEIGHBORS')
  call MPI_COMM_FREE(comm, ierror)
  call MPI_DIST_GRAPH_CREATE(MPI_COMM_WORLD, 1, [rank], [2], [left, right], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., comm, &
                             ierror)
  call MPI_TOPO_TEST(comm, kind, ierror)
  call expect(kind == MPI_DIST_GRAPH, 'MPI_TOPO_TEST of a graph that is known in parts')
  call MPI_DIST_GRAPH_NEIGHBORS_COUNT(comm, count, out, weighted, ierror)
  call expect(count == 2 .and. out == 2 .and. .not. weighted, 'MPI_UNWEIGHTED')
  call MPI_COMM_FREE(comm, ierror)
  call MPI_DIST_GRAPH_CREATE_ADJACENT(MPI_COMM_WORLD, 0, sources, MPI_WEIGHTS_EMPTY, 0, destinations, &
                                      MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., comm, ierror)
  call MPI_DIST_GRAPH_NEIGHBORS_COUNT(comm, count, out, weighted, ierror)
  call expect(count == 0 .and. out == 0 .and. weighted, 'MPI_WEIGHTS_EMPTY')
  out_weights = 0
  call MPI_DIST_GRAPH_NEIGHBORS(comm, 0, sources, MPI_UNWEIGHTED, 0, destinations, out_weights, ierror)
  call MPI_COMM_FREE(comm, ierror)

  ! In a ring: what goes to the left comes from the right.
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., comm, ierror)
  by_edge = reshape([(100 * rank + i, i = 1, 2 * n)], [n, 2])
  twos = n
  places = [0, n]
  bytes = 4 * places
  types = MPI_INTEGER
  call clear
  call MPI_NEIGHBOR_ALLGATHERV(own, n, MPI_INTEGER, got, twos, places, MPI_INTEGER, comm, ierror)
  call expect(came(0), 'MPI_NEIGHBOR_ALLGATHERV')
  call clear
  call MPI_NEIGHBOR_ALLTOALL(by_edge, n, MPI_INTEGER, got, n, MPI_INTEGER, comm, ierror)
  call expect(came(n), 'MPI_NEIGHBOR_ALLTOALL')
  call clear
  call MPI_NEIGHBOR_ALLTOALLV(by_edge, twos, places, MPI_INTEGER, got, twos, places, MPI_INTEGER, comm, ierror)
  call expect(came(n), 'MPI_NEIGHBOR_ALLTOALLV')
  call clear
  call MPI_NEIGHBOR_ALLTOALLW(by_edge, twos, bytes, types, got, twos, bytes, types, comm, ierror)
  call expect(came(n), 'MPI_NEIGHBOR_ALLTOALLW')
  call clear
  call MPI_INEIGHBOR_ALLGATHER(own, n, MPI_INTEGER, got, n, MPI_INTEGER, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(came(0), 'MPI_INEIGHBOR_ALLGATHER')
  call clear
  call MPI_INEIGHBOR_ALLGATHERV(own, n, MPI_INTEGER, got, twos, places, MPI_INTEGER, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(came(0), 'MPI_INEIGHBOR_ALLGATHERV')
  call clear
  call MPI_INEIGHBOR_ALLTOALL(by_edge, n, MPI_INTEGER, got, n, MPI_INTEGER, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(came(n), 'MPI_INEIGHBOR_ALLTOALL')
  call clear
  call MPI_INEIGHBOR_ALLTOALLV(by_edge, twos, places, MPI_INTEGER, got, twos, places, MPI_INTEGER, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(came(n), 'MPI_INEIGHBOR_ALLTOALLV')
  call clear
  call PMPI_INEIGHBOR_ALLTOALLW(by_edge, twos, bytes, types, got, twos, bytes, types, comm, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(came(n), 'MPI_INEIGHBOR_ALLTOALLW')
  call MPI_COMM_FREE(comm, ierror)
  call MPI_FINALIZE(ierror)

contains

  subroutine clear
    got = -1
  end subroutine clear

  !> From the left comes what is given `apart` behind what is given to the left one.
  logical function came(apart)
    integer, intent(in) :: apart
    came = all(got(:, 1) == [(100 * left + apart + i, i = 1, n)]) .and. all(got(:, 2) == [(100 * right + i, i = 1, n)])
  end function came
end program graphs
