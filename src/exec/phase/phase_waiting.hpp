#pragma once
// How the workers of one phase wait, and what the phase costs in CPU time.

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

#include "exec/phase/host.hpp"
#include "exec/reports.hpp"

namespace maslin {

class phase_waiting {
 public:
  /// `phase`: its name in the trace. `inner`: it runs inside another one, whose streams take CPU time, too.
  phase_waiting(phase_host& exec, std::uint32_t phase, live_report& report, bool inner);

  /// Gives how its workers wait now.
  grain::wait_policy current() const MASLIN_REQUIRES(grain_held) { return current_; }
  /// The phase has these workers from now on.
  void serve(int first, int width) noexcept MASLIN_REQUIRES(grain_held);
  /// Any thread: has enough time passed to look again?
  bool due(std::uint64_t now) const { return now >= look_at_.load(std::memory_order_relaxed); }
  /// Looks how its workers have waited; gives whether `current` changed.
  bool look(std::uint64_t now) noexcept MASLIN_REQUIRES(grain_held);
  /// Gives the CPU time of the process since the phase began, as of now or up to a millisecond ago.
  std::optional<double> cpu_seconds(std::uint64_t now) noexcept MASLIN_REQUIRES(grain_held);
  /// The phase ends.
  void end() noexcept MASLIN_REQUIRES(grain_held);

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  void tell() noexcept MASLIN_REQUIRES(grain_held);

  phase_host& exec_;
  std::uint32_t phase_;
  live_report& report_;
  std::optional<double> cpu_began_;
  double cpu_seconds_ MASLIN_GUARDED_BY(grain_held) = 0;
  std::uint64_t cpu_read_ MASLIN_GUARDED_BY(grain_held) = 0;  ///< when that was, in ticks: asking takes microseconds
  std::optional<grain::auto_wait> learns_ MASLIN_GUARDED_BY(grain_held);  ///< unless the user named a policy
  grain::wait_policy current_ MASLIN_GUARDED_BY(grain_held) = grain::wait_policy::spin;
  int first_ MASLIN_GUARDED_BY(grain_held) = 0;
  int width_ MASLIN_GUARDED_BY(grain_held) = 0;
  grain::wait_sums seen_ MASLIN_GUARDED_BY(grain_held);    ///< since the phase began
  grain::wait_sums before_ MASLIN_GUARDED_BY(grain_held);  ///< its workers' sums when they were last looked at
  std::atomic<std::uint64_t> look_at_{never};
};

}  // namespace maslin
