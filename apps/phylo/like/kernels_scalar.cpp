// The kernels in plain C++: for processors without wide registers, and as what the others are compared with.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "phylo/like/kernels.hpp"
#include "phylo/like/scaling.hpp"

namespace phylo {
namespace scalar {
namespace {

struct V {
  static constexpr int width = 1;
  double v;

  static V load(const double* p) { return {*p}; }
  static V load(const float* p) { return {*p}; }
  static V load_counts(const std::int32_t* p) { return {static_cast<double>(*p)}; }
  static V broadcast(double x) { return {x}; }
  void store(double* p) const { *p = v; }
  void store(float* p) const { *p = static_cast<float>(v); }
  static V fma(V a, V b, V c) { return {a.v * b.v + c.v}; }
  static V max(V a, V b) { return {std::max(a.v, b.v)}; }
  static V min(V a, V b) { return {std::min(a.v, b.v)}; }
  static V round(V a) { return {std::nearbyint(a.v)}; }
  static V power_of_two(V n) { return {std::bit_cast<double>((static_cast<std::int64_t>(n.v) + 1023) << 52)}; }
  static V split(V x, V& mantissa) {
    const auto bits = std::bit_cast<std::uint64_t>(x.v);
    mantissa.v = std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    return {static_cast<double>(static_cast<std::int64_t>(bits >> 52) - 1023)};
  }
  static V select_ge(V a, V b, V yes, V no) { return a.v >= b.v ? yes : no; }
  static bool any_below(V a, double limit) { return a.v < limit; }
  double sum() const { return v; }

  using Codes = const std::uint8_t*;
  static Codes load_codes(const std::uint8_t* p) { return p; }
  /// Tables are [code][row].
  [[gnu::always_inline]] static void look_up(const double* table, Codes codes, V (&y)[4]) {
    for (int i = 0; i < 4; ++i) y[i].v = table[4 * *codes + i];
  }
  [[gnu::always_inline]] static void look_up_wide(const double* table, Codes codes, V (&y)[4]) {
    look_up(table, codes, y);
  }
  [[gnu::always_inline]] static void store_table(const V (&y)[4], double* table, int code) {
    for (int i = 0; i < 4; ++i) table[4 * code + i] = y[i].v;
  }
};
inline V operator+(V a, V b) { return {a.v + b.v}; }
inline V operator-(V a, V b) { return {a.v - b.v}; }
inline V operator*(V a, V b) { return {a.v * b.v}; }
inline V operator/(V a, V b) { return {a.v / b.v}; }

#include "phylo/like/kernels_body.inc"

}  // namespace
}  // namespace scalar

const KernelsOfSet scalar_kernels = scalar::kernels_of_set("scalar");

}  // namespace phylo
