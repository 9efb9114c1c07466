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
#include <ctime>

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

// A signal to maslin-mpirun is one to all. The first three end the job.
constexpr int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
volatile sig_atomic_t number_of_children = 0, signal_received = 0;
pid_t pids[shared_by_processes::most];

constexpr int patience_ms = 3000, notice_ms = 10'000, step_ms = 5;

void pass_on(int signal) {
  if (signal != SIGUSR1 && signal != SIGUSR2) signal_received = signal;
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

/// `reads`: it has the standard input, which is rank 0's. `on_signal`: what signals to all do to it.
[[noreturn]] void become(std::vector<std::string>& words, bool reads, pid_t parent, const cpu_set_t* cpus,
                         const sigset_t& mask, void (*on_signal)(int) = SIG_DFL) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it is gone already
  if (!reads) {
    const int nothing = open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO), close(nothing);
  }
  if (cpus) sched_setaffinity(0, sizeof *cpus, cpus);
  for (const int signal : passed_on) ::signal(signal, on_signal);
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

std::string how_ended(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
                             : fmt::format("ended with status {}", WEXITSTATUS(status));
}

/// Has it printed what nobody reads any more, as before `head`?
bool is_unread(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE; }

/// The processes of a node.
class job {
 public:
  job(shared_by_processes& shared, int processes) : shared_(shared), children_(static_cast<std::size_t>(processes)) {}

  /// Starts the forwarder, which finds the other nodes; false if it has said why there is no job.
  bool join_nodes(std::vector<std::string> words) {
    const pid_t pid = start_forwarder(words);
    for (int waited = 0; shared_.nodes.load() == 0; waited += step_ms) {
      const timespec some{0, 1'000'000L * step_ms};
      syscall(SYS_futex, &shared_.nodes, FUTEX_WAIT, 0, &some, nullptr, 0);
      if (signal_received != 0) end_by(signal_received);  // the forwarder goes with this process
      if (waited == notice_ms)
        std::fprintf(stderr, "maslin-mpirun: --nodes waits for other nodes; each must be started with --nodes\n");
      int status = 0;
      if (waitpid(pid, &status, WNOHANG) != pid) continue;
      note(pid, status);
      if (shared_.nodes.load() == 0) throw maslin::error("the forwarder between nodes " + how_ended(status));
    }
    if (shared_.nodes.load() == shared_by_processes::refused) return end_forwarder(), false;
    nodes_ = shared_.nodes.load();
    if (nodes_ == 1) end_forwarder();
    return true;
  }

