#include "end.hpp"

#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include "output.hpp"
#include "places.hpp"
#include "processes.hpp"
#include "table.hpp"

namespace mpi {

namespace {

std::atomic<bool> is_ending{false};
shared_by_processes* job_of = nullptr;  ///< of several processes
int number_in_job = 0;

/// Past what ranks print.
void say(const std::string& text) { syscall(SYS_write, STDERR_FILENO, text.data(), text.size()); }

/// Where the program was when the signal came.
struct interrupted {
  const void* stack;
  const void* instruction;

  explicit interrupted(const void* machine) {
    const auto& registers = static_cast<const ucontext_t*>(machine)->uc_mcontext;
#if defined(__x86_64__)
    stack = reinterpret_cast<const void*>(registers.gregs[REG_RSP]);
    instruction = reinterpret_cast<const void*>(registers.gregs[REG_RIP]);
#else
    stack = reinterpret_cast<const void*>(registers.sp);
    instruction = reinterpret_cast<const void*>(registers.pc);
#endif
  }
};

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

void on_crash(int signal, siginfo_t* info, void* machine) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (const int one : crashes) sigaction(one, &plain, nullptr);
  const interrupted at(machine);
  void* frames[64];
  const int count = backtrace(frames, 64);
  const rank_of_process* mine = rank_at(at.stack);
  if (!mine) mine = rank_by_code({frames, static_cast<std::size_t>(count)});
  if (!mine || !claim_end()) {
    raise(signal);  // when this handler has returned
    return;
  }
  // What follows allocates, and the crash may have been within malloc: then this ends it.
  sigaction(SIGALRM, &plain, nullptr);
  alarm(10);
  std::string text = "maslin-mpirun: " + name_of(*mine) + ": " + strsignal(signal);
  if (signal == SIGSEGV || signal == SIGBUS) {
    char address[32];
    std::snprintf(address, sizeof address, " at address %p", info->si_addr);
    text += address;
  }
  for (int i = 0; i < count; ++i) {
    const bool is_same = i > 0 && frames[i] == frames[i - 1];  // a function that calls itself
    if (mine->program.contains(frames[i]) && !is_same)         // all others are where calls return
      text += "\n  from @:" + std::to_string(mine->program.offset(frames[i]) + (frames[i] == at.instruction));
  }
  flush_output();
  say(with_places(mine->said.program, text) + "\n");
  raise(signal);
}

}  // namespace

bool claim_end() noexcept { return job_of ? job_of->end(number_in_job + 1) : !is_ending.exchange(true); }

void join_job(shared_by_processes& shared, int process) {
  job_of = &shared;
  number_in_job = process;
  std::thread([] {
    if (job_of->wait_for_end() == number_in_job + 1) return;  // this process, which says why
    flush_output();
    if (job_of->ranks_left.load() > 0) _exit(1);
    std::fflush(nullptr);  // a thread has ended the last rank
    _exit(status_of_ranks());
  }).detach();
}

void end_job(int rank, int status, const char* text) {
  if (!claim_end())
    for (;;) pause();  // another rank ends it
  flush_output();
  say("maslin-mpirun: " + with_places(rank_numbered(rank).said.program, text) + "\n");
  _exit((status & 0xff) == 0 ? 1 : status & 0xff);
}

void watch_crashes() {
  void* frame;
  backtrace(&frame, 1);  // loads what it needs, which a crash is no time for
  for (const int signal : crashes) {
    struct sigaction ours {};
    ours.sa_sigaction = on_crash;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace mpi
