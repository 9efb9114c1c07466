! Communicators of two groups, and of ranks that ask for one by themselves.
program groups
  use mpi
  implicit none
  integer :: rank, ranks, mine, place, others, ierror, request, sum, got, length
  integer :: half, both, one, some, world, odd, remote
  integer :: range(3, 1), status(MPI_STATUS_SIZE)
  logical :: flag

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  mine = mod(rank, 2)
  place = rank / 2
  others = (ranks + mine) / 2

  call MPI_COMM_SPLIT(MPI_COMM_WORLD, mine, rank, half, ierror)
  call MPI_INTERCOMM_CREATE(half, 0, MPI_COMM_WORLD, 1 - mine, 5, both, ierror)
  call MPI_COMM_TEST_INTER(both, flag, ierror)
  call expect(flag, 'MPI_COMM_TEST_INTER')
  call MPI_COMM_REMOTE_SIZE(both, length, ierror)
  call expect(length == others, 'MPI_COMM_REMOTE_SIZE')
  call MPI_COMM_REMOTE_GROUP(both, remote, ierror)
  call MPI_GROUP_SIZE(remote, length, ierror)
  call expect(length == others, 'MPI_COMM_REMOTE_GROUP')
  call MPI_GROUP_FREE(remote, ierror)

  if (place < others) then
    call MPI_SENDRECV(rank, 1, MPI_INTEGER, place, 1, got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, both, status, ierror)
    call expect(got == 2 * place + 1 - mine .and. status(MPI_SOURCE) == place, 'a message')
  end if
  call MPI_IALLREDUCE(1, sum, 1, MPI_INTEGER, MPI_SUM, both, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(sum == others, 'MPI_IALLREDUCE')
  got = -1
  if (mine == 0) got = merge(MPI_ROOT, MPI_PROC_NULL, place == 0)
  if (mine == 1) got = 0
  sum = 40 + rank
  call MPI_BCAST(sum, 1, MPI_INTEGER, got, both, ierror)
  call expect(mine == 0 .or. sum == 40, 'MPI_BCAST')

  call MPI_INTERCOMM_MERGE(both, mine == 0, one, ierror)
  call MPI_COMM_RANK(one, got, ierror)
  call expect(got == merge(place + others, place, mine == 0), 'MPI_INTERCOMM_MERGE')
  call MPI_COMM_FREE(one, ierror)
  call MPI_COMM_IDUP(MPI_COMM_WORLD, one, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call MPI_ALLREDUCE(rank, sum, 1, MPI_INTEGER, MPI_SUM, one, ierror)
  call expect(sum == ranks * (ranks - 1) / 2, 'MPI_COMM_IDUP')
  call MPI_COMM_FREE(one, ierror)
  call MPI_COMM_FREE(both, ierror)

  call MPI_COMM_GROUP(MPI_COMM_WORLD, world, ierror)
  range(:, 1) = [1, ranks - 1, 2]
  call MPI_GROUP_RANGE_INCL(world, 1, range, odd, ierror)
  if (mine == 1) then
    call MPI_COMM_CREATE_GROUP(MPI_COMM_WORLD, odd, 3, some, ierror)
    call MPI_ALLREDUCE(rank, sum, 1, MPI_INTEGER, MPI_SUM, some, ierror)
    call expect(sum == (ranks / 2)**2, 'MPI_COMM_CREATE_GROUP')
    call MPI_COMM_FREE(some, ierror)
  end if
  call MPI_FINALIZE(ierror)
end program groups
