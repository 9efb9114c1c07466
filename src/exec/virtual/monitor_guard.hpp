#pragma once
// Being inside the executor.

#include <optional>

#include "exec/virtual/virtual.hpp"

namespace maslin {

/// The calling code is inside while this lives: nobody else runs, and everything earlier has happened.
class virtual_executor::monitor_guard {
 public:
  /// `sees_others`: the caller looks at what processors share.
  explicit monitor_guard(virtual_executor& exec, bool sees_others = true)
      : exec_(exec), was_(exec.enter(sees_others)) {}
  ~monitor_guard() { exec_.leave(was_); }
  monitor_guard(const monitor_guard&) = delete;
  monitor_guard& operator=(const monitor_guard&) = delete;

 private:
  virtual_executor& exec_;
  const entry was_;
};

/// Being inside to note something: nothing else happens meanwhile.
class virtual_executor::tracing : monitor_guard {
 public:
  explicit tracing(virtual_executor& exec) : monitor_guard(exec, false) {}
};

/// Being inside, from time to time.
class virtual_executor::grain_guard {
 public:
  explicit grain_guard(virtual_executor& exec) : exec_(exec) { lock(); }
  void lock() { held_.emplace(exec_); }
  void unlock() { held_.reset(); }
  /// Nobody else runs: whatever the call takes, it is no time of the described machine.
  template <class Call>
  void without(Call&& call) {
    call();
  }

 private:
  virtual_executor& exec_;
  std::optional<monitor_guard> held_;
};

class virtual_executor::grain_attempt : public grain_guard {
 public:
  using grain_guard::grain_guard;
  explicit operator bool() const { return true; }
};

}  // namespace maslin
