#pragma once
// MASLIN_WATCHDOG: what is said about a program in which nothing moves, and after how long.

#include <string>
#include <string_view>
#include <vector>

#include "task/context.hpp"
#include "task/scope.hpp"

namespace maslin {

/// How long nothing may end before the watchdog speaks.
struct patience {
  double idle_seconds = 0;    ///< while all workers are idle and something waits; 0: there is no watchdog
  double busy_seconds = 120;  ///< while a worker is busy
};
/// Gives MASLIN_WATCHDOG. Throws `error`.
patience patience_from_environment();
patience parse_patience(std::string_view text);

/// Code that waits, and goes on waiting while it is looked at.
struct suspended_code {
  static constexpr int on_host = -1;
  const context* in;  ///< its own
  awaited_end waits_for;
  int worker;  ///< on which it was suspended; or `on_host`
};

/// Says for each what it runs, what it waits for and who waits behind it, and names a cycle if there is one.
std::string who_waits_for_whom(const std::vector<suspended_code>& all);

}  // namespace maslin
