#pragma once
// Code runs under the floating-point mode that it is meant for, and what it changes ends with it.

#include <cstdint>

#include "maslin/float_mode.hpp"

namespace maslin::base {

using detail::float_mode;

/// What the runtime itself runs under: the mode of whoever started it. Set before there is a worker.
inline constinit float_mode usual_float_mode = float_mode::initial();

/// Makes the mode the calling thread's. On x86-64 the x87 unit, which computes with `long double`, gets the same
/// rounding mode and traps; its precision stays.
void set_float_mode(float_mode mode) noexcept;

/// Has a mode in force while it lives. What is changed meanwhile ends with it.
class in_float_mode {
 public:
  explicit in_float_mode(float_mode mode) noexcept {
    if (before_ != mode) [[unlikely]]
      set_float_mode(mode);
  }
  ~in_float_mode() {
    if (float_mode() != before_) [[unlikely]]
      set_float_mode(before_);
  }
  in_float_mode(const in_float_mode&) = delete;
  in_float_mode& operator=(const in_float_mode&) = delete;

 private:
  const float_mode before_;
};

/// The same where the usual mode is in force, which need not be read then.
class from_usual_float_mode {
 public:
  explicit from_usual_float_mode(float_mode mode) noexcept {
    if (mode != usual_float_mode) [[unlikely]]
      set_float_mode(mode);
  }
  ~from_usual_float_mode() {
    if (float_mode() != usual_float_mode) [[unlikely]]
      set_float_mode(usual_float_mode);
  }
  from_usual_float_mode(const from_usual_float_mode&) = delete;
  from_usual_float_mode& operator=(const from_usual_float_mode&) = delete;
};

/// Puts the rounding mode and the traps back when it ends, after a body that its creator runs in place. On x86-64 it
/// goes by the x87 unit's, which <cfenv> sets as well: to read MXCSR takes 12 cycles on some processors (AMD EPYC).
class kept_rounding {
 public:
  kept_rounding() noexcept = default;
  ~kept_rounding() {
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
  void put_back() const noexcept;

  control before_;
};

}  // namespace maslin::base
