#pragma once
// Being inside the executor.

#include <mutex>
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
class MASLIN_HOLDS_LOCK virtual_executor::grain_guard {
 public:
  explicit grain_guard(virtual_executor& exec) MASLIN_ACQUIRES(grain_held) MASLIN_UNCHECKED : exec_(exec) { lock(); }
  /// `try_grain_lock` has said that the caller may.
  grain_guard(virtual_executor& exec, std::adopt_lock_t) MASLIN_REQUIRES(grain_held) MASLIN_UNCHECKED : exec_(exec) {
    lock();
  }
  ~grain_guard() MASLIN_RELEASES() {}  // NOLINT(modernize-use-equals-default): what is defaulted has no attributes
  grain_guard(const grain_guard&) = delete;
  grain_guard& operator=(const grain_guard&) = delete;

  void lock() MASLIN_ACQUIRES() MASLIN_UNCHECKED { held_.emplace(exec_); }
  void unlock() MASLIN_RELEASES() MASLIN_UNCHECKED { held_.reset(); }
  /// Nobody else runs: whatever the call takes, it is no time of the described machine.
  template <class Call>
  void without(Call&& call) MASLIN_REQUIRES(grain_held) {
    call();
  }

 private:
  virtual_executor& exec_;
  std::optional<monitor_guard> held_;
};

}  // namespace maslin
