#pragma once
// Being inside the executor.

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

}  // namespace maslin
