#include "base/stores_seen.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace maslin::base {

namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// Before there are threads, when it takes no time; a forked child has its parent's.
[[maybe_unused]] const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

}  // namespace

void see_all_stores() noexcept {
  constexpr auto no_core_keeps_a_store = std::chrono::milliseconds(5);
  if (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) std::this_thread::sleep_for(no_core_keeps_a_store);
}

}  // namespace maslin::base
