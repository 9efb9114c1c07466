#include "launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/shared/child.hpp"
#include "cli/shared/stopping.hpp"
#include "comm/processes.hpp"
#include "maslin/error.hpp"
#include "placement.hpp"
#include "processes.hpp"

namespace mpi {

namespace {

struct child {
  pid_t pid = 0;
  bool runs = false;
  int status = 0;  ///< as waitpid(2) gives it
};

// A signal to maslin-mpirun is one to all.
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
volatile sig_atomic_t number_of_children = 0, signal_received = 0;
pid_t pids[shared_by_processes::most];

void pass_on(int signal) {
  signal_received = signal;
  for (int i = 0; i < number_of_children; ++i) kill(pids[i], signal);
}

int shared_file(const char* name) {
  const int file = memfd_create(name, 0);  // inherited; it has no name in any folder and is gone with its processes
  if (file < 0) throw maslin::error(fmt::format("the system gives no shared memory ({})", std::strerror(errno)));
  return file;
}

shared_by_processes& make_shared(int file) {
  shared_by_processes* const made = ftruncate(file, sizeof(shared_by_processes)) == 0 ? map_shared(file) : nullptr;
  if (!made) throw maslin::error(fmt::format("the system gives no shared memory ({})", std::strerror(errno)));
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&made->output, &kind);
  return *made;
}

/// The part of the CPUs that a process has, if there are as many as processes; one of them otherwise.
cpu_set_t share_of(const cpu_set_t& all, int process, int processes) {
  const int cpus = CPU_COUNT(&all);
  int first = process * cpus / processes, last = (process + 1) * cpus / processes;
  if (cpus < processes) last = (first = process % cpus) + 1;
  cpu_set_t part;
  CPU_ZERO(&part);
  for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if (seen >= first && seen < last) CPU_SET(cpu, &part);
    ++seen;
  }
  return part;
}

/// `reads`: it has the standard input, which is rank 0's.
[[noreturn]] void become(std::vector<std::string>& words, bool reads, pid_t parent, const cpu_set_t* cpus,
                         const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it is gone already
  if (!reads) {
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO), close(nothing);
  }
  if (cpus) sched_setaffinity(0, sizeof *cpus, cpus);
  for (const int signal : passed_on) ::signal(signal, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execv(words[0].c_str(), command::arguments_of(words).data());
  std::fprintf(stderr, "maslin-mpirun: %s cannot be run (%s)\n", words[0].c_str(), std::strerror(errno));
  _exit(2);
}

/// Gives the ranks as a message names them.
std::string named(const std::vector<int>& ranks) {
  if (ranks.size() == 1) return fmt::format("rank {}", ranks.front());
  const bool follow = ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
  if (follow) return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("{} ranks from {} to {}", ranks.size(), ranks.front(), ranks.back());
}

class job {
 public:
  job(shared_by_processes& shared, std::vector<int> process_of_rank, int processes)
      : shared_(shared), process_of_rank_(std::move(process_of_rank)), children_(static_cast<std::size_t>(processes)) {}

  void start(std::vector<std::string> words, std::size_t at, const std::string& place) {
    cpu_set_t all;
    const bool knows = sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0;
    const pid_t parent = getpid();
    const int processes = static_cast<int>(children_.size());
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "");
    const command::stops_held held;  // until all are among those that get them
    for (int process = 0; process < processes; ++process) {
      words[at] = fmt::format("{}/{}{}", process, processes, place);
      const cpu_set_t part = knows ? share_of(all, process, processes) : all;
      const pid_t pid = fork();
      if (pid == 0) become(words, process == process_of_rank_.front(), parent, knows ? &part : nullptr, held.before());
      if (pid < 0) {
        const int why = errno;
        end_all();
        throw maslin::error(
            fmt::format("the system gives no process {} of {} ({})", process, processes, std::strerror(why)));
      }
      children_[static_cast<std::size_t>(process)] = {pid, true, 0};
      pids[process] = pid;
      number_of_children = process + 1;
    }
  }

  /// Waits for all, and says what nobody else has said.
  void wait() {
    while (is_running()) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, 0);
      if (ended < 0) continue;
      const int process = note(ended, status);
      if (process < 0 || (WIFEXITED(status) && shared_.has_finished[process].load())) continue;
      if (shared_.end(shared_by_processes::most + 1) && signal_received == 0) {
        const std::string its = named(maslin::ranks_of_process(process_of_rank_, process));
        const std::string how =
            WIFSIGNALED(status)
                ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                : fmt::format("ended with status {} before its ranks had", WEXITSTATUS(status));
        std::fprintf(stderr, "maslin-mpirun: process %d (%s) %s\n", process, its.c_str(), how.c_str());
        culprit_ = process;
      }
      end_all();
    }
  }

  /// The job's status. If a rank has crashed, this ends as its process did.
  int status() const {
    const std::uint32_t by = shared_.ended_by.load();
    const int process = by > shared_by_processes::most ? culprit_ : static_cast<int>(by) - 1;
    if (process >= 0) {
      const int how = children_[static_cast<std::size_t>(process)].status;
      if (!WIFSIGNALED(how)) return WEXITSTATUS(how) == 0 ? 1 : WEXITSTATUS(how);
      if (by <= shared_by_processes::most) end_by(WTERMSIG(how));
      return 128 + WTERMSIG(how);
    }
    if (signal_received != 0) end_by(signal_received);
    for (const child& one : children_)
      if (WIFEXITED(one.status) && WEXITSTATUS(one.status) != 0) return WEXITSTATUS(one.status);
    return 0;
  }

 private:
  bool is_running() const {
    return std::any_of(children_.begin(), children_.end(), [](const child& one) { return one.runs; });
  }
  int note(pid_t ended, int status) {
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (children_[i].pid == ended) {
        children_[i].runs = false;
        children_[i].status = status;
        return static_cast<int>(i);
      }
    return -1;
  }
  /// They print what they have, and go by themselves; who does not is ended.
  void end_all() {
    constexpr int patience_ms = 3000, step_ms = 5;
    for (int waited = 0; is_running() && waited < patience_ms; waited += step_ms) {
      int status = 0;
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended > 0) note(ended, status);
      if (ended == 0) usleep(1000 * step_ms);
    }
    for (child& one : children_) {
      if (!one.runs) continue;
      kill(one.pid, SIGKILL);
      waitpid(one.pid, &one.status, 0);
      one.runs = false;
    }
  }
  [[noreturn]] static void end_by(int signal) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);  // the core is the rank's
    ::signal(signal, SIG_DFL);
    raise(signal);
    _exit(128 + signal);
  }

  shared_by_processes& shared_;
  const std::vector<int> process_of_rank_;
  int culprit_ = -1;  ///< the process that went without a word
  std::vector<child> children_;
};

}  // namespace

int launch(std::vector<std::string> words, std::size_t at, int ranks, int processes, const std::string& place) {
  std::vector<int> process_of_rank = in_processes(place, ranks, processes);
  const int file = shared_file("maslin-job"), messages = shared_file("maslin-messages");
  job all(make_shared(file), std::move(process_of_rank), processes);
  for (const int signal : passed_on) ::signal(signal, pass_on);
  all.start(std::move(words), at, fmt::format("/{}/{}/{}", file, messages, place));
  all.wait();
  return all.status();
}

}  // namespace mpi
