#pragma once
// Settings that the environment gives.

namespace maslin::base {

/// Gives the variable's value, 1 or 0, or `otherwise` where it is not set. `meaning`: what 1 asks for. Throws `error`.
bool flag_from_environment(const char* name, bool otherwise, const char* meaning);

}  // namespace maslin::base
