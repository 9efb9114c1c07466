#include "cli/shared/stopping.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <utility>

namespace command {

namespace {

constexpr int stops[] = {SIGINT, SIGHUP, SIGTERM};

// A handler may read only what is lock-free, and call only what signal-safety(7) lists.
std::array<std::atomic<const char*>, 64> to_remove{};
std::atomic<pid_t> child{0};
std::atomic<bool> line_shown{false};

void stop(int signal) {
  const int before = errno;  // of who was interrupted, and goes on until the signal comes
  if (const pid_t running = child.load(); running > 0) {
    kill(running, signal);
    waitpid(running, nullptr, 0);
  }
  for (std::size_t i = to_remove.size(); i-- > 0;)  // what came last lies innermost
    if (const char* const path = to_remove[i].load())
      if (unlink(path) != 0) rmdir(path);
  constexpr char wipe[] = "\r\033[K";
  if (line_shown.load() && write(STDERR_FILENO, wipe, sizeof wipe - 1) < 0) {
    // Nobody sees it then.
  }
  raise(signal);  // the handler is there once, so this is the default; it comes when the handler returns
  errno = before;
}

}  // namespace

void tidy_up_when_stopped() {
  for (const int signal : stops) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction ours {};
    ours.sa_handler = stop;
    ours.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

removed_when_stopped::removed_when_stopped(std::string path) : path_(std::move(path)), place_(-1) {
  for (std::size_t i = 0; i < to_remove.size() && place_ < 0; ++i) {
    const char* nothing = nullptr;
    if (to_remove[i].compare_exchange_strong(nothing, path_.c_str())) place_ = static_cast<int>(i);
  }
}

removed_when_stopped::~removed_when_stopped() {
  if (place_ >= 0) to_remove[static_cast<std::size_t>(place_)].store(nullptr);
}

stopped_too::stopped_too(pid_t running) { child.store(running); }
stopped_too::~stopped_too() { child.store(0); }

stops_held::stops_held() {
  sigset_t all;
  sigemptyset(&all);
  for (const int signal : stops) sigaddset(&all, signal);
  pthread_sigmask(SIG_BLOCK, &all, &before_);
}
stops_held::~stops_held() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void line_is_shown(bool shown) { line_shown.store(shown); }

}  // namespace command
