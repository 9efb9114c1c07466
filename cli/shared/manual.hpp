#pragma once
// The page of the manual, from the command's own help.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace command {

/// What the page says beside the help.
struct manual_facts {
  struct variable {
    std::string name, meaning;
  };
  std::string version;
  std::vector<variable> environment;
  std::vector<std::string> see_also;  ///< "maslin-phylo(1)"
  std::string failure = {};           ///< what status 1 says, if it is not only of a defect
};

/// What a status says with which a command of this project ends.
struct exit_status {
  const char* number;
  const char* meaning;
};
inline constexpr exit_status exit_statuses[] = {
    {"0", "done"},
    {"1", "a defect of the program"},
    {"2", "something to mend: the message says what"},
    {"128 + N", "stopped by signal N: 130 by Ctrl-C, 141 when nobody reads the output any more, 143 by kill"},
};

/// Gives what that status of a command says.
std::string meaning_of(const exit_status& status, const manual_facts& facts);

/// Gives the page in troff's language, for man.
std::string manual(const CLI::App& app, const manual_facts& facts);

}  // namespace command
