#pragma once
// A runtime that the environment does not let start.

#include "maslin/error.hpp"

namespace maslin::base {

/// Throws what `why` says. Where nobody catches it, the process says it in one line and ends with status 2, unless the
/// program has a terminate handler of its own.
[[noreturn]] void throw_cannot_start(const error& why);

}  // namespace maslin::base
