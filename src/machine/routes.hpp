#pragma once
// The groups of a description that only the model of messages reads (model/links): what they must say.

#include <cstdint>

namespace maslin::machine {

class section;

/// Checks [[hop]] and [[route]] of a machine with so many nodes of so many workers. Throws `error`.
void check_routes(section& description, std::int64_t nodes, std::int64_t workers);

}  // namespace maslin::machine
