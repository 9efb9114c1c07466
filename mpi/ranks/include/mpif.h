! MPI for Fortran, for fixed and free form. docs/mpi.md names what is missing.
      include 'maslin_mpi_constants.inc'
      external MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, MPI_DUP_FN
      external MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN
      external MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN
      external MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN
! Not double precision, which -fdefault-real-8 makes wider.
      real(8), external :: MPI_WTIME, MPI_WTICK
      real(8), external :: PMPI_WTIME, PMPI_WTICK
      integer(MPI_ADDRESS_KIND), external :: MPI_AINT_ADD
      integer(MPI_ADDRESS_KIND), external :: MPI_AINT_DIFF
