#pragma once
// How far a form's answer is from the serial reference's.

#include <cstdint>
#include <string>

#include "sweep/solution.hpp"

namespace sweep {

struct comparison {
  std::int64_t different = 0;  ///< fluxes, of all moments, that differ in a bit
  double error = 0;            ///< the largest difference of a moment, relative to that moment's largest value
  std::string worst;           ///< where that is, what was found and what was expected; empty if nothing differs
  bool fixups_differ = false, balance_differs = false;
  bool holds() const { return different == 0 && !fixups_differ && !balance_differs; }
};

comparison compare(const problem& of, solution& found, solution& expected);

/// Gives FNV-1a of all fluxes.
std::uint64_t checksum_of(const solution& found);

}  // namespace sweep
