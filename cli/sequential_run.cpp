#include "sequential_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "cli/shared/child.hpp"
#include "cpu_seconds.hpp"
#include "maslin/error.hpp"

namespace {

bool is_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char first[7] = "";
  in.read(first, sizeof first);
  return in.gcount() == sizeof first && std::memcmp(first, "\x89MTRACE", sizeof first) == 0;
}

/// Says why a name could not be run: a file of that name may be there all the same.
std::string why_not_run(const std::string& name, int problem) {
  std::error_code unknown;
  const bool is_file = std::filesystem::is_regular_file(name, unknown);
  if (is_file && access(name.c_str(), X_OK) != 0)
    return fmt::format("'{}' is neither a trace nor a program that may be run; give one of these", name);
  if (is_file && problem == ENOENT && name.find('/') == std::string::npos)
    return fmt::format("'{}' is in this folder, where programs are not looked for; give it as ./{}", name, name);
  return fmt::format("'{}' cannot be run: {}; give a program, or a trace that it left", name, std::strerror(problem));
}

/// Runs the program on one worker and leaves its trace there. Gives in which part of its time it had a CPU.
double record(const std::vector<std::string>& program, const std::string& trace) {
  setenv("MASLIN_WORKERS", "1", 1);
  setenv("MASLIN_TRACE", trace.c_str(), 1);
  setenv("MASLIN_TRACE_FULL", "wait", 1);
  for (const char* other : {"MASLIN_MACHINE", "MASLIN_SERIAL", "MASLIN_TRACE_DETAIL"}) unsetenv(other);
  const auto begin = std::chrono::steady_clock::now();
  const double before = cpu_seconds_of_children();
  // What the program says is not this command's result.
  const auto [problem, status] = command::run_child(program, STDERR_FILENO);
  const auto end = std::chrono::steady_clock::now();
  const double took = cpu_seconds_of_children() - before;
  unsetenv("MASLIN_WORKERS");
  unsetenv("MASLIN_TRACE");
  unsetenv("MASLIN_TRACE_FULL");
  if (problem != 0) throw maslin::error(why_not_run(program[0], problem));
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw maslin::error(WIFSIGNALED(status)
                            ? fmt::format("'{}' was ended by signal {}", program[0], WTERMSIG(status))
                            : fmt::format("'{}' ended with status {}", program[0], WEXITSTATUS(status)));
  if (!std::filesystem::exists(trace))
    throw maslin::error(fmt::format("'{}' left no trace: it never called Maslin", program[0]));
  return std::min(1.0, took / std::chrono::duration<double>(end - begin).count());
}

/// The CPUs of the calling thread and of those that it starts.
cpu_set_t allowed_cpus() {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0)
    throw maslin::error(
        fmt::format("--beside: the system does not say which CPUs there are: {}", std::strerror(errno)));
  return all;
}
cpu_set_t only(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  return one;
}

/// Confines the calling thread, and what it starts, to one CPU while it lives.
class confined {
 public:
  explicit confined(int cpu) : before_(allowed_cpus()) {
    const cpu_set_t one = only(cpu);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~confined() { sched_setaffinity(0, sizeof before_, &before_); }
  confined(const confined&) = delete;
  confined& operator=(const confined&) = delete;

 private:
  const cpu_set_t before_;
};

/// Runs a program on one CPU again and again, silently, while it lives.
class running_copy {
 public:
  running_copy(const std::vector<char*>& words, int cpu) : keeper_(fork()) {
    if (keeper_ < 0)
      throw maslin::error(fmt::format("--beside: a copy of the program cannot be started: {}", std::strerror(errno)));
    if (keeper_ == 0) keep_running(words.data(), only(cpu));
  }
  ~running_copy() {
    kill(keeper_, SIGKILL);  // the copy goes with it
    waitpid(keeper_, nullptr, 0);
  }
  running_copy(const running_copy&) = delete;
  running_copy& operator=(const running_copy&) = delete;

 private:
  [[noreturn]] static void keep_running(char* const* words, cpu_set_t one) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sched_setaffinity(0, sizeof one, &one);
    const int nowhere = open("/dev/null", O_RDWR);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    for (;;) {
      const pid_t copy = fork();
      if (copy == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(words[0], words);
        _exit(127);
      }
      int status = 0;
      if (copy < 0 || waitpid(copy, &status, 0) < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) _exit(1);
    }
  }

  const pid_t keeper_;
};

}  // namespace

trace_beside trace_beside_copies(const std::vector<std::string>& program, command::scratch_folder& folder) {
  if (names_trace(program))
    throw maslin::error(fmt::format("--beside: '{}' is a trace; give the program, which runs beside copies of itself",
                                    program.front()));
  std::vector<int> cpus;
  const cpu_set_t all = allowed_cpus();
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all)) cpus.push_back(cpu);
  if (cpus.size() < 2)
    throw maslin::error("--beside: this process may use one CPU only, so no copy of the program can run beside it");
  const std::vector<char*> words = command::arguments_of(program);
  setenv("MASLIN_WORKERS", "1", 1);
  setenv("MASLIN_REPORT", "off", 1);
  std::deque<running_copy> copies;
  for (std::size_t i = 1; i < cpus.size(); ++i) copies.emplace_back(words, cpus[i]);
  unsetenv("MASLIN_REPORT");
  const confined here(cpus.front());
  trace_beside trace{folder.file("beside.mtrace"), static_cast<int>(copies.size())};
  record(program, trace.path);
  return trace;
}

bool names_trace(const std::vector<std::string>& words) { return words.size() == 1 && is_trace(words.front()); }

one_worker_trace trace_on_one_worker(const std::vector<std::string>& words, command::scratch_folder& folder) {
  if (names_trace(words)) return {words.front(), {}};
  one_worker_trace trace{folder.file("run.mtrace"), {}};
  trace.cpu_share = record(words, trace.path);
  return trace;
}