  void start(std::vector<std::string> words, std::size_t at, std::vector<std::string> files, int ranks,
             const std::string& place) {
    cpu_set_t all;
    const bool knows = sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0;
    const pid_t parent = getpid();
    const int processes = static_cast<int>(children_.size()), count = nodes_ * processes;
    first_ = shared_.node.load() * processes;
    process_of_rank_ = in_processes(place, ranks, count);
    shared_.ranks_left.store(static_cast<std::int32_t>(
        std::ranges::count_if(process_of_rank_, [&](int its) { return its >= first_ && its < first_ + processes; })));
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), "");
    const command::stops_held held;  // until all are among those that get them
    for (int process = 0; process < processes; ++process) {
      const int number = first_ + process;
      words[at] =
          fmt::format("{}/{}/{}/{}/{}/{}", number, count, nodes_ > 1 ? processes : 0, files[0], files[1], place);
      const cpu_set_t part = knows ? share_of(all, process, processes) : all;
      const pid_t pid = fork();
      if (pid == 0) become(words, number == process_of_rank_.front(), parent, knows ? &part : nullptr, held.before());
      if (pid < 0) {
        const int why = errno;
        end_all();
        throw maslin::error(
            fmt::format("the system gives no process {} of {} ({})", number, count, std::strerror(why)));
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
      const int place = note(ended, status), process = first_ + place;
      if (place < 0 && ended != forwarder_.pid) continue;  // a child of who was here before this program
      if (place >= 0 && WIFEXITED(status) && shared_.has_finished[process].load()) continue;
      if (shared_.end(shared_by_processes::launcher) && signal_received == 0) {
        if (place < 0) {
          std::fprintf(stderr, "maslin-mpirun: the forwarder between nodes %s\n", how_ended(status).c_str());
        } else if (!is_unread(status)) {  // there nobody wants to be told
          const std::string its = named(maslin::ranks_of_process(process_of_rank_, process));
          std::fprintf(stderr, "maslin-mpirun: process %d (%s) %s%s\n", process, its.c_str(), how_ended(status).c_str(),
                       WIFEXITED(status) ? " before its ranks had" : "");
        }
        culprit_ = place < 0 ? &forwarder_ : &children_[static_cast<std::size_t>(place)];
      }
      end_all();
    }
  }

  /// The job's status. If a rank has crashed, this ends as its process did.
  int status() {
    const ending own = own_ending();
    if (nodes_ > 1) return status_of_nodes(own.signal != 0 ? 128 + own.signal : own.status);
    if (own.signal != 0) end_by(own.signal);
    return own.status;
  }

 private:
  /// With which status this ends, or by which signal.
  struct ending {
    int status = 0, signal = 0;
  };
  ending own_ending() const {
    const std::uint32_t by = shared_.ended_by.load();
    const bool is_process = by > 0 && by <= shared_by_processes::most;
    const child* const culprit = is_process ? &children_[by - 1 - static_cast<std::uint32_t>(first_)] : culprit_;
    const bool have_ended = is_process && WIFEXITED(culprit->status) && shared_.ranks_left.load() == 0;
    if (culprit && !have_ended) {
      const int how = culprit->status;
      if (!WIFSIGNALED(how)) return {WEXITSTATUS(how) == 0 ? 1 : WEXITSTATUS(how)};
      if (is_process || is_unread(how)) return {0, WTERMSIG(how)};
      return {128 + WTERMSIG(how)};
    }
    if (signal_received != 0) return {0, signal_received};
    if (by == shared_by_processes::another_node) return {};  // which says it
    for (const child& one : children_)
      if (WIFEXITED(one.status) && WEXITSTATUS(one.status) != 0) return {WEXITSTATUS(one.status)};
    return {};
  }
  pid_t start_forwarder(std::vector<std::string>& words) {
    const command::stops_held held;
    const pid_t parent = getpid(), pid = fork();
    if (pid == 0) become(words, false, parent, nullptr, held.before(), SIG_IGN);
    if (pid < 0) throw maslin::error(fmt::format("the system gives no process ({})", std::strerror(errno)));
    forwarder_ = {pid, true, 0};
    return pid;
  }
  /// Tells the others the status of this node, and gives that of all.
  int status_of_nodes(int own) {
    shared_.status_here.store(own + 1);
    end_forwarder();
    const int all = shared_.status_of_job.load();
    return all > 0 ? all - 1 : own != 0 ? own : 1;
  }
  /// It goes when all nodes have said their status. If the job has ended before its time, or is told to end, it is not
  /// waited for much longer than it waits for the others.
  void end_forwarder() {
    for (int waited = 0; forwarder_.runs; waited += step_ms) {
      int status = 0;
      if (waitpid(forwarder_.pid, &status, WNOHANG) == forwarder_.pid) note(forwarder_.pid, status);
      const bool is_to_end = shared_.ended_by.load() != 0 || signal_received != 0;
      if (waited > 2 * patience_ms && is_to_end) kill(forwarder_.pid, SIGKILL);
      if (forwarder_.runs) usleep(1000 * step_ms);
    }
  }

  bool is_running() const {
    return std::any_of(children_.begin(), children_.end(), [](const child& one) { return one.runs; });
  }
  /// Gives its place among the processes, or -1.
  int note(pid_t ended, int status) {
    if (ended == forwarder_.pid) forwarder_ = {ended, false, status};
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
  std::vector<int> process_of_rank_;
  int first_ = 0;  ///< the number of this node's first process
  int nodes_ = 1;
  const child* culprit_ = nullptr;  ///< who went without a word
  std::vector<child> children_;
  child forwarder_;
};

}  // namespace

int launch(std::vector<std::string> words, std::size_t at, int ranks, int processes, const std::string& place,
           const std::string& forwarder) {
  const int file = shared_file("maslin-job");
  const std::vector<std::string> files{std::to_string(file), std::to_string(shared_file("maslin-messages"))};
  job all(make_shared(file), processes);
  for (const int signal : passed_on) ::signal(signal, pass_on);
  if (!forwarder.empty() &&
      !all.join_nodes({forwarder, std::to_string(ranks), std::to_string(processes), files[0], files[1], place}))
    return 2;
  all.start(std::move(words), at, files, ranks, place);
  all.wait();
  return all.status();
}

}  // namespace mpi
