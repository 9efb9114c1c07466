#pragma once
// Annotated C to C that calls Maslin: a call of a task's function becomes a call of one that creates the task.

#include <string>

#include "source.hpp"

namespace compiler {

/// Gives the program, preprocessed, without pragmas; its lines are where they were. Warnings are said. `standard`: as
/// in -std=c11, or empty. Throws `mistake`.
std::string translate(const source& from, const std::string& standard);

}  // namespace compiler
