#include "places.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <vector>

extern char** environ;

namespace mpi {

namespace {

/// Runs a program that is found by its name, and gives what it prints; empty if it cannot be run.
std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
  posix_spawn_file_actions_addclose(&files, ends[0]);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string text;
  if (problem == 0) {
    char some[4096];
    for (ssize_t bytes; (bytes = read(ends[0], some, sizeof some)) > 0;)
      text.append(some, static_cast<std::size_t>(bytes));
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return text;
}

/// "file.c:12", "function" or, where nothing is known, the number itself.
std::string place(const std::string& program, unsigned long offset) {
  char address[32];
  std::snprintf(address, sizeof address, "0x%lx", offset - 1);  // within the call, which ends there
  const std::string text = output_of({"addr2line", "-Cfe", program, address});
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return std::string(address) + " (addr2line of binutils tells the line)";
  const std::string function = text.substr(0, end);
  std::string line = text.substr(end + 1);
  line = line.substr(0, line.find_first_of(" \n"));
  if (line.rfind("??", 0) != 0) return line.substr(line.rfind('/') + 1);
  return function.rfind("??", 0) == 0 ? address : function + "() (built without -g)";
}

}  // namespace

std::string with_places(const std::string& program, const std::string& text) {
  static const std::regex form("@(?:MPI_[A-Za-z_]+)?:([0-9]+)");
  std::map<std::string, std::string> known;
  std::string done;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) {
    std::string& its = known[at->str(1)];
    if (its.empty()) its = place(program, std::strtoul(at->str(1).c_str(), nullptr, 10));
    done.append(from, (*at)[0].first).append(its);
    from = (*at)[0].second;
  }
  return done.append(from, text.cend());
}

}  // namespace mpi
