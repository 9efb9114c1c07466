#include "cli/shared/child.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "cli/shared/stopping.hpp"

namespace command {

std::vector<char*> arguments_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

child_end run_child(const std::vector<std::string>& words, int speaks_as) {
  const std::vector<char*> arguments = arguments_of(words);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  if (speaks_as != STDOUT_FILENO) posix_spawn_file_actions_adddup2(&streams, speaks_as, STDOUT_FILENO);
  pid_t child = 0;
  child_end end;
  end.problem = posix_spawnp(&child, arguments[0], &streams, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  if (end.problem != 0) return end;
  const stopped_too with_us(child);
  while (waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

}  // namespace command
