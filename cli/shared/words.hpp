#pragma once
// The words of a command line, as its description understands them: for messages about what is wrong with it.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

/// An option with its value, or the name of a command. What stands for itself, such as a file, is left out.
struct command_word {
  const CLI::App* at = nullptr;         ///< the command to which it belongs
  std::string text;                     ///< "--output", "-o"; "info"
  bool is_option = false;               ///< it begins with -
  const CLI::Option* option = nullptr;  ///< null for one that is not known
  std::string value;                    ///< of an option that has one; empty where it is missing
  const CLI::App* command = nullptr;    ///< null for one that is not known
};

/// A command line up to its first word that is not known.
struct known_line {
  std::vector<command_word> words;    ///< with that one
  const CLI::App* command = nullptr;  ///< at which it ends
};
known_line read_line(const CLI::App& app, int argc, char** argv);

}  // namespace command
