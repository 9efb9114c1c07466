#pragma once
// Policies that a program has beside those of the library.

#include <memory>
#include <span>
#include <string_view>

#include "sched/grain/controller.hpp"

namespace maslin::grain {

struct further_policy {
  std::string_view name;  ///< as MASLIN_GRAIN says it
  std::unique_ptr<controller> (*make)(const situation& begin);
};

/// Gives those of this program. The library has none. A program that defines this function itself, as the object
/// library `grain_peers` of bench/grain does, and is linked with the static library, has what its own gives: the linker
/// takes nothing from an archive that it has already.
std::span<const further_policy> further_policies();

}  // namespace maslin::grain
