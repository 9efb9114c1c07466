// Which threads of a rank call MPI.

#include "threads.hpp"

#include <type_traits>
#include <utility>

#include "state.hpp"

namespace mpi {

rank_threads* threads = nullptr;

void rank_threads::begin_call() noexcept {
  if (is_callers_turn()) {
    ++depth_;
    return;
  }
  enter(1);
  ++callers_;
}

void rank_threads::end_call() noexcept {
  if (--depth_ > 0) return;
  --callers_;
  whose_.store({}, std::memory_order_relaxed);
  turn_.unlock();
}

unsigned rank_threads::leave() noexcept {
  whose_.store({}, std::memory_order_relaxed);
  const unsigned left = std::exchange(depth_, 0);
  turn_.unlock();
  return left;
}

void rank_threads::enter(unsigned left) noexcept {
  turn_.lock();
  whose_.store(pthread_self(), std::memory_order_relaxed);
  depth_ = left;
}

bool let_threads_call() {
  static rank_threads its;
  static_assert(std::is_trivially_destructible_v<rank_threads>);  // threads may call to the end of the process
  if (!maslin::detail::let_threads_call(*me.world, its)) return false;
  threads = &its;
  return true;
}

}  // namespace mpi
