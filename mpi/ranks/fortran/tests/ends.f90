! How a program ends. The last rank ends as the argument says: stop (status 3), exit (4), error (5), abort (6) or return
! (0); the others return.
program ends
  use mpi
  implicit none
  integer :: rank, ranks, ierror
  character(8) :: how

  call get_command_argument(1, how)
  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  call expect(command_argument_count() == 1, 'one argument')
  print '(a, i0, 2a)', 'rank ', rank, ': ', trim(how)
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  if (how == 'abort' .and. rank == ranks - 1) call MPI_ABORT(MPI_COMM_WORLD, 6, ierror)
  if (how == 'abort') call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_FINALIZE(ierror)
  if (rank == ranks - 1) then
    select case (how)
    case ('stop')
      stop 3
    case ('exit')
      call exit(4)
    case ('error')
      error stop 5
    end select
  end if
end program ends
