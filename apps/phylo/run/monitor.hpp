#pragma once
// Watches a run: shows how far it is, and hears SIGINT and SIGTERM.

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "maslin/phase.hpp"
#include "phylo/run/checkpoint.hpp"
#include "phylo/run/log.hpp"

namespace phylo {

/// Keeps SIGINT and SIGTERM from ending the process while it lives; a Monitor hears them. Make it before the runtime
/// starts, so that its workers inherit the mask. A rank of a job may find workers there already, which take signals,
/// too; and a terminal's signal may come twice, since maslin-mpirun passes it on: what comes at once counts as one.
class StopSignals {
 public:
  explicit StopSignals(bool of_job = false);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  bool of_job_;
};

/// What the progress display says at one moment.
struct ProgressState {
  int done = 0;   ///< finished trees or generations, those from the checkpoint included
  int total = 0;  ///< of the whole run
  const char* unit = "trees";
  std::optional<double> lnl;
  double elapsed_seconds = 0;
  std::optional<double> left_seconds;
  std::optional<maslin::phase_report> phase;
  std::string note;  ///< a further fact; may be empty
};

/// Gives the display as one line of at most `columns` columns with a bar, or, with 0 columns, as a sentence for a log.
std::string format_progress(const ProgressState& state, int columns, bool unicode);

/// Gives the time that is left when `done` of `total` trees took so long; nothing before the first is done.
std::optional<double> estimate_left(int done, int total, double elapsed_seconds);

/// Shows progress on standard error from its own thread while it lives: a bar on a terminal, else a line every few
/// seconds.
class Monitor {
 public:
  /// `total` trees (or what `unit` says) are asked for, `restored` of them were finished before. `phase` is what
  /// ms::report is asked for; `kept` says what a stopped run keeps. What is said and finished goes to the log, too, if
  /// there is one.
  Monitor(int total, int restored, const char* phase, bool quiet, const char* unit = "trees",
          const char* kept = "finished trees", Log* log = nullptr);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  /// A running search has come to this log-likelihood. Of the searches on the alignment itself the best is shown; of
  /// replicates, whose values can't be compared, the latest when there is nothing else.
  void reached(TreeId id, double lnl);
  void finished(TreeId id, double lnl);
  /// So much of the total is done, the latest with this log-likelihood.
  void advanced(int done, double lnl, const std::string& note);
  void advanced(int done);
  /// Prints a line without disturbing the bar.
  void say(const std::string& line);
  /// So many are asked for now; more may be there.
  void set_total(int total);

  /// Whether the run was asked to stop; then by which signal.
  bool stopping() const { return signal_.load(std::memory_order_relaxed) != 0; }
  int signal() const { return signal_.load(std::memory_order_relaxed); }

 private:
  void watch();
  void show(bool last);
  void clear_bar();
  ProgressState state() const;

  const int restored_;
  const char* const phase_;
  const bool quiet_;
  const char* const unit_;
  const char* const kept_;
  Log* const log_;
  const bool terminal_;
  const bool unicode_;
  const std::chrono::steady_clock::time_point begin_;

  mutable std::mutex mutex_;  // guards what follows, and the order of lines on standard error
  int total_;
  int computed_ = 0;
  std::optional<double> best_search_;
  std::optional<double> latest_;
  std::string note_;
  bool bar_shown_ = false;

  std::atomic<int> signal_{0};  // relaxed: a flag that says nothing about other memory
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

}  // namespace phylo
