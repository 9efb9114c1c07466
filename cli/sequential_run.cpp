#include "sequential_run.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/shared/child.hpp"
#include "maslin/error.hpp"

namespace {

bool is_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char first[7] = "";
  in.read(first, sizeof first);
  return in.gcount() == sizeof first && std::memcmp(first, "\x89MTRACE", sizeof first) == 0;
}

/// Runs the program on one worker and leaves its trace there.
void record(const std::vector<std::string>& program, const std::string& trace) {
  setenv("MASLIN_WORKERS", "1", 1);
  setenv("MASLIN_TRACE", trace.c_str(), 1);
  for (const char* other : {"MASLIN_MACHINE", "MASLIN_SERIAL", "MASLIN_TRACE_DETAIL"}) unsetenv(other);
  // What the program says is not this command's result.
  const auto [problem, status] = command::run_child(program, STDERR_FILENO);
  unsetenv("MASLIN_WORKERS");
  unsetenv("MASLIN_TRACE");
  if (problem != 0)
    throw maslin::error(fmt::format("'{}' cannot be run: {}; give a program, or a trace that it left", program[0],
                                    std::strerror(problem)));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw maslin::error(WIFSIGNALED(status)
                            ? fmt::format("'{}' was ended by signal {}", program[0], WTERMSIG(status))
                            : fmt::format("'{}' ended with status {}", program[0], WEXITSTATUS(status)));
  if (!std::filesystem::exists(trace))
    throw maslin::error(fmt::format("'{}' left no trace: it never called Maslin", program[0]));
}

}  // namespace

bool names_trace(const std::vector<std::string>& words) { return words.size() == 1 && is_trace(words.front()); }

std::string trace_on_one_worker(const std::vector<std::string>& words, command::scratch_folder& folder) {
  if (names_trace(words)) return words.front();
  std::string trace = folder.file("run.mtrace");
  record(words, trace);
  return trace;
}
