#pragma once
// The ranks of this process, and which of them runs a piece of code.

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <thread>

#include "../job.hpp"
#include "image.hpp"

namespace mpi {

struct rank_of_process {
  job said{};
  image program;
  /// Its stack begins here and grows down; 0 before it has one.
  std::atomic<std::uintptr_t> stack{0};
  std::atomic<std::size_t> stack_bytes{0};
  std::jmp_buf leave;                       ///< where `exit` goes
  int status = 0;                           ///< as a process has it: from 0 to 255
  std::atomic<std::thread::id> ended_by{};  ///< the thread that has come to its end first: its own, or one it has made
  std::atomic<bool> has_ended{false};       ///< by a thread that it has made
  std::atomic<bool> has_threads{false};     ///< its code has made some, which may run as long as the process
  const void** kept = nullptr;              ///< where it says what its copy of the library keeps
  std::string unfinished[2];                ///< lines of standard output and error that have no end yet
  /// Where these go: a descriptor, if it has opened a file in their place.
  static constexpr int of_job = -1, closed = -2;
  std::atomic<int> own_output[2]{of_job, of_job};
};

/// All of them; it does not change while they run. Their threads may print while the process ends, so nobody frees it.
std::deque<rank_of_process>& ranks() noexcept;
/// The hosts of this process, whose copies of the program are known by the same. They have no stacks.
std::deque<rank_of_process>& hosts() noexcept;
/// Gives "rank 3", or which host it is.
std::string name_of(const rank_of_process& one);
/// The first status that is not 0.
int status_of_ranks() noexcept;
/// The one with that number in the job, which is one of this process.
inline rank_of_process& rank_numbered(int rank) noexcept {
  const auto is_before = [](const rank_of_process& one, int number) { return one.said.rank < number; };
  return *std::lower_bound(ranks().begin(), ranks().end(), rank, is_before);
}

/// Whose copy of the program is being loaded: its static objects may make threads.
extern std::atomic<rank_of_process*> rank_that_is_loaded;
/// The rank whose code has made the calling thread, if that lies on its stack; null elsewhere.
rank_of_process* rank_by_thread(const void* address) noexcept;
/// The rank on whose stack that lies, or on that of the calling thread, which it has made; null elsewhere. May be
/// called in a signal handler.
rank_of_process* rank_at(const void* address) noexcept;
/// The rank or host whose code is the first of these, which calls have come through; null if there is none.
rank_of_process* rank_by_code(std::span<void* const> frames) noexcept;
/// The rank that calls it, by its stack, or by its code: its tasks run on other stacks. Or the host, by its code. Null
/// elsewhere.
rank_of_process* rank_here() noexcept;

}  // namespace mpi
