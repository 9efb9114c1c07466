#include "exec/virtual/calling_thread.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"

namespace maslin {

namespace {

constexpr std::uint64_t stands_still = 0;  // no processor's counter is at its beginning while a program runs

thread_local bool owns = false;
thread_local virtual_executor* started_here = nullptr;
thread_local std::uint64_t code_began = stands_still;

double seconds_of(clockid_t clock) noexcept {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

namespace calling_thread {

[[gnu::noinline]] bool owns_monitor() noexcept {
  asm volatile("");
  return owns;
}
[[gnu::noinline]] void set_owns_monitor(bool now) noexcept { owns = now; }
[[gnu::noinline]] virtual_executor* started() noexcept {
  asm volatile("");
  return started_here;
}
[[gnu::noinline]] void set_started(virtual_executor* what) noexcept { started_here = what; }

[[gnu::noinline]] bool code_begins() noexcept { return std::exchange(code_began, base::ticks()) != stands_still; }
[[gnu::noinline]] bool code_stops() noexcept { return std::exchange(code_began, stands_still) != stands_still; }
[[gnu::noinline]] bool runs_code() noexcept {
  asm volatile("");
  return code_began != stands_still;
}
[[gnu::noinline]] std::uint64_t code_ran(std::uint64_t until) noexcept {
  const std::uint64_t began = std::exchange(code_began, stands_still);
  return began == stands_still || until <= began ? 0 : until - began;
}

}  // namespace calling_thread

outside_time::outside_time() noexcept {
  if (pthread_getcpuclockid(pthread_self(), &cpu_clock_) != 0) cpu_clock_ = CLOCK_MONOTONIC;
}

void outside_time::other_is_inside() noexcept {
  if (other_came_ != 0) return;
  other_came_ = base::ticks();
  cpu_seconds_then_ = seconds_of(cpu_clock_);
}

std::uint64_t outside_time::ends(std::uint64_t now) noexcept {
  const std::uint64_t came = std::exchange(other_came_, 0);
  if (came == 0 || came >= now) return now;
  const double cpu = std::max(0.0, seconds_of(cpu_clock_) - cpu_seconds_then_);
  return came + std::min(now - came, static_cast<std::uint64_t>(cpu / base::seconds_per_tick()));
}

}  // namespace maslin
