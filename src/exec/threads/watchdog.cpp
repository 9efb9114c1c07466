#include "exec/threads/watchdog.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/settings.hpp"
#include "exec/threads/stall.hpp"
#include "exec/threads/threads.hpp"
#include "task/os_waiter.hpp"

namespace maslin {

patience patience_from_environment() {
  const char* text = base::text_of("MASLIN_WATCHDOG");
  return text ? parse_patience(text) : patience{};
}

patience parse_patience(std::string_view text) {
  const auto number = [&](std::string_view from) {
    double seconds = 0;
    const auto [end, failed] = std::from_chars(from.data(), from.data() + from.size(), seconds);
    if (failed != std::errc() || end != from.data() + from.size() || !(seconds > 0))
      base::fail("MASLIN_WATCHDOG", text);
    return seconds;
  };
  const std::size_t comma = text.find(',');
  patience given;
  given.idle_seconds = number(text.substr(0, comma));
  if (comma != std::string_view::npos) given.busy_seconds = number(text.substr(comma + 1));
  return given;
}

void watchdog::begin() {
  if (patience_.idle_seconds > 0) thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

bool watchdog::is_idle(int index) const { return exec_.sleeps(index) || (index == 0 && exec_.worker_0_is_absent()); }

template <class Visit>
void watchdog::for_each_fiber(Visit&& visit) {
  exec_.fibers().for_each(visit);
  // Of the threads' own stacks only the starter's ever waits; the others' are left once, for the worker's loop.
  visit(*exec_.at(0).own_stack);
}

std::vector<task_fiber*> watchdog::all_fibers() {
  std::vector<task_fiber*> all;
  for_each_fiber([&](task_fiber& f) { all.push_back(&f); });
  return all;
}

void watchdog::watch(const std::stop_token& stop) {
  using clock = std::chrono::steady_clock;
  std::uint64_t seen = 0;
  auto since = clock::now();
  bool was_idle = false;
  bool told = false;
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::uint64_t steps = 0;
    bool idle = true;
    for (int i = 0; i < exec_.workers(); ++i) {
      steps += exec_.at(i).steps.load(std::memory_order_relaxed);
      idle = idle && is_idle(i);
    }
    bool pending = !idle || os_waiter::asleep() > 0;
    for_each_fiber(
        [&](task_fiber& f) { pending = pending || f.sleeps.load(std::memory_order_relaxed) != task_fiber::awake; });
    if (!pending || steps != seen || idle != was_idle) {
      seen = steps;
      was_idle = idle;
      since = clock::now();
      told = false;
      continue;
    }
    const double seconds = std::chrono::duration<double>(clock::now() - since).count();
    if (told || seconds < (idle ? patience_.idle_seconds : patience_.busy_seconds)) continue;
    try {
      print_state(seconds);
    } catch (const std::bad_alloc&) {
      std::fputs("maslin: no progress, and no memory to say who waits for whom\n", stderr);
    }
    told = true;
  }
}

void watchdog::print_state(double seconds) {
  std::string out = fmt::format("maslin: no progress for {:.1f} s\n", seconds);
  for (int i = 0; i < exec_.workers(); ++i) {
    const worker& w = exec_.at(i);
    const bool idle = is_idle(i);
    const bool has_work = !w.queue.empty() || !w.tasks.empty() || w.inbox.load(std::memory_order_relaxed);
    if (idle && !has_work) continue;
    out +=
        fmt::format("  worker {} {}\n", i,
                    idle ? "sleeps though it has work: please report this" : "is busy: what it runs has not come back");
  }
  out += who_waits_for_whom(held_asleep(all_fibers()));
  if (const int threads = os_waiter::asleep())
    out += fmt::format("  {} threads of the program wait for tasks that they created\n", threads);
  std::fputs(out.c_str(), stderr);
}

}  // namespace maslin
