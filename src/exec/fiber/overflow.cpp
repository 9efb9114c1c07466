#include "exec/fiber/overflow.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "base/sanitizers.hpp"
#include "exec/fiber/stacks.hpp"
#include "exec/what_runs.hpp"
#include "task/context.hpp"

namespace maslin::overflow {

namespace {

constinit std::atomic<const fiber_stacks*> watched{nullptr};
constinit std::atomic<answer (*)(const siginfo_t&, const void*) noexcept> asked{nullptr};

constexpr std::uint64_t kib = 1024;

/// Nothing is allocated: what overflowed may have been inside malloc.
void tell(const fiber_stacks* stacks, std::string_view how) noexcept {
  fixed_text out;
  out << "maslin: the stack of a fiber is too small for what runs on it: ";
  say_what_runs(known_context(), out);
  out << ". " << how;
  if (stacks) {
    const std::uint64_t size = stacks->bytes() / kib;
    const bool in_mebibytes = size % kib == 0;
    out << "A stack has MASLIN_STACK=" << (in_mebibytes ? size / kib : size) << (in_mebibytes ? "M" : "K")
        << "; set it to more, or keep large local data on the heap";
  }
  out << "\n";
  const std::string_view text = out.view();
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

#if !defined(MASLIN_ASAN) && !defined(MASLIN_TSAN)

constexpr int faults[] = {SIGSEGV, SIGBUS};
struct sigaction before[2];
const struct sigaction& before_of(int signal) { return before[signal == SIGBUS]; }

/// The fault is not ours: the program's own action follows.
void pass_on(int signal, siginfo_t* info, void* machine) noexcept {
  const struct sigaction& theirs = before_of(signal);
  if (theirs.sa_flags & SA_SIGINFO) return theirs.sa_sigaction(signal, info, machine);
  if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) return theirs.sa_handler(signal);
  const bool was_sent = info->si_code <= 0;  // by kill, say: the access does not fault again
  if (was_sent && theirs.sa_handler == SIG_IGN) return;
  sigaction(signal, &theirs, nullptr);
  if (was_sent) raise(signal);
}

/// The access faults once more, and then as if we were not there.
void leave_to_others(int signal) noexcept { sigaction(signal, &before_of(signal), nullptr); }

void on_fault(int signal, siginfo_t* info, void* machine) noexcept {
  const int error = errno;
  const fiber_stacks* stacks = watched.load(std::memory_order_acquire);
  if (info->si_code > 0 && stacks && stacks->contains(info->si_addr)) {
    tell(stacks, "");
    leave_to_others(signal);
  } else {
    const auto about = info->si_code > 0 ? asked.load(std::memory_order_acquire) : nullptr;
    const answer what = about ? about(*info, machine) : answer::not_mine;
    if (what == answer::told) leave_to_others(signal);
    if (what == answer::not_mine) pass_on(signal, info, machine);
  }
  errno = error;
}

bool install() noexcept {
  static const bool installed = [] {
    for (const int signal : faults) {
      struct sigaction& theirs = before[signal == SIGBUS];
      if (sigaction(signal, nullptr, &theirs) != 0) return false;
      struct sigaction ours = {};
      ours.sa_sigaction = on_fault;
      ours.sa_mask = theirs.sa_mask;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | (theirs.sa_flags & (SA_NODEFER | SA_RESTART));
      sigaction(signal, &ours, nullptr);
    }
    return true;
  }();
  return installed;
}

/// A thread's stack for signals, where the program gave it none.
class signal_stack {
 public:
  signal_stack() noexcept {
    stack_t now;
    if (sigaltstack(nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;  // then the process ends without the message
    memory_ = memory;
    const stack_t ours{memory_, 0, bytes};
    sigaltstack(&ours, nullptr);
  }
  ~signal_stack() {
    if (!memory_) return;
    stack_t now;
    if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {
      const stack_t none{nullptr, SS_DISABLE, 0};
      sigaltstack(&none, nullptr);
    }
    munmap(memory_, bytes);
  }
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

 private:
  static constexpr std::size_t bytes = 64 * kib;  // the processor's state, the message, and the program's own handler
  void* memory_ = nullptr;
};

#endif

}  // namespace

// The sanitizers have handlers of their own, which say where.
#if defined(MASLIN_ASAN) || defined(MASLIN_TSAN)
void watch(const fiber_stacks& stacks) noexcept { watched.store(&stacks, std::memory_order_release); }
void watch_this_thread() noexcept {}
void ask(answer (*about)(const siginfo_t&, const void*) noexcept) noexcept {
  asked.store(about, std::memory_order_release);
}
#else
void ask(answer (*about)(const siginfo_t&, const void*) noexcept) noexcept {
  asked.store(about, std::memory_order_release);
  install();
}
void watch(const fiber_stacks& stacks) noexcept {
  install();
  watched.store(&stacks, std::memory_order_release);
}
void watch_this_thread() noexcept {
  static thread_local const signal_stack own;
  (void)own;
}
#endif

void watch_no_more(const fiber_stacks& stacks) noexcept {
  const fiber_stacks* expected = &stacks;
  watched.compare_exchange_strong(expected, nullptr, std::memory_order_relaxed);
}

void found() noexcept {
  tell(watched.load(std::memory_order_acquire),
       "It had no guard, so data of others may be overwritten, and it was seen only when the fiber was left. ");
  std::abort();
}

}  // namespace maslin::overflow
