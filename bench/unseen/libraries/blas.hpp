#pragma once
// OpenBLAS, loaded when a program first needs it: the threads that it starts with it would disturb the other programs.

#include <cstddef>
#include <cstdint>

#include "program.hpp"

namespace unseen {

/// Routines by their Fortran interface; the last arguments are the lengths of the letters.
struct blas_routines {
  void (*openblas_set_num_threads)(int threads);
  void (*dgemm)(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
                const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
                const int* ldc, std::size_t, std::size_t);
  void (*dsyrk)(const char* uplo, const char* trans, const int* n, const int* k, const double* alpha, const double* a,
                const int* lda, const double* beta, double* c, const int* ldc, std::size_t, std::size_t);
  void (*dgemv)(const char* trans, const int* m, const int* n, const double* alpha, const double* a, const int* lda,
                const double* x, const int* incx, const double* beta, double* y, const int* incy, std::size_t);
  double (*dnrm2)(const int* n, const double* x, const int* incx);
  void (*dscal)(const int* n, const double* alpha, double* x, const int* incx);
  void (*dpotrf)(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t);
  void (*dpotrs)(const char* uplo, const int* n, const int* columns, const double* a, const int* lda, double* b,
                 const int* ldb, int* info, std::size_t);
  void (*dgetrf)(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
  void (*dgetrs)(const char* trans, const int* n, const int* columns, const double* a, const int* lda,
                 const int* pivots, double* b, const int* ldb, int* info, std::size_t);
  void (*dgeqrf)(const int* m, const int* n, double* a, const int* lda, double* tau, double* work, const int* lwork,
                 int* info);
  void (*dormqr)(const char* side, const char* trans, const int* m, const int* n, const int* k, const double* a,
                 const int* lda, const double* tau, double* c, const int* ldc, double* work, const int* lwork,
                 int* info, std::size_t, std::size_t);
  void (*dtrtrs)(const char* uplo, const char* trans, const char* diagonal, const int* n, const int* columns,
                 const double* a, const int* lda, double* b, const int* ldb, int* info, std::size_t, std::size_t,
                 std::size_t);
  void (*dsyev)(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w, double* work,
                const int* lwork, int* info, std::size_t, std::size_t);
  void (*dgesdd)(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s, double* u,
                 const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork, int* iwork, int* info,
                 std::size_t);
};

/// Gives the routines. Throws maslin::error where OpenBLAS is not installed.
const blas_routines& blas();

/// A program that calls them. Its bits depend on how many threads they have, so there is no digest.
class blas_program : public program {
 public:
  blas_program(const size& what, std::int64_t streams) : program(what, streams) {
    digest_nothing();
    if (!declared) blas();  // loaded before the phase begins
  }
};

}  // namespace unseen
