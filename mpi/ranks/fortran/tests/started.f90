! Calls of all ranks that are started, with the procedures that `use mpi` describes, and one by its PMPI name.
program started
  use mpi
  implicit none
  integer, parameter :: n = 50
  integer :: rank, ranks, ierror, i, index
  integer :: requests(17)
  integer, allocatable :: own(:), all(:), counts(:), places(:), bytes(:), types(:)
  integer, allocatable :: of_call(:, :)
  logical :: flag
  integer :: status(MPI_STATUS_SIZE)

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  allocate (own(n * ranks), all(n * ranks), of_call(n * ranks, 17))
  own = [(1000 * rank + i, i = 1, n * ranks)]
  all = own
  counts = [(n, i = 1, ranks)]
  places = [(n * (i - 1), i = 1, ranks)]
  bytes = 4 * places
  types = [(MPI_INTEGER, i = 1, ranks)]
  of_call = -1
  if (rank == 0) of_call(1:n, 2) = own(1:n)

  ! All 17 are under way at a time.
  call MPI_IBARRIER(MPI_COMM_WORLD, requests(1), ierror)
  call MPI_IBCAST(of_call(:, 2), n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_IGATHER(own, n, MPI_INTEGER, of_call(:, 3), n, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(3), ierror)
  call MPI_IGATHERV(own, n, MPI_INTEGER, of_call(:, 4), counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(4), ierror)
  call MPI_ISCATTER(own, n, MPI_INTEGER, of_call(:, 5), n, MPI_INTEGER, 1, MPI_COMM_WORLD, requests(5), ierror)
  call MPI_ISCATTERV(own, counts, places, MPI_INTEGER, of_call(:, 6), n, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(6), ierror)
  call MPI_IALLGATHER(own, n, MPI_INTEGER, of_call(:, 7), n, MPI_INTEGER, MPI_COMM_WORLD, requests(7), ierror)
  call MPI_IALLGATHERV(own, n, MPI_INTEGER, of_call(:, 8), counts, places, MPI_INTEGER, MPI_COMM_WORLD, requests(8), ierror)
  call MPI_IALLTOALL(own, n, MPI_INTEGER, of_call(:, 9), n, MPI_INTEGER, MPI_COMM_WORLD, requests(9), ierror)
  call MPI_IALLTOALLV(own, counts, places, MPI_INTEGER, of_call(:, 10), counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                      requests(10), ierror)
  call MPI_IALLTOALLW(own, counts, bytes, types, of_call(:, 11), counts, bytes, types, MPI_COMM_WORLD, requests(11), ierror)
  call MPI_IREDUCE(own, of_call(:, 12), n, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, requests(12), ierror)
  of_call(1:n, 13) = own(1:n)
  call MPI_IALLREDUCE(MPI_IN_PLACE, of_call(:, 13), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(13), ierror)
  call MPI_IREDUCE_SCATTER(own, of_call(:, 14), counts, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, requests(14), ierror)
  call MPI_IREDUCE_SCATTER_BLOCK(own, of_call(:, 15), n, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, requests(15), ierror)
  call MPI_ISCAN(own, of_call(:, 16), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(16), ierror)
  call PMPI_IEXSCAN(own, of_call(:, 17), n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(17), ierror)

  call MPI_WAIT(requests(9), status, ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_TEST(requests(17), flag, status, ierror)
  end do
  call MPI_WAITANY(3, requests(10:12), index, status, ierror)
  call expect(index >= 1 .and. index <= 3, 'MPI_WAITANY')
  call MPI_WAITALL(17, requests, MPI_STATUSES_IGNORE, ierror)
  call expect(all_are(requests, MPI_REQUEST_NULL), 'null requests')

  call expect(all_are(of_call(1:n, 2) - [(i, i = 1, n)], 0), 'MPI_IBCAST')
  if (rank == 1) call expect(all_are(of_call(:, 3) - gathered(1), 0), 'MPI_IGATHER')
  if (rank == 0) call expect(all_are(of_call(:, 4) - gathered(1), 0), 'MPI_IGATHERV')
  call expect(all_are(of_call(1:n, 5) - [(1000 + n * rank + i, i = 1, n)], 0), 'MPI_ISCATTER')
  call expect(all_are(of_call(1:n, 6) - [(n * rank + i, i = 1, n)], 0), 'MPI_ISCATTERV')
  call expect(all_are(of_call(:, 7) - gathered(1), 0), 'MPI_IALLGATHER')
  call expect(all_are(of_call(:, 8) - gathered(1), 0), 'MPI_IALLGATHERV')
  call expect(all_are(of_call(:, 9) - gathered(n * rank + 1), 0), 'MPI_IALLTOALL')
  call expect(all_are(of_call(:, 10) - gathered(n * rank + 1), 0), 'MPI_IALLTOALLV')
  call expect(all_are(of_call(:, 11) - gathered(n * rank + 1), 0), 'MPI_IALLTOALLW')
  if (rank == 1) call expect(all_are(of_call(1:n, 12) - [(500 * ranks * (ranks - 1) + ranks * i, i = 1, n)], 0), 'MPI_IREDUCE')
  call expect(all_are(of_call(1:n, 13) - [(1000 * (ranks - 1) + i, i = 1, n)], 0), 'MPI_IALLREDUCE')
  call expect(all_are(of_call(1:n, 14) - [(n * rank + i, i = 1, n)], 0), 'MPI_IREDUCE_SCATTER')
  call expect(all_are(of_call(1:n, 15) - [(n * rank + i, i = 1, n)], 0), 'MPI_IREDUCE_SCATTER_BLOCK')
  call expect(all_are(of_call(1:n, 16) - own(1:n), 0), 'MPI_ISCAN')
  if (rank > 0) call expect(all_are(of_call(1:n, 17) - own(1:n), -1000), 'MPI_IEXSCAN')
  call expect(all_are(own - all, 0), 'what was given')
  call MPI_FINALIZE(ierror)

contains

  logical function all_are(values, what)
    integer, intent(in) :: values(:), what
    all_are = all_true(values == what)
  end function all_are

  logical function all_true(values)
    logical, intent(in) :: values(:)
    all_true = count(values) == size(values)
  end function all_true

  !> The n numbers from that one on, of each rank.
  function gathered(first)
    integer, intent(in) :: first
    integer :: gathered(n * ranks), r, k
    gathered = [((1000 * r + first + k, k = 0, n - 1), r = 0, ranks - 1)]
  end function gathered
end program started
