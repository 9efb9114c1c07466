! What `use mpi` gives: the constants of mpif.h, and what arguments each procedure takes, so that wrong ones are found.
! Procedures of one shape share an abstract interface. PMPI_X are called without one.
!
! A buffer may be anything. Where its address is kept, it is a target: otherwise gfortran takes it for granted that it
! does not change any more when the call has returned, as after MPI_IRECV it does in MPI_WAIT.
module mpi
  implicit none

  include 'maslin_mpi_constants.inc'
  real(8), external :: PMPI_WTIME, PMPI_WTICK

  include 'interfaces/environment.inc'
  include 'interfaces/messages.inc'
  include 'interfaces/requests.inc'
  include 'interfaces/collectives.inc'
  include 'interfaces/started_collectives.inc'
  include 'interfaces/persistent_collectives.inc'
  include 'interfaces/types.inc'
  include 'interfaces/communicators.inc'
  include 'interfaces/attributes.inc'
end module mpi
