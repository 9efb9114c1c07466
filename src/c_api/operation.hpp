#pragma once
// A C program's operations, as reductions know them.

#include "maslin/access.hpp"
#include "maslin/maslin.h"

namespace maslin::c_api {

/// Gives the operation under a name that lasts: equal operations have one. Throws `bad_argument` for one that is not
/// whole.
const detail::reduction_kind& lasting(const maslin_operation* operation);

}  // namespace maslin::c_api
