#include "sweep/line.hpp"

#include <algorithm>

namespace sweep {

directions::directions(const problem& of, int octant_number, int first_angle, int in_block)
    : count(in_block), towards(octants[static_cast<std::size_t>(octant_number)]) {
  for (int lane = 0; lane < most_lanes; ++lane) {
    const int repeated = first_angle + std::min(lane, count - 1);
    const angle& a = of.angles[static_cast<std::size_t>(repeated)];
    mu[lane] = a.mu;
    eta[lane] = a.eta;
    xi[lane] = a.xi;
    for (int n = 0; n < 4; ++n) {
      harmonic[n][lane] = of.harmonic(n, towards, a);
      weight[n][lane] = harmonic[n][lane] * a.weight;
    }
    along[0][lane] = towards.i * a.mu * a.weight;
    along[1][lane] = towards.j * a.eta * a.weight;
    along[2][lane] = towards.k * a.xi * a.weight;
  }
}

const line_kernels& choose_lines() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return avx512_lines;
  if (__builtin_cpu_supports("avx2")) return avx2_lines;
#endif
  return baseline_lines;
}

}  // namespace sweep
