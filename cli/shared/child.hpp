#pragma once
// Another program that a command runs.

#include <string>
#include <vector>

namespace command {

/// The words as exec(3) takes them; they must stay where they are.
std::vector<char*> arguments_of(const std::vector<std::string>& words);

/// Gives a word as a shell takes it.
std::string quoted(const std::string& word);

/// Gives the words as a line that a shell takes.
std::string command_line(const std::vector<std::string>& words);

/// How a child ended.
struct child_end {
  int problem = 0;  ///< the system's number, if it could not be run
  int status = 0;   ///< as waitpid(2) gives it
};

/// Runs a program, which is found as a shell finds it, and waits until it has ended. If the command is stopped, so is
/// the child. `speaks_as`: the descriptor that is its standard output.
child_end run_child(const std::vector<std::string>& words, int speaks_as = 1);

}  // namespace command
