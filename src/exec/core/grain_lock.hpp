#pragma once
// How a machine whose workers are threads holds the grain lock.

#include <mutex>

#include "base/lock.hpp"
#include "exec/phase/grain_lock.hpp"

namespace maslin::core {

/// The implementation is what clang cannot follow.
class grain_lock {
 public:
  void lock() noexcept MASLIN_ACQUIRES(grain_held) MASLIN_UNCHECKED { lock_.lock(); }
  bool try_lock() noexcept MASLIN_TRIES_TO_ACQUIRE(grain_held) MASLIN_UNCHECKED { return lock_.try_lock(); }
  void unlock() noexcept MASLIN_RELEASES(grain_held) MASLIN_UNCHECKED { lock_.unlock(); }

 private:
  base::short_lock lock_;
};

template <class Machine>
class MASLIN_HOLDS_LOCK grain_guard {
 public:
  explicit grain_guard(Machine& machine) MASLIN_ACQUIRES(grain_held) : held_(machine.grain_lock()) {}
  /// The caller holds it already.
  grain_guard(Machine& machine, std::adopt_lock_t already) MASLIN_REQUIRES(grain_held)
      : held_(machine.grain_lock(), already) {}
  ~grain_guard() MASLIN_RELEASES() {}  // NOLINT(modernize-use-equals-default): what is defaulted has no attributes
  grain_guard(const grain_guard&) = delete;
  grain_guard& operator=(const grain_guard&) = delete;

  void lock() MASLIN_ACQUIRES() MASLIN_UNCHECKED { held_.lock(); }
  void unlock() MASLIN_RELEASES() MASLIN_UNCHECKED { held_.unlock(); }
  /// Calls that with the lock let go; holds it again afterwards.
  template <class Call>
  void without(Call&& call) MASLIN_REQUIRES(grain_held) MASLIN_UNCHECKED {
    unlock();
    call();
    lock();
  }

 private:
  std::unique_lock<grain_lock> held_;
};

}  // namespace maslin::core
