// The kernels with AVX-512: a group at a time. Everything that is compiled for these instructions stands below the
// pragma, so that nothing of the standard library is.

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "phylo/like/kernels.hpp"
#include "phylo/like/scaling.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12's intrinsics start from undefined registers and are then warned about (its bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma,prefer-vector-width=512")
#endif

namespace phylo {
namespace avx512 {
namespace {

/// A whole group in two registers, so that what is broadcast serves both.
struct V {
  static constexpr int width = 16;
  __m512d a, b;

  static V load(const double* p) { return {_mm512_load_pd(p), _mm512_load_pd(p + 8)}; }
  static V load(const float* p) { return {_mm512_cvtps_pd(_mm256_load_ps(p)), _mm512_cvtps_pd(_mm256_load_ps(p + 8))}; }
  static V load_counts(const std::int32_t* p) {
    const __m512i counts = _mm512_load_si512(p);
    return {_mm512_cvtepi32_pd(_mm512_castsi512_si256(counts)),
            _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(counts, 1))};
  }
  static V broadcast(double x) {
    const __m512d all = _mm512_set1_pd(x);
    return {all, all};
  }
  void store(double* p) const {
    _mm512_store_pd(p, a);
    _mm512_store_pd(p + 8, b);
  }
  void store(float* p) const {
    _mm256_store_ps(p, _mm512_cvtpd_ps(a));
    _mm256_store_ps(p + 8, _mm512_cvtpd_ps(b));
  }
  static V fma(V x, V y, V z) { return {_mm512_fmadd_pd(x.a, y.a, z.a), _mm512_fmadd_pd(x.b, y.b, z.b)}; }
  static V max(V x, V y) { return {_mm512_max_pd(y.a, x.a), _mm512_max_pd(y.b, x.b)}; }
  static V min(V x, V y) { return {_mm512_min_pd(x.a, y.a), _mm512_min_pd(x.b, y.b)}; }
  static V round(V x) {
    constexpr int nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    return {_mm512_roundscale_pd(x.a, nearest), _mm512_roundscale_pd(x.b, nearest)};
  }
  static V power_of_two(V n) {
    return {_mm512_scalef_pd(_mm512_set1_pd(1), n.a), _mm512_scalef_pd(_mm512_set1_pd(1), n.b)};
  }
  static V split(V x, V& mantissa) {
    mantissa.a = _mm512_getmant_pd(x.a, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    mantissa.b = _mm512_getmant_pd(x.b, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_src);
    return {_mm512_getexp_pd(x.a), _mm512_getexp_pd(x.b)};
  }
  static V select_ge(V x, V y, V yes, V no) {
    return {_mm512_mask_blend_pd(_mm512_cmp_pd_mask(x.a, y.a, _CMP_GE_OQ), no.a, yes.a),
            _mm512_mask_blend_pd(_mm512_cmp_pd_mask(x.b, y.b, _CMP_GE_OQ), no.b, yes.b)};
  }
  static bool any_below(V x, double limit) {
    return _mm512_cmp_pd_mask(_mm512_min_pd(x.a, x.b), _mm512_set1_pd(limit), _CMP_LT_OQ) != 0;
  }
  double sum() const {
    const __m512d both = _mm512_add_pd(a, b);
    const __m256d half = _mm256_add_pd(_mm512_castpd512_pd256(both), _mm512_extractf64x4_pd(both, 1));
    const __m128d quarter = _mm_add_pd(_mm256_castpd256_pd128(half), _mm256_extractf128_pd(half, 1));
    return _mm_cvtsd_f64(quarter) + _mm_cvtsd_f64(_mm_unpackhi_pd(quarter, quarter));
  }

  struct Codes {
    __m512i a, b;
  };
  static Codes load_codes(const std::uint8_t* p) {
    const __m128i codes = _mm_load_si128(reinterpret_cast<const __m128i*>(p));
    return {_mm512_cvtepu8_epi64(codes), _mm512_cvtepu8_epi64(_mm_unpackhi_epi64(codes, codes))};
  }
  /// Tables are [row][code]: one instruction looks eight codes up among sixteen, by their four lowest bits.
  [[gnu::always_inline]] static void look_up(const double* table, const Codes& codes, V (&y)[4]) {
    for (int i = 0; i < 4; ++i) y[i] = look_up_among(table + 32 * i, codes);
  }
  [[gnu::always_inline]] static void look_up_wide(const double* table, const Codes& codes, V (&y)[4]) {
    const __m512i sixteen = _mm512_set1_epi64(16);
    const __mmask8 high_a = _mm512_test_epi64_mask(codes.a, sixteen), high_b = _mm512_test_epi64_mask(codes.b, sixteen);
    for (int i = 0; i < 4; ++i) {
      const V low = look_up_among(table + 32 * i, codes), high = look_up_among(table + 32 * i + 16, codes);
      y[i] = {_mm512_mask_blend_pd(high_a, low.a, high.a), _mm512_mask_blend_pd(high_b, low.b, high.b)};
    }
  }
  [[gnu::always_inline]] static V look_up_among(const double* sixteen, const Codes& codes) {
    const __m512d low = _mm512_load_pd(sixteen), high = _mm512_load_pd(sixteen + 8);
    return {_mm512_permutex2var_pd(low, codes.a, high), _mm512_permutex2var_pd(low, codes.b, high)};
  }
  [[gnu::always_inline]] static void store_table(const V (&y)[4], double* table, int code) {
    for (int i = 0; i < 4; ++i) y[i].store(table + 32 * i + code);
  }
};
inline V operator+(V x, V y) { return {_mm512_add_pd(x.a, y.a), _mm512_add_pd(x.b, y.b)}; }
inline V operator-(V x, V y) { return {_mm512_sub_pd(x.a, y.a), _mm512_sub_pd(x.b, y.b)}; }
inline V operator*(V x, V y) { return {_mm512_mul_pd(x.a, y.a), _mm512_mul_pd(x.b, y.b)}; }
inline V operator/(V x, V y) { return {_mm512_div_pd(x.a, y.a), _mm512_div_pd(x.b, y.b)}; }

#include "phylo/like/kernels_body.inc"

}  // namespace
}  // namespace avx512

}  // namespace phylo

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace phylo {

const KernelsOfSet avx512_kernels = avx512::kernels_of_set("avx512");

}  // namespace phylo

#endif
