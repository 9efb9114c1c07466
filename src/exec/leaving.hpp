#pragma once
// What is left when a process ends while its tasks may run: by `exit` inside one of them, or by a signal. Reports and
// traces are completed; nothing that runs is stopped, and nothing that it uses is destroyed.

namespace maslin {

/// Completes the report and the trace, if there are any, for a process that ends by that signal (0: by itself). Any
/// thread but those that write them; who comes second waits for the first.
void leave_records(int signal = 0) noexcept;

/// While it lives, `leave_records` waits: somebody else completes them.
class records_kept {
 public:
  records_kept() noexcept;
  ~records_kept();
  records_kept(const records_kept&) = delete;
  records_kept& operator=(const records_kept&) = delete;
};

/// From now on SIGTERM, SIGINT and SIGHUP end the process after `leave_records`, where they would end it at once: a
/// handler of the program's own, and a signal that it ignores, stay as they are. Any thread, any number of times.
void watch_signals() noexcept;
/// That is over. Where such a signal has come it is what ends the process: then this does not return.
void unwatch_signals() noexcept;
/// In a forked child: none of this is its own.
void forget_leaving_after_fork() noexcept;

}  // namespace maslin
