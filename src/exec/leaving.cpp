#include "exec/leaving.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>

#include "base/mutex.hpp"
#include "exec/report_file.hpp"
#include "trace/recorder.hpp"

// A handler may do little: it wakes a thread of ours, which saves the records and then ends the process by the same
// signal. Meanwhile the thread that was interrupted stays in the handler, so that it sees no call fail with EINTR and
// does nothing more. It may hold a lock that saving needs, say the allocator's: so it goes on after a while.

namespace maslin {

namespace {

constexpr int watched[] = {SIGTERM, SIGINT, SIGHUP};
constexpr int most_ms_in_handler = 100;
/// Several of them often come at once, from a shell and a batch system. Who sends another after this time, in seconds,
/// does not want to wait any longer.
constexpr time_t patience = 2;

std::mutex saving;

// For the handler: lock-free atomics and a semaphore.
std::atomic<int> caught{0};
std::atomic<time_t> caught_at{0};
std::atomic<pid_t> watching{0};  ///< the process that has the thread; 0: none
sem_t roused;

base::mutex lock;
pthread_t thread MASLIN_GUARDED_BY(lock);  // while `watching`

time_t now_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

/// Inside a handler of that signal the process ends when the handler returns.
void end_by(int signal) noexcept {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  sigaction(signal, &plain, nullptr);
  raise(signal);
}

/// The same elsewhere, where the thread may not get signals.
void end_now_by(int signal) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  end_by(signal);
}

void on_signal(int signal) noexcept {
  const int error = errno;
  int none = 0;
  // A child that shares our memory and has not called exec yet.
  const bool is_child = watching.load() != getpid();
  if (!is_child && caught.compare_exchange_strong(none, signal)) {
    caught_at.store(now_seconds());
    // Who ends the watch says so, then looks at `caught`: one of the two sees the other.
    if (watching.load() == 0) end_by(signal);
    sem_post(&roused);
    for (int i = 0; i < most_ms_in_handler && watching.load() != 0; ++i) poll(nullptr, 0, 1);
  } else {
    const time_t at = caught_at.load();  // 0: it has just been caught, by another thread
    if (is_child || (at != 0 && now_seconds() - at >= patience)) end_by(signal);
  }
  errno = error;
}

bool is_ours(int signal) noexcept {
  struct sigaction there {};
  return sigaction(signal, nullptr, &there) == 0 && there.sa_handler == on_signal;
}

void be_default(int signal) noexcept {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  if (is_ours(signal)) sigaction(signal, &plain, nullptr);
}

void* wait_for_signal(void*) {
  while (sem_wait(&roused) != 0) {
  }
  const int signal = caught.load();
  if (signal == 0) return nullptr;
  leave_records(signal);
  end_now_by(signal);
  return nullptr;
}

/// The last handlers of an exit are those that the loader began with. A second thread that calls `exit` comes here past
/// those that the first is in.
[[gnu::destructor]] void at_the_last() noexcept { leave_records(); }

}  // namespace

void leave_records(int signal) noexcept {
  const std::lock_guard held(saving);
  leave_reporting(signal);
  trace::leave();
}

records_kept::records_kept() noexcept { saving.lock(); }
records_kept::~records_kept() { saving.unlock(); }

void watch_signals() noexcept {
  const base::locked held(lock);
  if (watching.load() != 0 || sem_init(&roused, 0, 0) != 0) return;
  sigset_t every, mine;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &mine);
  const bool made = pthread_create(&thread, nullptr, wait_for_signal, nullptr) == 0;
  pthread_sigmask(SIG_SETMASK, &mine, nullptr);
  if (!made) return;
  pthread_setname_np(thread, "maslin-signals");
  watching.store(getpid());
  struct sigaction ours {};
  ours.sa_handler = on_signal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  for (const int signal : watched) sigaddset(&ours.sa_mask, signal);
  for (const int signal : watched) {
    struct sigaction there {};
    if (sigaction(signal, nullptr, &there) != 0 || (there.sa_flags & SA_SIGINFO) != 0 || there.sa_handler != SIG_DFL)
      continue;
    sigaction(signal, &ours, nullptr);
  }
}

void unwatch_signals() noexcept {
  const base::locked held(lock);
  if (watching.load() == 0) return;
  for (const int signal : watched) be_default(signal);
  if (caught.load() == 0) {
    sem_post(&roused);
    pthread_join(thread, nullptr);
    watching.store(0);
  }
  const int signal = caught.load();
  if (signal == 0) return;
  if (watching.load() == 0) end_now_by(signal);
  for (;;) pause();
}

void forget_leaving_after_fork() noexcept {
  new (&lock) base::mutex;
  new (&saving) std::mutex;
  if (watching.exchange(0) == 0) return;
  for (const int signal : watched) be_default(signal);
  caught.store(0);
}

}  // namespace maslin
