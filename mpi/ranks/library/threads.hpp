#pragma once
// Several threads of a rank that call MPI: each call has its turn, until it waits.

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "comm/processes.hpp"

namespace mpi {

/// Functions that a call runs, for operations and attributes, make calls of the same thread.
class rank_threads final : public maslin::rank_gate {
 public:
  void begin_call() noexcept;
  void end_call() noexcept;
  unsigned leave() noexcept override;
  void enter(unsigned left) noexcept override;

  bool is_callers_turn() const noexcept { return whose_.load(std::memory_order_relaxed) == pthread_self(); }

  // The caller has its turn.

  /// How many threads are in a call, with the caller.
  int callers() const noexcept { return callers_; }

 private:
  std::mutex turn_;
  std::atomic<pthread_t> whose_{};  ///< each compares it with its own
  unsigned depth_ = 0;              ///< so many calls of that thread are in each other
  int callers_ = 0;
};

/// Null unless MPI_Init_thread has given more than MPI_THREAD_FUNNELED.
extern rank_threads* threads;
/// Makes them, if the rank's threads may call: gives whether they may.
bool let_threads_call();

/// A call, while it lives.
class called {
 public:
  called() noexcept : of_(threads) {
    if (of_) [[unlikely]]
      of_->begin_call();
  }
  ~called() {
    if (of_) [[unlikely]]
      of_->end_call();
  }
  called(const called&) = delete;
  called& operator=(const called&) = delete;

 private:
  rank_threads* const of_;
};

}  // namespace mpi
