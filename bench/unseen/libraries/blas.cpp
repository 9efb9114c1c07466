#include "libraries/blas.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "maslin/error.hpp"

namespace unseen {

namespace {

template <class Routine>
void find(void* library, const char* name, Routine& routine) {
  routine = reinterpret_cast<Routine>(dlsym(library, name));
  if (!routine) throw maslin::error(fmt::format("libopenblas.so.0 has no {}", name));
}

blas_routines loaded() {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    throw maslin::error(fmt::format("this program needs OpenBLAS ({}); install libopenblas0-pthread", dlerror()));
  blas_routines all{};
  find(library, "openblas_set_num_threads", all.openblas_set_num_threads);
  find(library, "dgemm_", all.dgemm);
  find(library, "dsyrk_", all.dsyrk);
  find(library, "dgemv_", all.dgemv);
  find(library, "dnrm2_", all.dnrm2);
  find(library, "dscal_", all.dscal);
  find(library, "dpotrf_", all.dpotrf);
  find(library, "dpotrs_", all.dpotrs);
  find(library, "dgetrf_", all.dgetrf);
  find(library, "dgetrs_", all.dgetrs);
  find(library, "dgeqrf_", all.dgeqrf);
  find(library, "dormqr_", all.dormqr);
  find(library, "dtrtrs_", all.dtrtrs);
  find(library, "dsyev_", all.dsyev);
  find(library, "dgesdd_", all.dgesdd);
  return all;
}

}  // namespace

const blas_routines& blas() {
  static const blas_routines all = loaded();
  return all;
}

}  // namespace unseen
