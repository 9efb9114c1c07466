#include "base/float_mode.hpp"

#include <cstdint>

namespace maslin::base {

[[gnu::cold]] void set_float_mode(float_mode mode) noexcept {
#if defined(__x86_64__)
  const std::uint32_t sse = (float_mode().word & ~float_mode::control) | (mode.word & float_mode::control);
  constexpr std::uint32_t masks = 0x3f;
  const std::uint32_t masked = mode.word >> 7 & masks;
  const std::uint32_t rounding = mode.word >> 13 & 3;
  std::uint16_t x87;
  asm volatile("fnstcw %0" : "=m"(x87));
  x87 = static_cast<std::uint16_t>((x87 & ~(masks | 3U << 10)) | masked | rounding << 10);
  // A flag that other code left behind would trap as soon as it may.
  if (masked != masks) asm volatile("fnclex");
  asm volatile("fldcw %0" : : "m"(x87));
  asm volatile("ldmxcsr %0" : : "m"(sse));
#elif defined(__aarch64__)
  const std::uint64_t whole = mode.word;
  asm volatile("msr fpcr, %0" : : "r"(whole));
#else
  (void)mode;
#endif
}

}  // namespace maslin::base

[[gnu::cold]] void maslin::detail::kept_rounding::put_back() const noexcept {
  using base::set_float_mode;
#ifdef __x86_64__
  constexpr std::uint32_t fields = 0x3fU << 7 | 3U << 13;
  const std::uint32_t word = (before_.word & 0x3fU) << 7 | (before_.word >> 10 & 3U) << 13;
  set_float_mode(float_mode((float_mode().word & ~fields) | word));
  asm volatile("fldcw %0" : : "m"(before_.word));
#else
  set_float_mode(before_);
#endif
}
