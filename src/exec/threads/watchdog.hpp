#pragma once
// MASLIN_WATCHDOG: when all workers are idle while somebody waits, or nothing has ended for very long, says who waits
// for what.

#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

namespace maslin {

class threads_executor;
struct task_fiber;

/// How long nothing may end before the watchdog speaks.
struct patience {
  double idle_seconds = 0;    ///< while all workers are idle and something waits; 0: there is no watchdog
  double busy_seconds = 120;  ///< while a worker is busy
};
/// Gives MASLIN_WATCHDOG. Throws `error`.
patience patience_from_environment();
patience parse_patience(std::string_view text);

class watchdog {
 public:
  explicit watchdog(threads_executor& exec) : exec_(exec), patience_(patience_from_environment()) {}
  void begin();
  void end() { thread_ = {}; }

 private:
  template <class Visit>
  void for_each_fiber(Visit&& visit);
  std::vector<task_fiber*> all_fibers();
  /// Does the worker sleep, or stand empty?
  bool is_idle(int index) const;
  void watch(const std::stop_token& stop);
  void print_state(double seconds);

  threads_executor& exec_;
  const patience patience_;
  std::jthread thread_;
};

}  // namespace maslin
