#pragma once
// Being inside the executor.

#include <optional>

#include "exec/virtual/virtual.hpp"

namespace maslin {

/// The calling code is inside while this lives: nobody else runs, and everything earlier has happened.
class virtual_executor::inside {
 public:
  /// `sees_others`: the caller looks at what processors share.
  explicit inside(virtual_executor& exec, bool sees_others = true) : exec_(exec), was_(exec.enter(sees_others)) {}
  ~inside() { exec_.leave(was_); }
  inside(const inside&) = delete;
  inside& operator=(const inside&) = delete;

 private:
  virtual_executor& exec_;
  const bool was_;
};

/// Being inside to note something: nothing else happens meanwhile.
class virtual_executor::noting : inside {
 public:
  explicit noting(virtual_executor& exec) : inside(exec, false) {}
};

class virtual_executor::grain_attempt : inside {
 public:
  explicit grain_attempt(virtual_executor& exec) : inside(exec) {}
  explicit operator bool() const { return true; }
  template <class Call>
  void without(Call&& call) {
    call();
  }
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
  std::optional<inside> held_;
};

}  // namespace maslin
