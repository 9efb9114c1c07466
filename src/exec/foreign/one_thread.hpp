#pragma once
// MASLIN_FOREIGN: whether libraries use the threads that their callers were granted, one always, or what they like.

#include <atomic>
#include <cstdint>

#include "exec/foreign/limits.hpp"

namespace maslin::foreign {

/// In the order of the words of MASLIN_FOREIGN.
enum class policy : std::uint8_t {
  granted,     ///< what their callers were granted: the executor on CPU cores sees to it
  one_thread,  ///< one, whoever calls, on every executor and outside of Maslin's calls, too
  alone        ///< what they like
};

/// While it lives, libraries have one thread each. There is one at a time, a runtime's.
class one_thread {
 public:
  one_thread();
  ~one_thread();
  one_thread(const one_thread&) = delete;
  one_thread& operator=(const one_thread&) = delete;

  /// A call outside of all tasks, if there is such an object: libraries may have come, and the program may have set
  /// limits of its own.
  static void rescan() noexcept {
    if (one_thread* all = there_is.load(std::memory_order_relaxed)) [[unlikely]]
      all->look();
  }
  static void forget_after_fork() noexcept { there_is.store(nullptr, std::memory_order_relaxed); }

 private:
  void look() noexcept;

  // Who calls at the same time as a runtime begins or ends has the one or the other.
  static inline std::atomic<one_thread*> there_is{nullptr};

  process_limit process_{0};
};

}  // namespace maslin::foreign
