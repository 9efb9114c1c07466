! Ends the job where something is wrong. Each test is linked with it, takes two ranks or more, and prints lines whose
! order among ranks is free.
subroutine expect(holds, what)
  use mpi
  implicit none
  logical, intent(in) :: holds
  character(*), intent(in) :: what
  integer :: rank, ierror
  if (holds) return
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  print '(a, i0, 2a)', 'rank ', rank, ': wrong: ', what
  call MPI_ABORT(MPI_COMM_WORLD, 70, ierror)
end subroutine expect
