// Which kernels this process runs.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "maslin/settings.hpp"
#include "phylo/io/error.hpp"
#include "phylo/like/kernels.hpp"

namespace phylo {
namespace {

/// Gives what MASLIN_SIMD says, empty if it is not set. Throws `input_error` if it is none of the words of its row.
std::string wished_instructions() {
  const auto rows = maslin::settings();
  const auto simd = std::ranges::find(rows, "MASLIN_SIMD", [](const auto& row) { return std::string_view(row.name); });
  if (const std::string problem = maslin::problem_with(*simd); !problem.empty()) throw input_error(problem);
  return maslin::given_value_of(*simd);
}

}  // namespace

std::vector<const Kernels*> runnable_kernels(int states, Precision precision) {
  std::vector<const Kernels*> all;
  const auto add = [&](const KernelsOfSet& set) {
    all.push_back(&set.of[static_cast<int>(precision)][kernel_states(states) == 4 ? 0 : 1]);
  };
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool wider = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
  if (avx2 && wider && __builtin_cpu_supports("avx512vl")) add(avx512_kernels);
  if (avx2) add(avx2_kernels);
#elif defined(__aarch64__)
  add(neon_kernels);
#endif
  add(scalar_kernels);
  return all;
}

const Kernels& choose_kernels(int states, Precision precision) {
  const std::vector<const Kernels*> runnable = runnable_kernels(states, precision);
  const std::string name = wished_instructions();
  if (name.empty()) return *runnable.front();
  std::string names;
  for (const Kernels* kernels : runnable) {
    if (name == kernels->name) return *kernels;
    names += (names.empty() ? "" : ", ") + std::string(kernels->name);
  }
  throw input_error("MASLIN_SIMD=" + name + ": this processor lacks these instructions; it runs " + names +
                    "; leave MASLIN_SIMD unset to have the fastest chosen");
}

}  // namespace phylo
