#pragma once
// How far a form's answer is from the serial reference's.

#include <cstdint>
#include <string>

#include "sweep/solution.hpp"

namespace sweep {

struct comparison {
  std::int64_t different = 0;  ///< fluxes, of all moments, that differ in a bit
  double error = 0;            ///< the largest difference of a moment, relative to that moment's largest value
  /// Where that is, what was found and what was expected. If only errors, fixups or the balance differ, that they do.
  /// Empty if nothing differs.
  std::string wrong;
  bool holds() const { return wrong.empty(); }
};

comparison compare(const problem& of, const solution& found, const solution& expected);

/// Gives FNV-1a of all fluxes.
std::uint64_t checksum_of(const solution& found);

}  // namespace sweep
