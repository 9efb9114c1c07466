#include "sched/grain/wait.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/settings.hpp"

namespace maslin::grain {

namespace {

/// Gives the time in words, rounded to that many digits.
std::string time_text(double seconds, int digits) {
  if (seconds <= 0) return "0 us";
  const double us = 1e6 * seconds;
  const double step = std::pow(10, std::floor(std::log10(us)) - (digits - 1));
  const double rounded = step * std::round(us / step);
  if (rounded < 1000) return fmt::format("{:.6g} us", rounded);
  if (rounded < 1e6) return fmt::format("{:.6g} ms", rounded / 1000);
  return fmt::format("{:.6g} s", rounded / 1e6);
}

}  // namespace

std::string_view name_of(wait_policy policy) {
  return base::known_setting("MASLIN_WAIT")->words[static_cast<std::size_t>(policy)].word;
}

wait_sums& wait_sums::operator+=(const wait_sums& more) {
  waits += more.waits;
  short_waits += more.short_waits;
  wait_seconds += more.wait_seconds;
  lengths += more.lengths;
  length_seconds += more.length_seconds;
  length_squares += more.length_squares;
  lost_cores += more.lost_cores;
  return *this;
}

wait_sums operator-(wait_sums later, const wait_sums& earlier) {
  later.waits -= earlier.waits;
  later.short_waits -= earlier.short_waits;
  later.wait_seconds -= earlier.wait_seconds;
  later.lengths -= earlier.lengths;
  later.length_seconds -= earlier.length_seconds;
  later.length_squares -= earlier.length_squares;
  later.lost_cores -= earlier.lost_cores;
  return later;
}

double wait_sums::variation() const {
  if (lengths < 2 || length_seconds <= 0) return 0;
  const double mean = length_seconds / lengths;
  return std::sqrt(std::max(0.0, length_squares / lengths - mean * mean)) / mean;
}

auto_wait::auto_wait(double wake_up, bool oversubscribed)
    : wake_up_(wake_up),
      oversubscribed_(oversubscribed),
      current_(oversubscribed ? wait_policy::park : wait_policy::spin),
      proposed_(current_),
      reason_(oversubscribed ? "there are more workers than CPUs"
                             : fmt::format("few waits so far, a wake-up costs {}", time_text(wake_up, 2))) {}

wait_policy auto_wait::choose(const wait_sums& seen) const {
  if (seen.short_waits < few * seen.waits) return wait_policy::park;
  if (oversubscribed_ || seen.lost_cores > 0 || seen.variation() > varied) return wait_policy::yield;
  return wait_policy::spin;
}

/// In words that repeat, whatever the figures: times are rounded to one digit, the variation to tens of percent.
std::string auto_wait::explain(wait_policy policy, const wait_sums& seen) const {
  const std::string wake_up = time_text(wake_up_, 2);
  if (policy == wait_policy::park)
    return fmt::format("waits take {}, a wake-up costs {}", time_text(seen.mean_wait(), 1), wake_up);
  if (oversubscribed_) return fmt::format("there are more workers than CPUs, a wake-up costs {}", wake_up);
  if (seen.lost_cores > 0) return fmt::format("somebody else uses the CPUs, a wake-up costs {}", wake_up);
  return fmt::format("lengths vary by {:.0f} %, a wake-up costs {}", 10 * std::round(10 * seen.variation()), wake_up);
}

bool auto_wait::observe(const wait_sums& so_far) {
  const wait_sums seen = so_far - before_;
  if (seen.waits < stretch) return false;
  before_ = so_far;
  const wait_policy best = choose(seen);
  const bool again = best == proposed_;
  proposed_ = best;
  if (!again) return false;
  std::string reason = explain(best, seen);
  if (best == current_ && reason == reason_) return false;
  current_ = best;
  reason_ = std::move(reason);
  return true;
}

}  // namespace maslin::grain
