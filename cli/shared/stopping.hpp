#pragma once
// What a command does when Ctrl-C, a closed terminal or `kill` stops it: it tidies up, and then ends by that signal, so
// that a shell which runs it in a loop stops as well.

#include <sys/types.h>

#include <csignal>
#include <string>

namespace command {

/// Has SIGINT, SIGHUP and SIGTERM do so from now on; one that the parent had ignored stays ignored.
void tidy_up_when_stopped();

/// A file, or a folder behind the files in it, that is removed if the command is stopped while this lives.
class removed_when_stopped {
 public:
  explicit removed_when_stopped(std::string path);
  ~removed_when_stopped();
  removed_when_stopped(const removed_when_stopped&) = delete;
  removed_when_stopped& operator=(const removed_when_stopped&) = delete;

 private:
  std::string path_;
  int place_;
};

/// A child that gets the signal too, and is waited for, while this lives.
class stopped_too {
 public:
  explicit stopped_too(pid_t child);
  ~stopped_too();
  stopped_too(const stopped_too&) = delete;
  stopped_too& operator=(const stopped_too&) = delete;
};

/// Holds back SIGINT, SIGHUP and SIGTERM while it lives.
class stops_held {
 public:
  stops_held();
  ~stops_held();
  stops_held(const stops_held&) = delete;
  stops_held& operator=(const stops_held&) = delete;
  /// Gives the signals that were held back before.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

/// Says that a line on the standard error is half-written, and is to be wiped out.
void line_is_shown(bool shown);

}  // namespace command
