#pragma once
// The word of a command line that is not known, and the one that was meant.

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/words.hpp"

namespace command {

struct unknown_word {
  const CLI::App* at;    ///< the command to which it belongs
  std::string word;      ///< as it is shown
  std::string expected;  ///< what it is not: "a command of maslin trace"
  std::string meant;     ///< the nearest one that is known; empty if none is near
};

/// Gives the first word that is neither a command, an option, nor one of the words that an option's value may be.
std::optional<unknown_word> first_unknown(const std::vector<command_word>& words);

}  // namespace command
