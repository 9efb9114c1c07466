// Types. Those of MPI-1 take and give distances as INTEGER.

#include <algorithm>
#include <vector>

#include "binding.hpp"

namespace {

std::vector<MPI_Aint> widened(int count, const int* displacements) {
  return {displacements, displacements + std::max(count, 0)};
}

int hvector(int count, int length, int stride, MPI_Datatype of, MPI_Datatype* made) {
  return PMPI_Type_create_hvector(count, length, stride, of, made);
}

int hindexed(int count, const int* lengths, const int* displacements, MPI_Datatype of, MPI_Datatype* made) {
  return PMPI_Type_create_hindexed(count, lengths, widened(count, displacements).data(), of, made);
}

int structure(int count, const int* lengths, const int* displacements, const MPI_Datatype* of, MPI_Datatype* made) {
  return PMPI_Type_create_struct(count, lengths, widened(count, displacements).data(), of, made);
}

int extent(MPI_Datatype type, int* extent) {
  MPI_Aint lower = 0, whole = 0;
  const int code = PMPI_Type_get_extent(type, &lower, &whole);
  *extent = static_cast<int>(whole);
  return code;
}

int lower_bound(MPI_Datatype type, int* lower) {
  MPI_Aint whole = 0, extent = 0;
  const int code = PMPI_Type_get_extent(type, &whole, &extent);
  *lower = static_cast<int>(whole);
  return code;
}

int upper_bound(MPI_Datatype type, int* upper) {
  MPI_Aint lower = 0, extent = 0;
  const int code = PMPI_Type_get_extent(type, &lower, &extent);
  *upper = static_cast<int>(lower + extent);
  return code;
}

}  // namespace

MASLIN_FORTRAN(PMPI_Type_contiguous, type_contiguous, 3)
MASLIN_FORTRAN(PMPI_Type_vector, type_vector, 5)
MASLIN_FORTRAN(PMPI_Type_create_hvector, type_create_hvector, 5)
MASLIN_FORTRAN(hvector, type_hvector, 5)
MASLIN_FORTRAN(PMPI_Type_indexed, type_indexed, 5)
MASLIN_FORTRAN(PMPI_Type_create_hindexed, type_create_hindexed, 5)
MASLIN_FORTRAN(hindexed, type_hindexed, 5)
MASLIN_FORTRAN(PMPI_Type_create_indexed_block, type_create_indexed_block, 5)
MASLIN_FORTRAN(PMPI_Type_create_hindexed_block, type_create_hindexed_block, 5)
MASLIN_FORTRAN(PMPI_Type_create_struct, type_create_struct, 5)
MASLIN_FORTRAN(structure, type_struct, 5)
MASLIN_FORTRAN(PMPI_Type_create_subarray, type_create_subarray, 7)
MASLIN_FORTRAN(PMPI_Type_create_darray, type_create_darray, 10)
MASLIN_FORTRAN(PMPI_Type_create_resized, type_create_resized, 4)
MASLIN_FORTRAN(PMPI_Type_dup, type_dup, 2)
MASLIN_FORTRAN(PMPI_Type_create_f90_real, type_create_f90_real, 3)
MASLIN_FORTRAN(PMPI_Type_create_f90_complex, type_create_f90_complex, 3)
MASLIN_FORTRAN(PMPI_Type_create_f90_integer, type_create_f90_integer, 2)
MASLIN_FORTRAN(PMPI_Type_match_size, type_match_size, 3)
MASLIN_FORTRAN(PMPI_Type_commit, type_commit, 1)
MASLIN_FORTRAN(PMPI_Type_free, type_free, 1)

MASLIN_FORTRAN(PMPI_Type_size, type_size, 2)
MASLIN_FORTRAN(PMPI_Type_size_x, type_size_x, 2)
MASLIN_FORTRAN(extent, type_extent, 2)
MASLIN_FORTRAN(lower_bound, type_lb, 2)
MASLIN_FORTRAN(upper_bound, type_ub, 2)
MASLIN_FORTRAN(PMPI_Type_get_extent, type_get_extent, 3)
MASLIN_FORTRAN(PMPI_Type_get_true_extent, type_get_true_extent, 3)
MASLIN_FORTRAN(PMPI_Type_get_extent_x, type_get_extent_x, 3)
MASLIN_FORTRAN(PMPI_Type_get_true_extent_x, type_get_true_extent_x, 3)
MASLIN_FORTRAN(PMPI_Type_get_envelope, type_get_envelope, 5)
MASLIN_FORTRAN(PMPI_Type_get_contents, type_get_contents, 7)

MASLIN_FORTRAN(PMPI_Pack, pack, 7)
MASLIN_FORTRAN(PMPI_Unpack, unpack, 7)
MASLIN_FORTRAN(PMPI_Pack_size, pack_size, 4)
