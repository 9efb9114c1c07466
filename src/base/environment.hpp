#pragma once
// Settings that the environment gives.

#include "maslin/error.hpp"

namespace maslin::base {

/// Gives the variable's value, 1 or 0, or `otherwise` where it is not set. `meaning`: what 1 asks for. Throws `error`.
bool flag_from_environment(const char* name, bool otherwise, const char* meaning);

/// Throws what `why` says. Where nobody catches it, the process says it in one line and ends with status 2, unless the
/// program has a terminate handler of its own.
[[noreturn]] void throw_cannot_start(const error& why);

}  // namespace maslin::base
