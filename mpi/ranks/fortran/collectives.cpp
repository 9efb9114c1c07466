// Calls of all ranks, and what they combine numbers with. A function in Fortran takes what one in C takes for
// MPI_Op_create: the library calls both with references.

#include "binding.hpp"

MASLIN_FORTRAN(PMPI_Barrier, barrier, 1)
MASLIN_FORTRAN(PMPI_Bcast, bcast, 5)
MASLIN_FORTRAN(PMPI_Gather, gather, 8)
MASLIN_FORTRAN(PMPI_Gatherv, gatherv, 9)
MASLIN_FORTRAN(PMPI_Scatter, scatter, 8)
MASLIN_FORTRAN(PMPI_Scatterv, scatterv, 9)
MASLIN_FORTRAN(PMPI_Allgather, allgather, 7)
MASLIN_FORTRAN(PMPI_Allgatherv, allgatherv, 8)
MASLIN_FORTRAN(PMPI_Alltoall, alltoall, 7)
MASLIN_FORTRAN(PMPI_Alltoallv, alltoallv, 9)
MASLIN_FORTRAN(PMPI_Alltoallw, alltoallw, 9)
MASLIN_FORTRAN(PMPI_Reduce, reduce, 7)
MASLIN_FORTRAN(PMPI_Allreduce, allreduce, 6)
MASLIN_FORTRAN(PMPI_Reduce_scatter, reduce_scatter, 6)
MASLIN_FORTRAN(PMPI_Reduce_scatter_block, reduce_scatter_block, 6)
MASLIN_FORTRAN(PMPI_Scan, scan, 6)
MASLIN_FORTRAN(PMPI_Exscan, exscan, 6)
MASLIN_FORTRAN(PMPI_Reduce_local, reduce_local, 5)
MASLIN_FORTRAN(PMPI_Op_create, op_create, 3)
MASLIN_FORTRAN(PMPI_Op_free, op_free, 1)
MASLIN_FORTRAN(PMPI_Op_commutative, op_commutative, 2)
