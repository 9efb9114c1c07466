! Grids, groups and communicators. Written for any number of ranks.
program grids
  use mpi
  implicit none
  integer :: rank, ranks, ierror, comm, line, kind, from, to, i, own, count
  integer :: sizes(2), coordinates(2), read_sizes(2), read_coordinates(2)
  integer :: world, evens, odds, both, half, again, relation
  integer, allocatable :: members(:), translated(:)
  logical :: periods(2), read_periods(2), flag

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)

  sizes = [0, 1]
  call MPI_DIMS_CREATE(ranks, 2, sizes, ierror)
  call expect(all(sizes == [ranks, 1]), 'MPI_DIMS_CREATE')
  periods = [.true., .false.]
  call MPI_CART_CREATE(MPI_COMM_WORLD, 2, sizes, periods, .false., comm, ierror)
  call MPI_TOPO_TEST(comm, kind, ierror)
  call expect(kind == MPI_CART, 'MPI_TOPO_TEST')
  call MPI_TOPO_TEST(MPI_COMM_WORLD, kind, ierror)
  call expect(kind == MPI_UNDEFINED, 'no grid')
  call MPI_CARTDIM_GET(comm, count, ierror)
  call expect(count == 2, 'MPI_CARTDIM_GET')
  call MPI_COMM_RANK(comm, own, ierror)
  call MPI_CART_COORDS(comm, own, 2, coordinates, ierror)
  call expect(all(coordinates == [own, 0]), 'MPI_CART_COORDS')
  call MPI_CART_GET(comm, 2, read_sizes, read_periods, read_coordinates, ierror)
  call expect(all(read_sizes == sizes) .and. all(read_coordinates == coordinates), 'MPI_CART_GET')
  call expect(read_periods(1) .and. .not. read_periods(2), 'periods of MPI_CART_GET')
  call MPI_CART_SHIFT(comm, 0, 1, from, to, ierror)
  call expect(from == mod(own + ranks - 1, ranks) .and. to == mod(own + 1, ranks), 'MPI_CART_SHIFT around')
  print '(a, i0, a, i0, a, i0)', 'rank ', rank, ' is between ', from, ' and ', to
  call MPI_CART_SHIFT(comm, 1, 1, from, to, ierror)
  call expect(from == MPI_PROC_NULL .and. to == MPI_PROC_NULL, 'MPI_CART_SHIFT to the edge')
  call MPI_CART_RANK(comm, [ranks + 1, 0], i, ierror)
  call expect(i == mod(1, ranks), 'MPI_CART_RANK')
  call MPI_CART_SUB(comm, [.true., .false.], line, ierror)
  call MPI_COMM_SIZE(line, count, ierror)
  call expect(count == ranks, 'MPI_CART_SUB')
  call MPI_COMM_FREE(line, ierror)
  call MPI_COMM_FREE(comm, ierror)
  call expect(comm == MPI_COMM_NULL, 'MPI_COMM_FREE')

  ! Groups.
  call MPI_COMM_GROUP(MPI_COMM_WORLD, world, ierror)
  call MPI_GROUP_RANGE_INCL(world, 1, reshape([0, ranks - 1, 2], [3, 1]), evens, ierror)
  call MPI_GROUP_DIFFERENCE(world, evens, odds, ierror)
  call MPI_GROUP_SIZE(evens, count, ierror)
  call expect(count == (ranks + 1) / 2, 'MPI_GROUP_RANGE_INCL')
  call MPI_GROUP_RANK(evens, i, ierror)
  call expect(i == merge(rank / 2, MPI_UNDEFINED, mod(rank, 2) == 0), 'MPI_GROUP_RANK')
  call MPI_GROUP_UNION(evens, odds, both, ierror)
  call MPI_GROUP_COMPARE(both, world, relation, ierror)
  call expect(relation == merge(MPI_IDENT, MPI_SIMILAR, ranks < 3), 'MPI_GROUP_COMPARE')
  allocate (members(count), translated(count))
  members = [(i, i = 0, count - 1)]
  call MPI_GROUP_TRANSLATE_RANKS(evens, count, members, world, translated, ierror)
  call expect(all(translated == 2 * members), 'MPI_GROUP_TRANSLATE_RANKS')
  call MPI_COMM_CREATE(MPI_COMM_WORLD, evens, half, ierror)
  call expect((half == MPI_COMM_NULL) .eqv. mod(rank, 2) == 1, 'MPI_COMM_CREATE')
  if (half /= MPI_COMM_NULL) call MPI_COMM_FREE(half, ierror)
  call MPI_GROUP_FREE(evens, ierror)
  call MPI_GROUP_FREE(odds, ierror)
  call MPI_GROUP_FREE(both, ierror)
  call MPI_GROUP_FREE(world, ierror)
  call expect(world == MPI_GROUP_NULL, 'MPI_GROUP_FREE')

  ! Communicators.
  call MPI_COMM_SPLIT(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierror)
  call MPI_COMM_SIZE(half, count, ierror)
  call MPI_COMM_RANK(half, own, ierror)
  call expect(own == count - 1 - rank / 2, 'MPI_COMM_SPLIT in reverse order')
  i = rank
  call MPI_BCAST(i, 1, MPI_INTEGER, 0, half, ierror)
  call expect(i == 2 * (count - 1) + mod(rank, 2), 'a half')
  call MPI_COMM_DUP(half, again, ierror)
  call MPI_COMM_COMPARE(half, again, relation, ierror)
  call expect(relation == MPI_CONGRUENT, 'MPI_COMM_COMPARE')
  call MPI_COMM_TEST_INTER(again, flag, ierror)
  call expect(.not. flag, 'MPI_COMM_TEST_INTER')
  call MPI_COMM_FREE(again, ierror)
  call MPI_COMM_FREE(half, ierror)
  call MPI_COMM_SPLIT(MPI_COMM_WORLD, merge(1, MPI_UNDEFINED, rank == 0), 0, half, ierror)
  call expect((half == MPI_COMM_NULL) .eqv. rank > 0, 'MPI_UNDEFINED')
  if (half /= MPI_COMM_NULL) call MPI_COMM_FREE(half, ierror)
  call MPI_COMM_SPLIT_TYPE(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, half, ierror)
  call MPI_COMM_SIZE(half, count, ierror)
  call expect(count == ranks, 'MPI_COMM_SPLIT_TYPE')
  call MPI_COMM_FREE(half, ierror)
  call MPI_FINALIZE(ierror)
end program grids
