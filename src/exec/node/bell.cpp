// Sleeping and waking across processes: a futex in shared memory. (std::atomic's waits are for threads of one process.)

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "exec/node/segment.hpp"

namespace maslin::node {

namespace {

void wait_on(std::atomic<std::uint32_t>& bell, std::uint32_t seen, const timespec* most) {
  static_assert(sizeof bell == sizeof(std::uint32_t) && std::atomic<std::uint32_t>::is_always_lock_free);
  syscall(SYS_futex, &bell, FUTEX_WAIT, seen, most, nullptr, 0);
}

}  // namespace

void wake_sleepers(std::atomic<std::uint32_t>& bell) {
  syscall(SYS_futex, &bell, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void sleep_at(std::atomic<std::uint32_t>& bell, std::uint32_t seen) { wait_on(bell, seen, nullptr); }

void sleep_at(std::atomic<std::uint32_t>& bell, std::uint32_t seen, std::chrono::nanoseconds most) {
  const timespec bound{static_cast<time_t>(most.count() / 1'000'000'000),
                       static_cast<long>(most.count() % 1'000'000'000)};
  wait_on(bell, seen, &bound);
}

}  // namespace maslin::node
