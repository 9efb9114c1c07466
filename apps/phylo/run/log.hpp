#pragma once
// PREFIX.log: what a run did and when, a line each, as it happens. A run that continues another one adds to its log.

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

namespace phylo {

/// Thrown when a signal has stopped the run.
struct Stopped {
  int signal;
  int done;
  int total;
  const char* unit = "trees";
};

/// Lines go to the file at once, so that others can follow it. If one cannot be written (a full disk), that is said
/// once on standard error and the run goes on without its log: no tree depends on it.
class Log {
 public:
  /// Opens the file behind what is in it and says who begins, when and how. Throws `input_error` if that cannot be done
  /// or it is no regular file.
  Log(const std::string& path, std::string_view command_line);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  const std::string& path() const { return path_; }
  /// Adds a text of one or more lines, the first with the seconds since the run began. From any thread.
  void add(std::string_view text);

 private:
  void write(const std::string& text);

  const std::string path_;
  const std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  int file_ = -1;
};

/// Does the work of a run, and says in its log how that ended if it threw.
template <class Work>
void logged(Log& log, Work&& work) {
  try {
    work();
  } catch (const Stopped& stopped) {
    log.add(fmt::format("stopped by signal {}: {} of {} {} are finished", stopped.signal, stopped.done, stopped.total,
                        stopped.unit));
    throw;
  } catch (const std::exception& problem) {
    log.add(problem.what());
    throw;
  }
}

}  // namespace phylo
