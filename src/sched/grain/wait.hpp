#pragma once
// How those wait who have nothing to do until somebody else is done (ps3-cluster, 5): by looking again and again, by
// letting others have the core between two looks, or asleep. Times in seconds unless said otherwise.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace maslin::grain {

/// In the order of the words of MASLIN_WAIT.
enum class wait_policy : std::uint8_t {
  spin,       ///< looks without a break
  yield,      ///< lets others have the core between two looks
  adaptive,   ///< whose wait is expected to end first spins, the others yield
  park,       ///< sleeps at once
  automatic,  ///< one of the others, learned phase by phase
};

/// Gives its name, as MASLIN_WAIT reads it.
std::string_view name_of(wait_policy policy);

/// In how many wake-ups a wait must be over for spinning to have been worth it.
inline constexpr int wake_ups_worth_spinning = 3;
/// For so many wake-ups who has spun lets others have the core between two looks, unless somebody takes it: until then
/// a core that nobody wants costs less than the wake-up.
inline constexpr int wake_ups_worth_yielding = 10;
/// A wake-up that was measured beside somebody else's burst must not license long spinning.
inline constexpr double longest_wake_up = 100e-6;
/// Nobody keeps a core awake for longer, whatever was asked for. A scheduler's time slice is a few milliseconds; who
/// has waited for some of them may as well sleep.
inline constexpr double longest_wait_awake = 10e-3;
/// As long as resuming another fiber takes.
inline constexpr double brief = 2e-6;

/// Where one waits.
struct wait_place {
  double wake_up = 0;    ///< what waking a sleeper costs
  bool asked = false;    ///< the user named the policy
  bool crowded = false;  ///< somebody else needs the cores
};

/// How one waits: looks without a break for so long, then yields between looks for so long, then parks. Under
/// `adaptive` it does the one or the other, for so long in all.
struct wait_plan {
  double spin = 0;
  double yield = 0;
  bool operator==(const wait_plan&) const = default;
};

/// Gives the time within which a wait should be over for staying awake to be worth it.
constexpr double worth_spinning(double wake_up) { return wake_ups_worth_spinning * std::min(wake_up, longest_wake_up); }

/// Gives what a policy that is not `automatic` comes to. Who asked for it by name stays awake for longer. In a crowd
/// nobody spins, and nobody yields for longer than is worth it.
constexpr wait_plan plan_of(wait_policy policy, const wait_place& at) {
  const double worth = worth_spinning(at.wake_up);
  if (policy == wait_policy::park) return {};
  if (at.crowded) return {0, at.asked || policy == wait_policy::yield ? worth : 0};
  const double longest = at.asked ? longest_wait_awake : worth;
  if (policy == wait_policy::spin)
    return {longest, at.asked ? 0 : wake_ups_worth_yielding * std::min(at.wake_up, longest_wake_up)};
  if (policy == wait_policy::yield) return {at.asked ? 0 : std::min(brief, worth), longest};
  return {longest, longest};
}

/// Is what the caller waits for expected at `mine`, no later than what any of the others waits for? `expected_of` gives
/// when that is. Times in one unit.
template <class Others, class ExpectedOf>
constexpr bool is_expected_first(std::int64_t mine, const Others& others, ExpectedOf&& expected_of) {
  return std::all_of(std::begin(others), std::end(others), [&](const auto& one) { return expected_of(one) >= mine; });
}

/// What was seen of waits and of what is waited for, from some beginning on; the difference of two is what was seen
/// between them.
struct wait_sums {
  double waits = 0;
  double short_waits = 0;  ///< over within what is worth spinning
  double wait_seconds = 0;
  double lengths = 0;  ///< off-loads and loops
  double length_seconds = 0;
  double length_squares = 0;  ///< seconds squared
  double lost_cores = 0;      ///< how often somebody else took the core of one that waited

  wait_sums& operator+=(const wait_sums& more);
  friend wait_sums operator-(wait_sums later, const wait_sums& earlier);

  double mean_wait() const { return waits > 0 ? wait_seconds / waits : 0; }
  /// Gives the coefficient of variation of the lengths: standard deviation / mean.
  double variation() const;
};

/// `auto` in one phase. Pure: the same sums give the same policies.
///
/// It parks where few waits are over before a wake-up would have paid: staying awake gains nothing then. It yields
/// where lengths vary by more than half, because then nobody knows whose core is needed next, and where somebody else
/// needs the cores. Otherwise it spins. A change needs two stretches of waits in a row that speak for it.
class auto_wait {
 public:
  /// So many waits make a stretch.
  static constexpr double stretch = 32;
  static constexpr double few = 1.0 / 8;
  static constexpr double varied = 0.5;

  /// `oversubscribed`: there are more workers than CPUs.
  auto_wait(double wake_up, bool oversubscribed);

  wait_policy current() const { return current_; }
  /// Gives why, in a clause.
  const std::string& reason() const { return reason_; }
  /// Takes in what was seen so far; gives whether policy or reason changed.
  bool observe(const wait_sums& so_far);

 private:
  wait_policy choose(const wait_sums& seen) const;
  std::string explain(wait_policy policy, const wait_sums& seen) const;

  double wake_up_;
  bool oversubscribed_;
  wait_policy current_;
  wait_policy proposed_;
  std::string reason_;
  wait_sums before_;
};

}  // namespace maslin::grain
