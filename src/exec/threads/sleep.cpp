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

spinning::spinning(bool oversubscribed) {
  const double per_second = 1 / base::seconds_per_tick();
  // Interrupts take a core for a few microseconds; the scheduler gives it to somebody else for hundreds.
  lost_core_ = static_cast<std::uint64_t>(50e-6 * per_second);
  pause_ = static_cast<std::uint64_t>(10e-3 * per_second);
  // A wake-up that was measured beside somebody else's burst must not license long spinning.
  const auto longest_wake_up = static_cast<std::uint64_t>(100e-6 * per_second);
  brief_ = oversubscribed ? 0 : static_cast<std::uint64_t>(2e-6 * per_second);
  most_ = oversubscribed ? 0 : 3 * std::min(measure_wake_up(), longest_wake_up);
}

}  // namespace maslin
