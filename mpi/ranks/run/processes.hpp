#pragma once
// What the processes of a job on a node, their forwarder, and maslin-mpirun that started them have in common.

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace mpi {

/// Lies in memory that all of them have mapped; zeros at the beginning, but for the lock.
struct shared_by_processes {
  static constexpr int most = 64;
  static constexpr int launcher = most + 1, another_node = most + 2;
  /// A futex: who ends the job before its time. 0: nobody; a process's number, from 1; or one of these.
  std::atomic<std::uint32_t> ended_by;
  std::atomic<bool> has_finished[most];  ///< a process: all its ranks have ended, and those of all others
  pthread_mutex_t output;                ///< who prints lines
  std::atomic<std::int32_t> ranks_left;  ///< of this node: so many have not ended

  // Of a job of several nodes: what its forwarder says, and is told.

  static constexpr std::int32_t refused = -1;
  std::atomic<std::int32_t> node;           ///< this node's number
  std::atomic<std::int32_t> nodes;          ///< how many there are, once that is known; `refused`: it has said why
  std::atomic<std::int32_t> status_here;    ///< from 1, when the processes of this node are gone
  std::atomic<std::int32_t> status_of_job;  ///< from 1

  /// Ends the job; false where another has done so.
  bool end(int by) noexcept {
    std::uint32_t nobody = 0;
    const bool first = ended_by.compare_exchange_strong(nobody, static_cast<std::uint32_t>(by));
    if (first) syscall(SYS_futex, &ended_by, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    return first;
  }
  /// Returns when somebody has ended it, and who that was.
  int wait_for_end() noexcept {
    while (ended_by.load() == 0) syscall(SYS_futex, &ended_by, FUTEX_WAIT, 0, nullptr, nullptr, 0);
    return static_cast<int>(ended_by.load());
  }
  void lock_output() noexcept {
    if (pthread_mutex_lock(&output) == EOWNERDEAD) pthread_mutex_consistent(&output);
  }
  void unlock_output() noexcept { pthread_mutex_unlock(&output); }
};

/// Gives what that file holds; null where it cannot be had.
inline shared_by_processes* map_shared(int file) noexcept {
  void* const found = mmap(nullptr, sizeof(shared_by_processes), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return found == MAP_FAILED ? nullptr : static_cast<shared_by_processes*>(found);
}

}  // namespace mpi
