#pragma once
// What runs on a worker says how many threads the libraries that it calls may use (src/exec/foreign/README.md).

#include <atomic>
#include <cstdint>

#include "exec/foreign/limits.hpp"
#include "exec/phase/team.hpp"

namespace maslin {

class threads_executor;

class library_threads {
 public:
  library_threads(threads_executor& exec, int workers);

  foreign::process_limit& process_limit() { return process_limit_; }
  /// Only `worker` runs anything of the team that matters to libraries: code that was granted so many threads.
  void claim_alone(const team& t, int worker, int threads) noexcept;
  /// Looks for libraries with threads of their own, unless the caller is a worker.
  void look();
  /// At most a thousand times a second.
  void rescan();
  /// The starter comes back from a call that may be all that the program makes: looks again at some of these.
  void count_call() {
    // A program may do nothing but loops, and load a library between two of them.
    constexpr unsigned calls_between_looks = 256;
    if (++calls_ % calls_between_looks == 0) rescan();
  }
  /// Says in the trace, on that track, which there are, and to the user which have one limit for the process; each
  /// once.
  void tell(int track);
  void forget() noexcept;

  /// Is there a library?
  bool any() const noexcept { return found_.load(std::memory_order_relaxed); }
  /// The caller goes on after something that its team shared, in the same context, or with another width: what
  /// libraries may use is looked at again.
  void after_sharing() noexcept {
    if (any()) caller_goes_on();
  }
  /// The starter goes on in the program's own code, outside its role.
  void back_in_program() noexcept {
    if (any()) starter_goes_on();
  }

 private:
  void caller_goes_on() noexcept;
  void starter_goes_on() noexcept;

  threads_executor& exec_;
  const bool limits_;
  std::atomic<bool> found_{false};
  std::atomic<std::uint64_t> next_scan_{0};  ///< in ticks
  std::atomic<int> traced_{0};
  unsigned calls_ = 0;  ///< the starter's; its own
  foreign::process_limit process_limit_;
};

}  // namespace maslin
