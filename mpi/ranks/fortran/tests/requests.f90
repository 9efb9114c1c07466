! Messages that are on their way while the program goes on.
program requests
  use mpi
  implicit none
  integer :: rank, ranks, next, before, ierror, i, step, message, request, room
  integer :: own(8), received(8), pair(2), statuses(MPI_STATUS_SIZE, 2), status(MPI_STATUS_SIZE)
  integer(MPI_ADDRESS_KIND) :: address
  character(8) :: words(2)
  character, allocatable :: buffer(:)
  real(8) :: matrix(4, 3), column(3)
  logical :: flag

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)

  own = [(10 * rank + i, i = 1, 8)]
  received = 0
  call MPI_IRECV(received, 8, MPI_INTEGER, before, 3, MPI_COMM_WORLD, pair(1), ierror)
  call MPI_ISEND(own(3:), 5, MPI_INTEGER, next, 3, MPI_COMM_WORLD, pair(2), ierror)
  call MPI_WAITALL(2, pair, statuses, ierror)
  call expect(all(pair == MPI_REQUEST_NULL), 'null requests')
  call expect(all(received == [(10 * before + i, i = 3, 7), 0, 0, 0]), 'five integers')
  call expect(statuses(MPI_SOURCE, 1) == before .and. statuses(MPI_TAG, 1) == 3, 'a status of MPI_WAITALL')
  call MPI_GET_COUNT(statuses(:, 1), MPI_INTEGER, i, ierror)
  call expect(i == 5, 'MPI_GET_COUNT')
  call MPI_GET_ELEMENTS(statuses(:, 1), MPI_INTEGER, i, ierror)
  call expect(i == 5, 'MPI_GET_ELEMENTS')

  ! Requests that are started again, for variables that nothing else in the program changes.
  call MPI_RECV_INIT(received, 8, MPI_INTEGER, before, 4, MPI_COMM_WORLD, pair(1), ierror)
  call MPI_SEND_INIT(own, 8, MPI_INTEGER, next, 4, MPI_COMM_WORLD, pair(2), ierror)
  do step = 1, 3
    own = 1000 * step + rank
    call MPI_STARTALL(2, pair, ierror)
    call MPI_WAITALL(2, pair, MPI_STATUSES_IGNORE, ierror)
    call expect(all(received == 1000 * step + before), 'a request started again')
  end do
  call MPI_REQUEST_FREE(pair(1), ierror)
  call MPI_REQUEST_FREE(pair(2), ierror)
  call expect(all(pair == MPI_REQUEST_NULL), 'freed requests')

  ! A send and a receive as one request.
  own = [(10 * rank + i, i = 1, 8)]
  call MPI_ISENDRECV(own, 8, MPI_INTEGER, next, 5, received, 8, MPI_INTEGER, before, 5, MPI_COMM_WORLD, request, ierror)
  call MPI_WAIT(request, status, ierror)
  call expect(all(received == [(10 * before + i, i = 1, 8)]) .and. status(MPI_SOURCE) == before, 'MPI_ISENDRECV')
  call MPI_ISENDRECV_REPLACE(own, 8, MPI_INTEGER, next, 5, before, 5, MPI_COMM_WORLD, request, ierror)
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)
  call expect(all(own == received), 'MPI_ISENDRECV_REPLACE')
  own = 3000 + rank

  ! Test until it is there.
  received(1) = -1
  call MPI_IRECV(received(1), 1, MPI_INTEGER, before, 5, MPI_COMM_WORLD, request, ierror)
  call MPI_REQUEST_GET_STATUS(request, flag, status, ierror)
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_SEND(rank, 1, MPI_INTEGER, next, 5, MPI_COMM_WORLD, ierror)
  flag = .false.
  do while (.not. flag)
    call MPI_TEST(request, flag, status, ierror)
  end do
  call expect(received(1) == before .and. status(MPI_SOURCE) == before, 'MPI_TEST')

  ! Matched messages.
  call MPI_ISEND(rank, 1, MPI_INTEGER, next, 6, MPI_COMM_WORLD, request, ierror)
  call MPI_MPROBE(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, message, status, ierror)
  call expect(status(MPI_SOURCE) == before, 'MPI_MPROBE')
  call MPI_MRECV(received(2), 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, ierror)
  call expect(received(2) == before .and. message == MPI_MESSAGE_NULL, 'MPI_MRECV')
  call MPI_WAIT(request, MPI_STATUS_IGNORE, ierror)

  ! Buffered messages.
  call MPI_PACK_SIZE(8, MPI_INTEGER, MPI_COMM_WORLD, room, ierror)
  room = room + MPI_BSEND_OVERHEAD
  allocate (buffer(room))
  call MPI_BUFFER_ATTACH(buffer, room, ierror)
  call MPI_BSEND(own, 8, MPI_INTEGER, next, 7, MPI_COMM_WORLD, ierror)
  call MPI_RECV(received, 8, MPI_INTEGER, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call expect(all(received == 3000 + before), 'MPI_BSEND')
  call MPI_BUFFER_DETACH(address, i, ierror)
  call expect(i == room, 'MPI_BUFFER_DETACH')

  ! One that never comes.
  call MPI_IRECV(received, 1, MPI_INTEGER, before, 99, MPI_COMM_WORLD, request, ierror)
  call MPI_CANCEL(request, ierror)
  call MPI_WAIT(request, status, ierror)
  call MPI_TEST_CANCELLED(status, flag, ierror)
  call expect(flag, 'MPI_CANCEL')

  ! Text, and a part of an array that does not lie side by side.
  words = ''
  if (rank == 0) words = [character(8) :: 'first', 'second']
  call MPI_BCAST(words, 16, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierror)
  call expect(words(2) == 'second' .and. words(1)(2:5) == 'irst', 'words')
  matrix = reshape([(100d0 * rank + i, i = 1, 12)], [4, 3])
  call MPI_SENDRECV(matrix(2, :), 3, MPI_DOUBLE_PRECISION, next, 8, column, 3, MPI_DOUBLE_PRECISION, before, 8, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call expect(all(column == 100 * before + [2d0, 6d0, 10d0]), 'a row')
  print '(a, i0, a, 3f7.1)', 'rank ', rank, ' has the row', column
  call MPI_FINALIZE(ierror)
end program requests
