#include "phylo/run/monitor.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "cli/shared/terminal.hpp"
#include "phylo/run/draw.hpp"
#include "phylo/run/sizing.hpp"

namespace phylo {

namespace {

constexpr long look_ms = 100;           // between two looks at signals and the bar; short enough to feel immediate
constexpr double log_line_seconds = 5;  // between two lines where there is no terminal
constexpr std::chrono::milliseconds same_signal{300};  // what comes to a job within that time counts as one

/// Tells the watching thread to look now. Nothing happens to a thread that does not wait for it.
constexpr int look_now = SIGURG;

/// The latest signal that came to another thread than the watching one; 0: none.
std::atomic<int> noted_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);  // as a handler needs it
std::chrono::milliseconds same_within{0};
void note_signal(int signal) { noted_signal.store(signal, std::memory_order_relaxed); }

sigset_t stop_set() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

std::string format_time(double seconds) {
  const auto whole = static_cast<long>(std::lround(std::max(0.0, seconds)));
  if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

int stderr_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

StopSignals::StopSignals(bool of_job) : of_job_(of_job) {
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  same_within = of_job_ ? same_signal : same_signal.zero();
  if (!of_job_) return;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, note_signal);
}

StopSignals::~StopSignals() {
  if (of_job_)
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  const sigset_t set = stop_set();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

std::optional<double> estimate_left(int done, int total, double elapsed_seconds) {
  if (done <= 0) return std::nullopt;
  return elapsed_seconds * (total - done) / done;
}

std::string format_progress(const ProgressState& state, int columns, bool unicode) {
  std::string facts;
  if (state.lnl) facts += fmt::format("  lnL {:.2f}", *state.lnl);
  if (!state.note.empty()) facts += "  " + state.note;
  facts += fmt::format("  {} elapsed", format_time(state.elapsed_seconds));
  if (state.left_seconds) facts += fmt::format(", {} left", format_time(*state.left_seconds));
  if (state.phase) {
    const maslin::phase_report& phase = *state.phase;
    facts += fmt::format("  {}", to_string(phase.current));
    facts += !phase.pinned_by.empty() ? " pinned" : phase.chosen ? "" : " sampling";
  }
  const std::string count = fmt::format("{} {}/{}", state.unit, state.done, state.total);
  if (columns == 0) return count + facts;

  const int room = columns - 1 - static_cast<int>(count.size() + facts.size()) - 3;
  std::string line = count;
  if (room >= 5) {
    const int cells = std::min(room, 30);
    const int full = state.total > 0 ? static_cast<int>(static_cast<long>(cells) * state.done / state.total) : 0;
    line += unicode ? " " : " [";
    for (int i = 0; i < cells - (unicode ? 0 : 1); ++i)
      line += i < full ? (unicode ? "█" : "#") : (unicode ? "░" : ".");
    if (!unicode) line += "]";
  }
  line += facts;
  if (static_cast<int>(columns_of(line)) > columns - 1)
    line = line.substr(0, static_cast<std::size_t>(std::max(0, columns - 1)));
  return line;
}

Monitor::Monitor(int total, int restored, const char* phase, bool quiet, const char* unit, const char* kept, Log* log)
    : restored_(restored),
      phase_(phase),
      quiet_(quiet),
      unit_(unit),
      kept_(kept),
      log_(log),
      terminal_(command::stderr_can_be_redrawn()),
      unicode_(command::locale_is_utf8()),
      begin_(std::chrono::steady_clock::now()),
      total_(total),
      thread_([this] { watch(); }) {}

Monitor::~Monitor() {
  ending_.store(true, std::memory_order_relaxed);
  pthread_kill(thread_.native_handle(), look_now);
  thread_.join();
  show(true);
}

void Monitor::reached(TreeId id, double lnl) {
  const std::lock_guard guard(mutex_);
  latest_ = lnl;
  if (id.purpose == Purpose::search && (!best_search_ || lnl > *best_search_)) best_search_ = lnl;
}

void Monitor::finished(TreeId id, double lnl) {
  reached(id, lnl);
  const std::lock_guard guard(mutex_);
  ++computed_;
  if (log_)
    log_->add(fmt::format("{}: log-likelihood {:.6f}; {} of {} {} done", to_string(id), lnl, restored_ + computed_,
                          total_, unit_));
}

void Monitor::advanced(int done, double lnl, const std::string& note) {
  const std::lock_guard guard(mutex_);
  computed_ = done - restored_;
  latest_ = lnl;
  note_ = note;
}

void Monitor::advanced(int done) {
  const std::lock_guard guard(mutex_);
  computed_ = std::max(computed_, done - restored_);
}

void Monitor::set_total(int total) {
  const std::lock_guard guard(mutex_);
  total_ = total;
}

void Monitor::say(const std::string& line) {
  const std::lock_guard guard(mutex_);
  clear_bar();
  command::tell("maslin-phylo: " + line + "\n");
  if (log_) log_->add(line);
}

void Monitor::watch() {
  sigset_t set = stop_set();
  sigaddset(&set, look_now);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // it is kept for this thread, then, until it waits
  const timespec pause{0, look_ms * 1000000};
  auto last_line = begin_;
  auto first_signal = begin_;
  if (terminal_) show(false);
  while (!ending_.load(std::memory_order_relaxed)) {
    int heard = sigtimedwait(&set, nullptr, &pause);
    if (heard <= 0 || heard == look_now) heard = noted_signal.exchange(0, std::memory_order_relaxed);
    if (heard > 0 && !(stopping() && std::chrono::steady_clock::now() - first_signal < same_within)) {
      first_signal = std::chrono::steady_clock::now();
      if (stopping()) {
        // Asked twice: at once, by the signal itself. Finished trees are on the disk anyway.
        std::signal(heard, SIG_DFL);
        pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
        std::raise(heard);
      }
      signal_.store(heard, std::memory_order_relaxed);
      say(fmt::format("stopping; {} are kept (once more to stop at once)", kept_));
    }
    const auto now = std::chrono::steady_clock::now();
    if (quiet_) continue;
    if (terminal_) {
      show(false);
    } else if (std::chrono::duration<double>(now - last_line).count() >= log_line_seconds) {
      last_line = now;
      show(false);
    }
  }
}

ProgressState Monitor::state() const {
  ProgressState state;
  state.done = std::min(restored_ + computed_, total_);
  state.total = total_;
  state.unit = unit_;
  state.note = note_;
  state.lnl = best_search_ ? best_search_ : latest_;
  state.elapsed_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  state.left_seconds = estimate_left(computed_, total_ - restored_, state.elapsed_seconds);
  state.phase = maslin::report(phase_);
  return state;
}

void Monitor::show(bool last) {
  if (quiet_) return;
  const std::lock_guard guard(mutex_);
  if (!terminal_) {
    command::tell("maslin-phylo: " + format_progress(state(), 0, unicode_) + "\n");
    return;
  }
  clear_bar();
  command::tell(format_progress(state(), stderr_columns(), unicode_) + (last ? "\n" : ""));
  bar_shown_ = !last;
}

void Monitor::clear_bar() {
  if (bar_shown_) command::tell("\r\x1b[K");
  bar_shown_ = false;
}

}  // namespace phylo
