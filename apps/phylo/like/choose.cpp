// Which kernels this process runs.

#include <cstdlib>
#include <string>

#include "phylo/io/error.hpp"
#include "phylo/like/kernels.hpp"

namespace phylo {
namespace {

bool runs_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

bool runs_avx512() {
#if defined(__x86_64__)
  return runs_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace

const Kernels& choose_kernels() {
  const char* const wish = std::getenv("MASLIN_SIMD");
  const std::string name = wish ? wish : "";
#if defined(__x86_64__)
  if (name.empty()) return runs_avx512() ? avx512_kernels : runs_avx2() ? avx2_kernels : scalar_kernels;
  if (name == "avx2" && runs_avx2()) return avx2_kernels;
  if (name == "avx512" && runs_avx512()) return avx512_kernels;
#endif
  if (name.empty() || name == "scalar") return scalar_kernels;
  if (name != "avx2" && name != "avx512")
    throw input_error("MASLIN_SIMD=" + name +
                      ": no such instruction set; expected scalar, avx2 or avx512, or leave it unset");
  throw input_error("MASLIN_SIMD=" + name + ": this processor lacks these instructions; it runs scalar" +
                    (runs_avx2() ? " and avx2" : "") + "; leave MASLIN_SIMD unset to have the fastest chosen");
}

}  // namespace phylo
