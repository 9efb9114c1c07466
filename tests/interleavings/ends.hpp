#pragma once
// How the ranks of a world end.

#include <exception>
#include <string>

#include "exec/ranks/world.hpp"
#include "explorer.hpp"

namespace maslin {

/// Gives what ms::ranks would throw; empty: nothing.
inline std::string thrown_by(world& all) {
  try {
    all.rethrow();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

/// Whether it contains what is expected, or is nothing where that is empty. Fails if not.
inline bool is_expected_end(const std::string& expected, const std::string& thrown) {
  if (thrown.empty() == expected.empty() && thrown.find(expected) != std::string::npos) return true;
  explorer::fail("the ranks end with \"" + thrown + '"');
  return false;
}

}  // namespace maslin
