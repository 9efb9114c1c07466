#pragma once
// The word of a command line that is not known, and the one that was meant.

#include <CLI/CLI.hpp>
#include <string>

namespace command {

struct unknown_word {
  std::string command;   ///< where it stands: "maslin trace"
  std::string word;      ///< empty if all are known
  std::string expected;  ///< what it is not: "a command of maslin trace"
  std::string meant;     ///< the nearest one that is known; empty if none is near
};

/// Gives the first word that is neither a command, an option, nor one of the words that an option's value may be.
unknown_word first_unknown(const CLI::App& app, int argc, char** argv);

}  // namespace command
