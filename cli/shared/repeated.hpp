#pragma once
// The option of a command line that stands there several times though it has one value.

#include <string>
#include <vector>

#include "cli/shared/words.hpp"

namespace command {

/// Says which option that is and which values it was given; nothing where there is none.
std::string first_repeated(const std::vector<command_word>& words);

}  // namespace command
