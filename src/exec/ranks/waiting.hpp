#pragma once
// MASLIN_RANK_WAIT: how a rank waits that has a worker of its own.

#include <chrono>
#include <cstdint>

namespace maslin {

/// In the order of the words of MASLIN_RANK_WAIT.
enum class rank_waiting : std::uint8_t {
  automatic,  ///< looks for as long as it takes to sleep and be woken; then it is suspended
  spin,       ///< looks without a break
  yield,      ///< lets others have the core between two looks
  park,       ///< is suspended at once
};
/// Who spins or yields is suspended after this, so that its worker does what else there is, and deadlocks are found.
inline constexpr std::chrono::milliseconds longest_rank_awake{10};

/// Called when the runtime starts.
void set_rank_waiting(rank_waiting how) noexcept;
rank_waiting rank_waiting_of_the_run() noexcept;

}  // namespace maslin
