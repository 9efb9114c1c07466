// The environment and memory.

#include "binding.hpp"

// As gfortran aligns large blocks: the linker wants no less.
alignas(32) maslin_mpi_special maslin_mpi_special_{};

namespace {

int init() { return PMPI_Init(nullptr, nullptr); }
int init_thread(int required, int* provided) { return PMPI_Init_thread(nullptr, nullptr, required, provided); }

/// MPI-1: an address is an INTEGER, into which it need not fit.
int address(void* location, int* at) {
  MPI_Aint whole = 0;
  const int code = PMPI_Get_address(location, &whole);
  *at = static_cast<int>(whole);
  return code;
}

}  // namespace

MASLIN_FORTRAN(init, init, 0)
MASLIN_FORTRAN(init_thread, init_thread, 2)
MASLIN_FORTRAN(PMPI_Query_thread, query_thread, 1)
MASLIN_FORTRAN(PMPI_Is_thread_main, is_thread_main, 1)
MASLIN_FORTRAN(PMPI_Initialized, initialized, 1)
MASLIN_FORTRAN(PMPI_Finalize, finalize, 0)
MASLIN_FORTRAN(PMPI_Finalized, finalized, 1)
MASLIN_FORTRAN(PMPI_Abort, abort, 2)
MASLIN_FORTRAN(PMPI_Get_version, get_version, 2)
MASLIN_FORTRAN(PMPI_Alloc_mem, alloc_mem, 3)
MASLIN_FORTRAN(PMPI_Free_mem, free_mem, 1)
MASLIN_FORTRAN(PMPI_Get_address, get_address, 2)
MASLIN_FORTRAN(address, address, 2)

// It has no error code in Fortran.
extern "C" void pmpi_pcontrol_(const int* level) {
  const mpi::fortran::call_from here(__builtin_return_address(0));
  PMPI_Pcontrol(*level);
}
MASLIN_FORTRAN_NAME(pcontrol)

// Functions of Fortran, without an error code.
extern "C" double pmpi_wtime_() { return PMPI_Wtime(); }
MASLIN_FORTRAN_NAME(wtime)
extern "C" double pmpi_wtick_() { return PMPI_Wtick(); }
MASLIN_FORTRAN_NAME(wtick)
extern "C" MPI_Aint pmpi_aint_add_(const MPI_Aint* base, const MPI_Aint* displacement) { return *base + *displacement; }
MASLIN_FORTRAN_NAME(aint_add)
extern "C" MPI_Aint pmpi_aint_diff_(const MPI_Aint* one, const MPI_Aint* other) { return *one - *other; }
MASLIN_FORTRAN_NAME(aint_diff)
