#pragma once
// A C program's accesses, as the graph knows them.

#include <cstddef>
#include <optional>

#include "maslin/maslin.h"
#include "maslin/task.hpp"

namespace maslin::c_api {

/// Gives the access in C++'s words; messages call it `name`, or `name[index]`. Throws `bad_argument` for one that names
/// no memory.
detail::declared declare(const maslin_access& access, const char* name, std::optional<std::size_t> index);

}  // namespace maslin::c_api
