// Which kernels this process runs.

#include <algorithm>
#include <string>
#include <string_view>

#include "maslin/settings.hpp"
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

/// Gives what MASLIN_SIMD says, empty if it is not set. Throws `input_error` if it is none of the words of its row.
std::string wished_instructions() {
  const auto rows = maslin::settings();
  const auto simd = std::ranges::find(rows, "MASLIN_SIMD", [](const auto& row) { return std::string_view(row.name); });
  if (const std::string problem = maslin::problem_with(*simd); !problem.empty()) throw input_error(problem);
  return maslin::given_value_of(*simd);
}

}  // namespace

const Kernels& choose_kernels(int states) {
  const int which = kernel_states(states) == 4 ? 0 : 1;
  const std::string name = wished_instructions();
#if defined(__x86_64__)
  if (name.empty()) return (runs_avx512() ? avx512_kernels : runs_avx2() ? avx2_kernels : scalar_kernels)[which];
  if (name == "avx2" && runs_avx2()) return avx2_kernels[which];
  if (name == "avx512" && runs_avx512()) return avx512_kernels[which];
#endif
  if (name.empty() || name == "scalar") return scalar_kernels[which];
  throw input_error("MASLIN_SIMD=" + name + ": this processor lacks these instructions; it runs scalar" +
                    (runs_avx2() ? " and avx2" : "") + "; leave MASLIN_SIMD unset to have the fastest chosen");
}

}  // namespace phylo
