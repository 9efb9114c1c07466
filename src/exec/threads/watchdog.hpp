#pragma once
// The thread that sees whether anything moves: when all workers are idle while somebody waits, or nothing has ended for
// very long, it says who waits for what.

#include <condition_variable>
#include <stop_token>
#include <thread>
#include <vector>

#include "exec/stall.hpp"

namespace maslin {

class threads_executor;
struct task_fiber;

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
  std::condition_variable_any pause_;  ///< made before the thread, which may find no memory
  std::jthread thread_;
};

}  // namespace maslin
