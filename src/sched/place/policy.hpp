#pragma once
// The place policies by name. README.md says what each decides and what it is handed.

#include <string_view>

#include "maslin/runtime.hpp"

namespace maslin::place {

/// Gives the policy that MASLIN_PLACE names. Throws `error`.
placement of_the_run();

/// Gives its name, as MASLIN_PLACE reads it.
std::string_view name(placement policy);

/// Do all ready tasks of the run stand in one order? Otherwise each worker has its own, and only tasks of a positive
/// priority stand in one order.
constexpr bool orders_all(placement policy) {
  return policy == placement::chains || policy == placement::program_order;
}

}  // namespace maslin::place
