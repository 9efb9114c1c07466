#pragma once
// How a thread computes with floating-point numbers.

#include <cstdint>

#include "maslin/api.hpp"

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

/// Puts the rounding mode and the traps back when it ends, after a body that its creator runs in place. On x86-64 it
/// goes by the x87 unit's, which <cfenv> sets as well: to read MXCSR takes 12 cycles on some processors (AMD EPYC).
class kept_rounding {
 public:
  [[gnu::always_inline]] kept_rounding() noexcept = default;
  [[gnu::always_inline]] ~kept_rounding() {
    if (const control now; now.word != before_.word) [[unlikely]]
      put_back();
  }
  kept_rounding(const kept_rounding&) = delete;
  kept_rounding& operator=(const kept_rounding&) = delete;

 private:
#ifdef __x86_64__
  struct control {
    std::uint16_t word;
    [[gnu::always_inline]] control() noexcept { asm volatile("fnstcw %0" : "=m"(word)); }
  };
#else
  using control = float_mode;
#endif
  MASLIN_API void put_back() const noexcept;

  control before_;
};

}  // namespace maslin::detail
