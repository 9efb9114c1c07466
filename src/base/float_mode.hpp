#pragma once
// Code runs under the floating-point mode that it is meant for, and what it changes ends with it.

#include <cstdint>

#include "maslin/float_mode.hpp"

namespace maslin::base {

using detail::float_mode;
using detail::kept_rounding;

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

}  // namespace maslin::base
