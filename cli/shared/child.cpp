#include "cli/shared/child.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include "cli/shared/stopping.hpp"

namespace command {

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

std::string quoted(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') out += "'\\'";  // ends the quotes, and begins them again
    out += c;
  }
  out += '\'';
  return out;
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += quoted(word);
  }
  return line;
}

namespace {

/// Starts the program with that mask of signals. Gives an error number, or 0.
int start(const std::vector<char*>& arguments, int speaks_as, const sigset_t& mask, pid_t& child) {
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (speaks_as != STDOUT_FILENO) posix_spawn_file_actions_adddup2(&streams, speaks_as, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &mask);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int problem = posix_spawnp(&child, arguments[0], &streams, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&streams);
  return problem;
}

}  // namespace

child_end run_child(const std::vector<std::string>& words, int speaks_as) {
  const std::vector<char*> arguments = arguments_of(words);
  pid_t child = 0;
  child_end end;
  std::optional<stops_held> held(std::in_place);  // until it is known which child goes, too
  end.problem = start(arguments, speaks_as, held->before(), child);
  if (end.problem != 0) return end;
  const stopped_too with_us(child);
  held.reset();
  while (waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

}  // namespace command
