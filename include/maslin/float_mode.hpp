#pragma once
// How a thread computes with floating-point numbers.

#include <cstdint>

namespace maslin::detail {

/// The rounding mode, what is flushed to zero, and which exceptions trap: MXCSR on x86-64, FPCR on aarch64.
struct float_mode {
#ifdef __x86_64__
  static constexpr std::uint32_t control = 0xffc0;  ///< the rest are flags
#else
  static constexpr std::uint32_t control = ~std::uint32_t{0};
#endif
  std::uint32_t word;

  /// Reads the calling thread's. In place: a value would be copied first.
  [[gnu::always_inline]] float_mode() noexcept {
#if defined(__x86_64__)
    asm volatile("stmxcsr %0" : "=m"(word));
#elif defined(__aarch64__)
    std::uint64_t whole;
    asm volatile("mrs %0, fpcr" : "=r"(whole));
    word = static_cast<std::uint32_t>(whole);
#else
    word = 0;
#endif
  }
  constexpr explicit float_mode(std::uint32_t of) noexcept : word(of) {}
  /// That in which a program begins.
  static constexpr float_mode initial() noexcept {
#ifdef __x86_64__
    return float_mode(0x1f80);
#else
    return float_mode(0);
#endif
  }
  bool operator==(const float_mode& other) const noexcept { return ((word ^ other.word) & control) == 0; }
};

}  // namespace maslin::detail
