#pragma once
// Is a team that sleeps worth waking for a loop? Times in one unit.

#include "sched/grain/edtlp.hpp"

namespace maslin::grain {

/// What it takes to share a loop with those who have nothing to do.
struct team_costs {
  double handing_over = 0;  ///< to those who are awake
  double wake_up = 0;       ///< until one who sleeps has come
  double stays_awake = 0;   ///< for so long one who was woken looks for work before it sleeps again
};

/// What a caller's loops have lost because its team slept.
class missed_gain {
 public:
  /// A loop that takes `whole` on one worker (0: not known) begins `now`, and all others of its team sleep; it pays for
  /// being handed over to those who are awake. Gives whether one is to be woken. If not, the caller runs it alone.
  ///
  /// One is if the loop itself pays for the wake-up. Otherwise who is woken comes too late for this loop, but finds the
  /// next ones, if they come before it sleeps again. So the gains that loops have missed are added up as long as none
  /// comes later than that, and when they are worth a wake-up, there is one. That is rent or buy: without knowing what
  /// comes, no more is lost than twice what must be.
  constexpr bool pays_for_wake_up(double now, double whole, int width, const team_costs& costs) {
    if (worth_sharing(whole, width, costs.wake_up)) return true;
    if (now - last_end_ > costs.stays_awake) missed_ = 0;
    last_end_ = now + whole;
    missed_ += whole - whole / width - costs.handing_over;
    if (costs.stays_awake <= 0 || missed_ < costs.wake_up) return false;
    missed_ = 0;
    return true;
  }

 private:
  double missed_ = 0;
  double last_end_ = 0;
};

}  // namespace maslin::grain
