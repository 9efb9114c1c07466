// The kernels with NEON, which every 64-bit ARM processor has: two lanes at a time.

#if defined(__aarch64__)

#include <arm_neon.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "phylo/like/kernels.hpp"
#include "phylo/like/scaling.hpp"

namespace phylo {
namespace neon {
namespace {

struct V {
  static constexpr int width = 2;
  float64x2_t v;

  static V load(const double* p) { return {vld1q_f64(p)}; }
  static V load(const float* p) { return {vcvt_f64_f32(vld1_f32(p))}; }
  static V load_counts(const std::int32_t* p) { return {vcvtq_f64_s64(vmovl_s32(vld1_s32(p)))}; }
  static V broadcast(double x) { return {vdupq_n_f64(x)}; }
  void store(double* p) const { vst1q_f64(p, v); }
  void store(float* p) const { vst1_f32(p, vcvt_f32_f64(v)); }
  static V fma(V a, V b, V c) { return {vfmaq_f64(c.v, a.v, b.v)}; }
  static V max(V a, V b) { return {vmaxq_f64(a.v, b.v)}; }
  static V min(V a, V b) { return {vminq_f64(a.v, b.v)}; }
  static V round(V a) { return {vrndnq_f64(a.v)}; }
  static V power_of_two(V n) {
    const int64x2_t biased = vaddq_s64(vcvtq_s64_f64(n.v), vdupq_n_s64(1023));
    return {vreinterpretq_f64_s64(vshlq_n_s64(biased, 52))};
  }
  static V split(V x, V& mantissa) {
    const uint64x2_t bits = vreinterpretq_u64_f64(x.v);
    const uint64x2_t fraction = vandq_u64(bits, vdupq_n_u64(0x000fffffffffffff));
    mantissa.v = vreinterpretq_f64_u64(vorrq_u64(fraction, vdupq_n_u64(0x3ff0000000000000)));
    return {vcvtq_f64_s64(vsubq_s64(vreinterpretq_s64_u64(vshrq_n_u64(bits, 52)), vdupq_n_s64(1023)))};
  }
  static V select_ge(V a, V b, V yes, V no) { return {vbslq_f64(vcgeq_f64(a.v, b.v), yes.v, no.v)}; }
  static bool any_below(V a, double limit) {
    const uint64x2_t below = vcltq_f64(a.v, vdupq_n_f64(limit));
    return (vgetq_lane_u64(below, 0) | vgetq_lane_u64(below, 1)) != 0;
  }
  double sum() const { return vaddvq_f64(v); }

  using Codes = const std::uint8_t*;
  static Codes load_codes(const std::uint8_t* p) { return p; }
  /// Tables are [code][row]: two rows of four are loaded and transposed.
  [[gnu::always_inline]] static void look_up(const double* table, Codes codes, V (&y)[4]) {
    const double *p0 = table + 4 * codes[0], *p1 = table + 4 * codes[1];
    const float64x2_t low0 = vld1q_f64(p0), low1 = vld1q_f64(p1);
    const float64x2_t high0 = vld1q_f64(p0 + 2), high1 = vld1q_f64(p1 + 2);
    y[0].v = vzip1q_f64(low0, low1);
    y[1].v = vzip2q_f64(low0, low1);
    y[2].v = vzip1q_f64(high0, high1);
    y[3].v = vzip2q_f64(high0, high1);
  }
  [[gnu::always_inline]] static void look_up_wide(const double* table, Codes codes, V (&y)[4]) {
    look_up(table, codes, y);
  }
  [[gnu::always_inline]] static void store_table(const V (&y)[4], double* table, int code) {
    double* const row = table + 4 * code;
    vst1q_f64(row, vzip1q_f64(y[0].v, y[1].v));
    vst1q_f64(row + 2, vzip1q_f64(y[2].v, y[3].v));
    vst1q_f64(row + 4, vzip2q_f64(y[0].v, y[1].v));
    vst1q_f64(row + 6, vzip2q_f64(y[2].v, y[3].v));
  }
};
inline V operator+(V a, V b) { return {vaddq_f64(a.v, b.v)}; }
inline V operator-(V a, V b) { return {vsubq_f64(a.v, b.v)}; }
inline V operator*(V a, V b) { return {vmulq_f64(a.v, b.v)}; }
inline V operator/(V a, V b) { return {vdivq_f64(a.v, b.v)}; }

#include "phylo/like/kernels_body.inc"

}  // namespace
}  // namespace neon

const KernelsOfSet neon_kernels = neon::kernels_of_set("neon");

}  // namespace phylo

#endif
