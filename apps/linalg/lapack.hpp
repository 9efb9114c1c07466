#pragma once
// BLAS by its C interface, and the two functions of LAPACK that the programs call, by their Fortran names: Debian's
// OpenBLAS has both, and no other C interface.

#include <cblas.h>

extern "C" {
void spotrf_(const char* half, const int* n, float* a, const int* ld, int* info);
void dpotrf_(const char* half, const int* n, double* a, const int* ld, int* info);
}
