#pragma once
// The file in which this process says what its phases do, while they run and after (MASLIN_REPORT): what `maslin
// explain` reads. docs/decisions/run-reports.md says why a thread of its own writes it.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "exec/report_json.hpp"

namespace maslin {

/// One runtime's. Nothing is written, and there is no thread, before its first phase. Where the file cannot be written
/// it is not: a report is never the program's concern.
class report_file {
 public:
  /// `one_of_many`: its folder is there for such files only; so the oldest go when there are more than `most_kept`.
  report_file(std::string path, bool one_of_many, run_about run);
  ~report_file() { end(0); }
  report_file(const report_file&) = delete;
  report_file& operator=(const report_file&) = delete;

  static constexpr int most_kept = 32;

  // Any thread.
  void phase_begins() noexcept {
    begun_.fetch_add(1, std::memory_order_seq_cst);
    if (writer_.load(std::memory_order_seq_cst) != writer::looks) notify();
  }
  void phase_ends() noexcept { ended_.fetch_add(1, std::memory_order_release); }
  /// The runtime has ended, or the process ends, by that signal (0: none): writes that, and nothing after it.
  void end(int signal) noexcept;

  /// Something is to be told: makes the writer look.
  void notify() noexcept;

 private:
  enum class writer : std::uint8_t { is_none, looks, dozes };

  void run() noexcept;
  bool is_stopped_within(std::chrono::duration<double> time);
  /// Waits for the next phase, unless one has begun since so many had.
  void doze(std::int64_t over);
  std::chrono::duration<double> pause() const;
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  /// Writes what is new; gives how many phases had begun, if they all had ended by then, and otherwise -1.
  std::int64_t look();
  void write(bool ended);

  const std::string path_;
  const bool one_of_many_;
  run_about run_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();

  std::atomic<std::int64_t> begun_{0};
  std::atomic<std::int64_t> ended_{0};
  // Whoever begins a phase adds to `begun_`, then reads this; the writer says that it dozes, then reads `begun_`. All
  // four are sequentially consistent, so one of them sees the other and no phase goes unseen.
  std::atomic<writer> writer_{writer::is_none};

  base::mutex lock_;
  base::condition wake_;
  bool stopping_ MASLIN_GUARDED_BY(lock_) = false;
  int signal_ = 0;      // written under lock_, before stopping_
  std::thread thread_;  // made under lock_

  // The writer's.
  std::pair<std::int64_t, std::uint64_t> seen_;  ///< phases begun, and changes of the reports
  double wrote_at_ = -1;                         ///< when it wrote last, in seconds since the runtime began
};

/// A runtime begins: its phases are reported to the file that MASLIN_REPORT names. Otherwise, but not for a described
/// machine (which `described` names; null: this one) nor the later ranks of a job, to one in the user's folder.
void begin_reporting(int workers, const char* described) noexcept;
/// The runtime has ended.
void end_reporting() noexcept;
/// The process ends, by that signal (0: by itself), while phases may run.
void leave_reporting(int signal) noexcept;
/// In a forked child: the file is its parent's.
void forget_reporting_after_fork() noexcept;

/// Gives the runtime's; null when nothing is reported.
report_file* reporting() noexcept;

/// A phase, as its caller sees it. It may begin on one thread and end on another.
class reported_phase {
 public:
  reported_phase() noexcept : to_(reporting()) {
    if (to_) to_->phase_begins();
  }
  ~reported_phase() {
    if (to_) to_->phase_ends();
  }
  reported_phase(const reported_phase&) = delete;
  reported_phase& operator=(const reported_phase&) = delete;

 private:
  report_file* to_;
};

}  // namespace maslin
