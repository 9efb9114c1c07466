! What all ranks do together.
module operations
  implicit none
contains
  ! Two functions of x, each (a, b) for a x + b, become one: the order matters.
  subroutine compose(in, inout, count, datatype)
    integer, intent(in) :: count, datatype
    integer, intent(in) :: in(2, count)
    integer, intent(inout) :: inout(2, count)
    if (datatype == 0) return
    inout(2, :) = in(1, :) * inout(2, :) + in(2, :)
    inout(1, :) = in(1, :) * inout(1, :)
  end subroutine compose
end module operations

program reductions
  use mpi
  use operations
  implicit none
  integer :: rank, ranks, ierror, i, j, op, linear
  integer :: sums(3), two(2), best(2)
  integer, allocatable :: all_of(:), counts(:), places(:), given(:), taken(:)
  real(8) :: extreme(2), most(2)
  complex(8) :: turn
  logical :: truth, commutes

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)

  ! In place.
  sums = [rank, 1, -rank]
  call MPI_ALLREDUCE(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(all(sums == [1, 0, -1] * (ranks * (ranks - 1) / 2) + [0, ranks, 0]), 'MPI_ALLREDUCE in place')
  print '(a, i0, a, 3(1x, i0))', 'rank ', rank, ' has the sums', sums
  sums = rank
  if (rank == 0) then
    call MPI_REDUCE(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
    call expect(all(sums == ranks - 1), 'MPI_REDUCE in place')
  else
    call MPI_REDUCE(sums, two, 3, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
  end if
  allocate (all_of(ranks))
  all_of(rank + 1) = rank**2
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(all_of == [(i**2, i = 0, ranks - 1)]), 'MPI_ALLGATHER in place')

  ! Rank r gives r + 1 integers.
  allocate (counts(ranks), places(ranks), given(rank + 1), taken(ranks * (ranks + 1) / 2))
  counts = [(i, i = 1, ranks)]
  places = [(i * (i - 1) / 2, i = 1, ranks)]
  given = rank
  taken = -1
  call MPI_ALLGATHERV(given, rank + 1, MPI_INTEGER, taken, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(taken == [((i, j = 0, i), i = 0, ranks - 1)]), 'MPI_ALLGATHERV')
  given = -1
  call MPI_SCATTERV(taken, counts, places, MPI_INTEGER, given, rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  call expect(all(given == rank), 'MPI_SCATTERV')
  if (rank == ranks - 1) taken = 0
  call MPI_GATHERV(given, rank + 1, MPI_INTEGER, taken, counts, places, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierror)
  call expect(all(taken == [((i, j = 0, i), i = 0, ranks - 1)]), 'MPI_GATHERV')

  ! Everybody to everybody: rank r gives the rank s the number 10 r + s.
  deallocate (given, taken)
  allocate (given(ranks), taken(ranks))
  given = [(10 * rank + i, i = 0, ranks - 1)]
  call MPI_ALLTOALL(given, 1, MPI_INTEGER, taken, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(taken == [(10 * i + rank, i = 0, ranks - 1)]), 'MPI_ALLTOALL')
  taken = -1
  counts = 1
  places = [(ranks - i, i = 1, ranks)]
  call MPI_ALLTOALLV(given, counts, places, MPI_INTEGER, taken, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  call expect(all(taken == [(10 * (ranks - i) + ranks - 1 - rank, i = 1, ranks)]), 'MPI_ALLTOALLV')
  call MPI_REDUCE_SCATTER(given, i, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(i == 10 * (ranks * (ranks - 1) / 2) + ranks * rank, 'MPI_REDUCE_SCATTER')
  call MPI_SCAN(rank, i, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(i == rank * (rank + 1) / 2, 'MPI_SCAN')

  ! Operations on pairs, truth and complex numbers.
  extreme = [abs(rank - 1.25d0), dble(rank)]
  call MPI_ALLREDUCE(extreme, most, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierror)
  call expect(most(1) == 0.25d0 .and. most(2) == 1, 'MPI_MINLOC')
  two = [mod(7 * rank, 5), rank]
  call MPI_ALLREDUCE(two, best, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  call expect(best(1) == maxval([(mod(7 * i, 5), i = 0, ranks - 1)]), 'MPI_MAXLOC')
  call expect(best(2) == maxloc([(mod(7 * i, 5), i = 0, ranks - 1)], 1) - 1, 'the place of MPI_MAXLOC')
  call MPI_ALLREDUCE(rank == 1, truth, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierror)
  call expect(truth, 'MPI_LOR')
  call MPI_ALLREDUCE(rank == 1, truth, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
  call expect(.not. truth, 'MPI_LAND')
  call MPI_ALLREDUCE((0d0, 1d0), turn, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierror)
  call expect(abs(turn - (0d0, 1d0)**ranks) < 1d-12, 'a product of complex numbers')

  ! An operation of the program, which does not commute.
  call MPI_OP_CREATE(compose, .false., op, ierror)
  call MPI_OP_COMMUTATIVE(op, commutes, ierror)
  call expect(.not. commutes, 'MPI_OP_COMMUTATIVE')
  call MPI_TYPE_CONTIGUOUS(2, MPI_INTEGER, linear, ierror)
  call MPI_TYPE_COMMIT(linear, ierror)
  call MPI_ALLREDUCE([2, rank], two, 1, linear, op, MPI_COMM_WORLD, ierror)
  call expect(two(1) == 2**ranks .and. two(2) == sum([(2**i * i, i = 0, ranks - 1)]), 'an operation')
  call MPI_SCAN([2, rank], two, 1, linear, op, MPI_COMM_WORLD, ierror)
  call expect(two(2) == sum([(2**i * i, i = 0, rank)]), 'an operation in MPI_SCAN')
  call MPI_TYPE_FREE(linear, ierror)
  call MPI_OP_FREE(op, ierror)
  call expect(op == MPI_OP_NULL .and. linear == MPI_DATATYPE_NULL, 'what is freed')
  print '(a, i0, a)', 'rank ', rank, ' is done'
  call MPI_FINALIZE(ierror)
end program reductions
