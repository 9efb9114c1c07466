// The kernels with AVX2 and FMA: four lanes at a time. Everything that is compiled for these instructions stands below
// the pragma, so that nothing of the standard library is.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "phylo/like/kernels.hpp"
#include "phylo/like/scaling.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif

namespace phylo {
namespace avx2 {
namespace {

struct V {
  static constexpr int width = 4;
  __m256d v;

  static V load(const double* p) { return {_mm256_load_pd(p)}; }
  static V load(const float* p) { return {_mm256_cvtps_pd(_mm_load_ps(p))}; }
  static V load_counts(const std::int32_t* p) {
    return {_mm256_cvtepi32_pd(_mm_load_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  static V broadcast(double x) { return {_mm256_set1_pd(x)}; }
  void store(double* p) const { _mm256_store_pd(p, v); }
  void store(float* p) const { _mm_store_ps(p, _mm256_cvtpd_ps(v)); }
  static V fma(V a, V b, V c) { return {_mm256_fmadd_pd(a.v, b.v, c.v)}; }
  static V max(V a, V b) { return {_mm256_max_pd(b.v, a.v)}; }
  static V min(V a, V b) { return {_mm256_min_pd(a.v, b.v)}; }
  static V round(V a) { return {_mm256_round_pd(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)}; }
  static V power_of_two(V n) {
    // 2^52 + 2^51 brings n + 1023 to the low bits of the mantissa.
    const __m256d shifted = _mm256_add_pd(n.v, _mm256_set1_pd(0x1.8p52 + 1023));
    return {_mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(shifted), 52))};
  }
  static V split(V x, V& mantissa) {
    const __m256i bits = _mm256_castpd_si256(x.v);
    const __m256i fraction = _mm256_and_si256(bits, _mm256_set1_epi64x(0x000fffffffffffff));
    mantissa.v = _mm256_castsi256_pd(_mm256_or_si256(fraction, _mm256_set1_epi64x(0x3ff0000000000000)));
    // The biased exponent as the low bits of 2^52 + exponent.
    const __m256i biased = _mm256_or_si256(_mm256_srli_epi64(bits, 52), _mm256_set1_epi64x(0x4330000000000000));
    return {_mm256_sub_pd(_mm256_castsi256_pd(biased), _mm256_set1_pd(0x1p52 + 1023))};
  }
  static V select_ge(V a, V b, V yes, V no) {
    return {_mm256_blendv_pd(no.v, yes.v, _mm256_cmp_pd(a.v, b.v, _CMP_GE_OQ))};
  }
  static bool any_below(V a, double limit) {
    return _mm256_movemask_pd(_mm256_cmp_pd(a.v, _mm256_set1_pd(limit), _CMP_LT_OQ)) != 0;
  }
  double sum() const {
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
  }

  using Codes = const std::uint8_t*;
  static Codes load_codes(const std::uint8_t* p) { return p; }
  /// Tables are [code][row]: four rows of four are loaded and transposed.
  [[gnu::always_inline]] static void look_up(const double* table, Codes codes, V (&y)[4]) {
    const double *p0 = table + 4 * codes[0], *p1 = table + 4 * codes[1];
    const double *p2 = table + 4 * codes[2], *p3 = table + 4 * codes[3];
    const __m256d low02 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p0)), _mm_load_pd(p2), 1);
    const __m256d low13 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p1)), _mm_load_pd(p3), 1);
    const __m256d high02 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p0 + 2)), _mm_load_pd(p2 + 2), 1);
    const __m256d high13 = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(p1 + 2)), _mm_load_pd(p3 + 2), 1);
    y[0].v = _mm256_unpacklo_pd(low02, low13);
    y[1].v = _mm256_unpackhi_pd(low02, low13);
    y[2].v = _mm256_unpacklo_pd(high02, high13);
    y[3].v = _mm256_unpackhi_pd(high02, high13);
  }
  [[gnu::always_inline]] static void look_up_wide(const double* table, Codes codes, V (&y)[4]) {
    look_up(table, codes, y);
  }
  [[gnu::always_inline]] static void store_table(const V (&y)[4], double* table, int code) {
    const __m256d low01 = _mm256_unpacklo_pd(y[0].v, y[1].v), high01 = _mm256_unpackhi_pd(y[0].v, y[1].v);
    const __m256d low23 = _mm256_unpacklo_pd(y[2].v, y[3].v), high23 = _mm256_unpackhi_pd(y[2].v, y[3].v);
    _mm256_store_pd(table + 4 * code, _mm256_permute2f128_pd(low01, low23, 0x20));
    _mm256_store_pd(table + 4 * code + 4, _mm256_permute2f128_pd(high01, high23, 0x20));
    _mm256_store_pd(table + 4 * code + 8, _mm256_permute2f128_pd(low01, low23, 0x31));
    _mm256_store_pd(table + 4 * code + 12, _mm256_permute2f128_pd(high01, high23, 0x31));
  }
};
inline V operator+(V a, V b) { return {_mm256_add_pd(a.v, b.v)}; }
inline V operator-(V a, V b) { return {_mm256_sub_pd(a.v, b.v)}; }
inline V operator*(V a, V b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline V operator/(V a, V b) { return {_mm256_div_pd(a.v, b.v)}; }

#include "phylo/like/kernels_body.inc"

}  // namespace
}  // namespace avx2

}  // namespace phylo

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace phylo {

const KernelsOfSet avx2_kernels = avx2::kernels_of_set("avx2");

}  // namespace phylo

#endif
