! Where the numbers of a message lie.
program layouts
  use mpi
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_ptr
  implicit none
  type particle
    sequence
    real(8) :: place(3)
    integer :: id
    character(4) :: kind
  end type particle
  type(particle) :: own(5), received(5)
  integer :: rank, ranks, next, before, ierror, i, j, made, other, position, size, count
  integer :: lengths(3), types(3), grid(6, 5), copied(6, 5), status(MPI_STATUS_SIZE), letters
  integer(MPI_ADDRESS_KIND) :: places(3), start, lower, extent
  integer(MPI_COUNT_KIND) :: large, from
  real(8) :: matrix(4, 6), line(6)
  ! Calls change them without having them as arguments.
  integer, volatile :: number
  real(8), volatile :: scale
  real(8), pointer :: memory(:)
  character :: packed(200)
  character(10) :: name
  type(c_ptr) :: allocated

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)

  ! A row of a matrix is a vector.
  matrix = reshape([(100d0 * rank + i, i = 1, 24)], [4, 6])
  call MPI_TYPE_VECTOR(6, 1, 4, MPI_DOUBLE_PRECISION, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_TYPE_SIZE(made, size, ierror)
  call MPI_TYPE_GET_EXTENT(made, lower, extent, ierror)
  call expect(size == 48 .and. lower == 0 .and. extent == 8 * 21, 'the size of a vector')
  call MPI_SENDRECV(matrix(3, 1), 1, made, next, 1, line, 6, MPI_DOUBLE_PRECISION, before, 1, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call expect(all(line == [(100d0 * before + i, i = 3, 24, 4)]), 'a vector')
  call MPI_TYPE_SET_NAME(made, 'a row', ierror)
  call MPI_TYPE_GET_NAME(made, name, i, ierror)
  call expect(i == 5 .and. name == 'a row', 'the name of a type')
  call MPI_TYPE_FREE(made, ierror)
  call expect(made == MPI_DATATYPE_NULL, 'MPI_TYPE_FREE')

  ! Rows side by side: a resized vector.
  call MPI_TYPE_VECTOR(6, 1, 4, MPI_DOUBLE_PRECISION, other, ierror)
  call MPI_TYPE_CREATE_RESIZED(other, 0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_TYPE_SIZE_X(made, large, ierror)
  call expect(large == 48, 'MPI_TYPE_SIZE_X')
  call MPI_TYPE_GET_EXTENT_X(made, from, large, ierror)
  call expect(from == 0 .and. large == 8, 'MPI_TYPE_GET_EXTENT_X')
  call MPI_TYPE_GET_TRUE_EXTENT_X(made, from, large, ierror)
  call expect(from == 0 .and. large == 168, 'MPI_TYPE_GET_TRUE_EXTENT_X')
  position = 0
  call MPI_PACK(matrix, 2, made, packed, 200, position, MPI_COMM_WORLD, ierror)
  matrix(1:2, :) = 0
  size = position
  position = 0
  call MPI_UNPACK(packed, size, position, line, 6, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  call expect(all(line == [(100d0 * rank + i, i = 1, 24, 4)]), 'the first row')
  call MPI_UNPACK(packed, size, position, line, 6, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
  call expect(all(line == [(100d0 * rank + i, i = 2, 24, 4)]) .and. position == size, 'the second row')
  call MPI_TYPE_FREE(made, ierror)
  call MPI_TYPE_FREE(other, ierror)

  ! A derived type, whose parts say themselves where they lie.
  do i = 1, 5
    own(i) = particle([rank + 0.1d0, i + 0.2d0, -1d0], 10 * rank + i, 'p' // achar(48 + i))
  end do
  call MPI_GET_ADDRESS(own(1), start, ierror)
  call MPI_GET_ADDRESS(own(1)%place, places(1), ierror)
  call MPI_GET_ADDRESS(own(1)%id, places(2), ierror)
  call MPI_GET_ADDRESS(own(1)%kind, places(3), ierror)
  places = [(MPI_AINT_DIFF(places(i), start), i = 1, 3)]
  lengths = [3, 1, 4]
  types = [MPI_DOUBLE_PRECISION, MPI_INTEGER, MPI_CHARACTER]
  call MPI_TYPE_CREATE_STRUCT(3, lengths, places, types, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_TYPE_GET_EXTENT(made, lower, extent, ierror)
  call expect(extent == 32, 'the extent of a structure')
  call MPI_SENDRECV(own, 5, made, next, 2, received, 5, made, before, 2, MPI_COMM_WORLD, status, ierror)
  call MPI_GET_COUNT(status, made, count, ierror)
  call expect(count == 5, 'five structures')
  call MPI_GET_ELEMENTS(status, made, count, ierror)
  call expect(count == 40, 'their numbers')
  do i = 1, 5
    call expect(received(i)%id == 10 * before + i .and. received(i)%place(1) == before + 0.1d0, 'a structure')
    call expect(received(i)%kind == 'p' // achar(48 + i), 'text in a structure')
  end do
  call MPI_TYPE_FREE(made, ierror)
  print '(a, i0, a, i0, 2a)', 'rank ', rank, ' has the particle ', received(5)%id, ' ', received(5)%kind

  ! Addresses alone: variables that lie anywhere.
  number = rank
  scale = rank / 8d0
  call MPI_GET_ADDRESS(number, places(1), ierror)
  call MPI_GET_ADDRESS(scale, places(2), ierror)
  call MPI_TYPE_CREATE_STRUCT(2, [1, 1], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_BCAST(MPI_BOTTOM, 1, made, ranks - 1, MPI_COMM_WORLD, ierror)
  call expect(number == ranks - 1 .and. scale == (ranks - 1) / 8d0, 'MPI_BOTTOM')
  call MPI_TYPE_FREE(made, ierror)

  ! A part of a grid, and other distances.
  grid = reshape([(1000 * rank + i, i = 1, 30)], [6, 5])
  copied = 0
  call MPI_TYPE_CREATE_SUBARRAY(2, [6, 5], [3, 2], [2, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_SENDRECV(grid, 1, made, next, 3, copied, 1, made, before, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  do j = 1, 5
    do i = 1, 6
      number = merge(1000 * before + 6 * (j - 1) + i, 0, i >= 3 .and. i <= 5 .and. j >= 2 .and. j <= 3)
      call expect(copied(i, j) == number, 'a part of a grid')
    end do
  end do
  call MPI_TYPE_FREE(made, ierror)
  ! An array whose columns are dealt to the ranks.
  copied = 0
  call MPI_TYPE_CREATE_DARRAY(ranks, rank, 2, [6, 5], [MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC], &
                              [MPI_DISTRIBUTE_DFLT_DARG, 1], [1, ranks], MPI_ORDER_FORTRAN, MPI_INTEGER, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_SENDRECV(grid, 1, made, rank, 3, copied, 1, made, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  do j = 1, 5
    number = merge(1, 0, mod(j - 1, ranks) == rank)
    call expect(all(copied(:, j) == number * grid(:, j)), 'MPI_TYPE_CREATE_DARRAY')
  end do
  call MPI_TYPE_FREE(made, ierror)
  call MPI_TYPE_INDEXED(2, [1, 2], [3, 0], MPI_INTEGER, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_SENDRECV(grid, 1, made, next, 4, copied, 3, MPI_INTEGER, before, 4, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call expect(all(copied(1:3, 1) == 1000 * before + [4, 1, 2]), 'MPI_TYPE_INDEXED')
  call MPI_TYPE_FREE(made, ierror)
  call MPI_TYPE_CREATE_HVECTOR(2, 1, 24_MPI_ADDRESS_KIND, MPI_INTEGER, made, ierror)
  call MPI_TYPE_COMMIT(made, ierror)
  call MPI_SENDRECV(grid, 1, made, next, 5, copied, 2, MPI_INTEGER, before, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierror)
  call expect(all(copied(1:2, 1) == 1000 * before + [1, 7]), 'MPI_TYPE_CREATE_HVECTOR')
  call MPI_TYPE_FREE(made, ierror)

  ! For other implementations: numbers begin with their highest byte.
  call MPI_PACK_EXTERNAL_SIZE('external32', 6, MPI_DOUBLE_PRECISION, extent, ierror)
  call expect(extent == 48, 'MPI_PACK_EXTERNAL_SIZE')
  start = 0
  line = [(rank + i / 8d0, i = 1, 6)]
  call MPI_PACK_EXTERNAL('external32', line, 6, MPI_DOUBLE_PRECISION, packed, 200_MPI_ADDRESS_KIND, start, ierror)
  call MPI_PACK_EXTERNAL('external32', 258, 1, MPI_INTEGER, packed, 200_MPI_ADDRESS_KIND, start, ierror)
  call expect(start == 52 .and. iachar(packed(51)) == 1 .and. iachar(packed(52)) == 2, 'MPI_PACK_EXTERNAL')
  line = 0
  lower = 0
  call MPI_UNPACK_EXTERNAL('external32', packed, start, lower, line, 6, MPI_DOUBLE_PRECISION, ierror)
  call expect(lower == 48 .and. all(line == [(rank + i / 8d0, i = 1, 6)]), 'MPI_UNPACK_EXTERNAL')

  ! Types that are as large as Fortran's.
  call MPI_TYPE_SIZE(MPI_LOGICAL, i, ierror)
  call MPI_TYPE_SIZE(MPI_DOUBLE_COMPLEX, j, ierror)
  call MPI_TYPE_SIZE(MPI_2INTEGER, letters, ierror)
  call expect(i == 4 .and. j == 16 .and. letters == 8, 'MPI_TYPE_SIZE')

  ! By their precision, and by their size.
  line = rank
  call MPI_TYPE_CREATE_F90_REAL(precision(line), range(line), made, ierror)
  call MPI_ALLREDUCE(MPI_IN_PLACE, line, 6, made, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(all(line == ranks * (ranks - 1) / 2), 'MPI_TYPE_CREATE_F90_REAL')
  call MPI_TYPE_CREATE_F90_COMPLEX(precision(line), MPI_UNDEFINED, made, ierror)
  call MPI_TYPE_SIZE(made, size, ierror)
  call expect(size == 16, 'MPI_TYPE_CREATE_F90_COMPLEX')
  call MPI_TYPE_CREATE_F90_INTEGER(range(grid), made, ierror)
  call MPI_TYPE_SIZE(made, size, ierror)
  call expect(size == 4, 'MPI_TYPE_CREATE_F90_INTEGER')
  call MPI_TYPE_MATCH_SIZE(MPI_TYPECLASS_COMPLEX, 16, made, ierror)
  call expect(made == MPI_COMPLEX16, 'MPI_TYPE_MATCH_SIZE')

  call MPI_ALLOC_MEM(80_MPI_ADDRESS_KIND, MPI_INFO_NULL, allocated, ierror)
  call c_f_pointer(allocated, memory, [10])
  memory = rank
  call MPI_BCAST(memory(2:3), 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)
  call expect(all(memory(2:3) == 0) .and. memory(4) == rank, 'MPI_ALLOC_MEM')
  call MPI_FREE_MEM(memory, ierror)
  call MPI_FINALIZE(ierror)
end program layouts
