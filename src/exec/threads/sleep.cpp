#include "exec/threads/sleep.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <thread>
#include <utility>

namespace maslin {

std::uint64_t measure_wake_up() {
  constexpr int rounds = 7;
  std::array<std::uint64_t, rounds> ticks{};
  parking there;
  std::atomic<int> answered{0};
  std::thread sleeper([&] {
    for (int i = 0; i < rounds; ++i) {
      there.park();
      answered.store(i + 1, std::memory_order_release);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    // Long enough for the other thread to fall asleep.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    const std::uint64_t begin = base::ticks();
    there.unpark();
    while (answered.load(std::memory_order_acquire) != i + 1) {
      // On one core the sleeper needs ours.
      if (base::ticks() - begin > 1'000'000) std::this_thread::yield();
      base::relax();
    }
    ticks[static_cast<std::size_t>(i)] = base::ticks() - begin;
  }
  sleeper.join();
  std::nth_element(ticks.begin(), ticks.begin() + rounds / 2, ticks.end());
  return ticks[rounds / 2];
}

[[gnu::noinline]] bool was_preempted() noexcept {
  thread_local long before = 0;
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return true;
  return std::exchange(before, usage.ru_nivcsw) != usage.ru_nivcsw;
}

spinning::spinning(grain::wait_policy asked, bool oversubscribed) : oversubscribed_(oversubscribed) {
  const double per_second = 1 / base::seconds_per_tick();
  const auto ticks = [per_second](double seconds) { return static_cast<std::uint64_t>(seconds * per_second); };
  // Interrupts take a core for a few microseconds; the scheduler gives it to somebody else for hundreds.
  lost_core_ = ticks(50e-6);
  pause_ = ticks(10e-3);
  // Among more workers than CPUs nobody stays awake by default, and a measurement would tell of the crowd.
  wake_up_ = oversubscribed
                 ? 50e-6
                 : std::min(base::seconds_per_tick() * static_cast<double>(measure_wake_up()), grain::longest_wake_up);
  longest_ = grain::longest_wake_up * per_second;
  constexpr std::uint32_t some = 8;  // wake-ups; that was the median of so many
  latest_ = grain::site_time{static_cast<float>(wake_up_ * per_second), some};
  worth_ = ticks(grain::worth_spinning(wake_up_));
  brief_ = oversubscribed ? 0 : ticks(grain::brief);
  for (const bool crowded : {false, true})
    for (int policy = 0; policy < 4; ++policy) {
      const bool named = asked != grain::wait_policy::automatic;
      const auto p = grain::plan_of(static_cast<grain::wait_policy>(policy), {wake_up_, named, crowded});
      plans_[crowded][policy] = {ticks(p.spin), ticks(p.yield)};
    }
}

void spinning::give_way() noexcept { std::this_thread::yield(); }

}  // namespace maslin
