#pragma once
// How a machine whose workers are threads holds the grain lock.

#include <mutex>

#include "base/lock.hpp"

namespace maslin::core {

template <class Machine>
class grain_guard : public std::unique_lock<base::short_lock> {
 public:
  explicit grain_guard(Machine& machine) : unique_lock(machine.grain_lock()) {}
  /// Calls that with the lock let go; holds it again afterwards.
  template <class Call>
  void without(Call&& call) {
    unlock();
    call();
    lock();
  }

 protected:
  grain_guard(Machine& machine, std::try_to_lock_t attempt) : unique_lock(machine.grain_lock(), attempt) {}
};

/// Holds it if nobody else does.
template <class Machine>
class grain_attempt : public grain_guard<Machine> {
 public:
  explicit grain_attempt(Machine& machine) : grain_guard<Machine>(machine, std::try_to_lock) {}
};

}  // namespace maslin::core
