! Persistent calls of all ranks, with the procedures that `use mpi` describes, and one by its PMPI name. Each is started
! twice; what it gives then is what the blocking call gives.
program persistent
  use mpi
  implicit none
  integer, parameter :: n = 20, calls = 22
  integer :: rank, ranks, ierror, i, round, ring
  integer :: requests(calls), status(MPI_STATUS_SIZE)
  integer, allocatable :: own(:), counts(:), places(:), bytes(:), types(:), wanted(:)
  ! Calls change them without having them as arguments.
  integer, allocatable, volatile :: got(:, :)
  integer(MPI_ADDRESS_KIND), allocatable :: distances(:)

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  call MPI_CART_CREATE(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., ring, ierror)
  allocate (own(n * ranks), got(n * ranks, calls), wanted(n * ranks))
  counts = [(n, i = 1, ranks)]
  places = [(n * (i - 1), i = 1, ranks)]
  bytes = 4 * places
  distances = bytes
  types = [(MPI_INTEGER, i = 1, ranks)]

  call MPI_BARRIER_INIT(MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
  call MPI_BCAST_INIT(got(:, 2), n, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierror)
  call MPI_GATHER_INIT(own, n, MPI_INTEGER, got(:, 3), n, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(3), &
                       ierror)
  call MPI_GATHERV_INIT(own, n, MPI_INTEGER, got(:, 4), counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                        MPI_INFO_NULL, requests(4), ierror)
  call MPI_SCATTER_INIT(own, n, MPI_INTEGER, got(:, 5), n, MPI_INTEGER, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &
                        requests(5), ierror)
  call MPI_SCATTERV_INIT(own, counts, places, MPI_INTEGER, got(:, 6), n, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                         MPI_INFO_NULL, requests(6), ierror)
  call MPI_ALLGATHER_INIT(own, n, MPI_INTEGER, got(:, 7), n, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, requests(7), &
                          ierror)
  call MPI_ALLGATHERV_INIT(own, n, MPI_INTEGER, got(:, 8), counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                           MPI_INFO_NULL, requests(8), ierror)
  call MPI_ALLTOALL_INIT(own, n, MPI_INTEGER, got(:, 9), n, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, requests(9), &
                         ierror)
  call MPI_ALLTOALLV_INIT(own, counts, places, MPI_INTEGER, got(:, 10), counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                          MPI_INFO_NULL, requests(10), ierror)
  call MPI_ALLTOALLW_INIT(own, counts, bytes, types, got(:, 11), counts, bytes, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
                          requests(11), ierror)
  call MPI_REDUCE_INIT(own, got(:, 12), n, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(12), ierror)
  call MPI_ALLREDUCE_INIT(MPI_IN_PLACE, got(:, 13), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &
                          requests(13), ierror)
  call MPI_REDUCE_SCATTER_INIT(own, got(:, 14), counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &
                               requests(14), ierror)
  call MPI_REDUCE_SCATTER_BLOCK_INIT(own, got(:, 15), n, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                     requests(15), ierror)
  call MPI_SCAN_INIT(own, got(:, 16), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, requests(16), ierror)
  call MPI_EXSCAN_INIT(own, got(:, 17), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, requests(17), ierror)
  call MPI_NEIGHBOR_ALLGATHER_INIT(own, n, MPI_INTEGER, got(:, 18), n, MPI_INTEGER, ring, MPI_INFO_NULL, &
                                   requests(18), ierror)
  call MPI_NEIGHBOR_ALLGATHERV_INIT(own, n, MPI_INTEGER, got(:, 19), counts, places, MPI_INTEGER, ring, &
                                    MPI_INFO_NULL, requests(19), ierror)
  call MPI_NEIGHBOR_ALLTOALL_INIT(own, n, MPI_INTEGER, got(:, 20), n, MPI_INTEGER, ring, MPI_INFO_NULL, requests(20), &
                                  ierror)
  call MPI_NEIGHBOR_ALLTOALLV_INIT(own, counts, places, MPI_INTEGER, got(:, 21), counts, places, MPI_INTEGER, ring, &
                                   MPI_INFO_NULL, requests(21), ierror)
  call PMPI_NEIGHBOR_ALLTOALLW_INIT(own, counts, distances, types, got(:, 22), counts, distances, types, ring, &
                                    MPI_INFO_NULL, requests(22), ierror)
  do round = 1, 2
    own = [(1000 * rank + i * round, i = 1, n * ranks)]
    got = -1
    if (rank == 0) got(1:n, 2) = own(1:n)
    got(1:n, 13) = own(1:n)
    call MPI_STARTALL(calls - 1, requests, ierror)
    call MPI_START(requests(calls), ierror)
    call MPI_WAIT(requests(9), status, ierror)
    call MPI_WAITALL(calls, requests, MPI_STATUSES_IGNORE, ierror)
    wanted = -1
    if (rank == 0) wanted(1:n) = own(1:n)
    call MPI_BCAST(wanted, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call same(2, 'MPI_BCAST_INIT')
    call MPI_GATHER(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    call same(3, 'MPI_GATHER_INIT')
    call MPI_GATHERV(own, n, MPI_INTEGER, wanted, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call same(4, 'MPI_GATHERV_INIT')
    call MPI_SCATTER(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    call same(5, 'MPI_SCATTER_INIT')
    call MPI_SCATTERV(own, counts, places, MPI_INTEGER, wanted, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    call same(6, 'MPI_SCATTERV_INIT')
    call MPI_ALLGATHER(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call same(7, 'MPI_ALLGATHER_INIT')
    call MPI_ALLGATHERV(own, n, MPI_INTEGER, wanted, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call same(8, 'MPI_ALLGATHERV_INIT')
    call MPI_ALLTOALL(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call same(9, 'MPI_ALLTOALL_INIT')
    call MPI_ALLTOALLV(own, counts, places, MPI_INTEGER, wanted, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    call same(10, 'MPI_ALLTOALLV_INIT')
    call MPI_ALLTOALLW(own, counts, bytes, types, wanted, counts, bytes, types, MPI_COMM_WORLD, ierror)
    call same(11, 'MPI_ALLTOALLW_INIT')
    call MPI_REDUCE(own, wanted, n, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, ierror)
    call same(12, 'MPI_REDUCE_INIT')
    wanted(1:n) = own(1:n)
    call MPI_ALLREDUCE(MPI_IN_PLACE, wanted, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call same(13, 'MPI_ALLREDUCE_INIT')
    call MPI_REDUCE_SCATTER(own, wanted, counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierror)
    call same(14, 'MPI_REDUCE_SCATTER_INIT')
    call MPI_REDUCE_SCATTER_BLOCK(own, wanted, n, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierror)
    call same(15, 'MPI_REDUCE_SCATTER_BLOCK_INIT')
    call MPI_SCAN(own, wanted, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call same(16, 'MPI_SCAN_INIT')
    call MPI_EXSCAN(own, wanted, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierror)
    call same(17, 'MPI_EXSCAN_INIT')
    call MPI_NEIGHBOR_ALLGATHER(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, ring, ierror)
    call same(18, 'MPI_NEIGHBOR_ALLGATHER_INIT')
    call MPI_NEIGHBOR_ALLGATHERV(own, n, MPI_INTEGER, wanted, counts, places, MPI_INTEGER, ring, ierror)
    call same(19, 'MPI_NEIGHBOR_ALLGATHERV_INIT')
    call MPI_NEIGHBOR_ALLTOALL(own, n, MPI_INTEGER, wanted, n, MPI_INTEGER, ring, ierror)
    call same(20, 'MPI_NEIGHBOR_ALLTOALL_INIT')
    call MPI_NEIGHBOR_ALLTOALLV(own, counts, places, MPI_INTEGER, wanted, counts, places, MPI_INTEGER, ring, ierror)
    call same(21, 'MPI_NEIGHBOR_ALLTOALLV_INIT')
    call MPI_NEIGHBOR_ALLTOALLW(own, counts, distances, types, wanted, counts, distances, types, ring, ierror)
    call same(22, 'MPI_NEIGHBOR_ALLTOALLW_INIT')
  end do
  do i = 1, calls
    call MPI_REQUEST_FREE(requests(i), ierror)
  end do
  call MPI_COMM_FREE(ring, ierror)
  call MPI_FINALIZE(ierror)

contains

  subroutine same(call, what)
    integer, intent(in) :: call
    character(*), intent(in) :: what
    call expect(all(got(:, call) == wanted), what)
    wanted = -1
  end subroutine same
end program persistent
