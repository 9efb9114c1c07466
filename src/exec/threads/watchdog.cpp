#include "exec/threads/watchdog.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "exec/threads/threads.hpp"
#include "task/os_waiter.hpp"

namespace maslin {

namespace {

/// Those of the fibers that sleep; they go on sleeping while this lives: a fiber that is woken meanwhile waits for its
/// end.
class held_asleep {
 public:
  explicit held_asleep(std::vector<task_fiber*> fibers) {
    std::erase_if(fibers, [](task_fiber* f) {
      int expected = task_fiber::asleep;
      return !f->sleeps.compare_exchange_strong(expected, task_fiber::looked_at, std::memory_order_acquire);
    });
    fibers_ = std::move(fibers);
  }
  ~held_asleep() {
    for (task_fiber* f : fibers_) f->sleeps.store(task_fiber::asleep, std::memory_order_release);
  }
  held_asleep(const held_asleep&) = delete;
  held_asleep& operator=(const held_asleep&) = delete;

  std::vector<suspended_code> what_they_run() const {
    std::vector<suspended_code> all;
    for (const task_fiber* f : fibers_) all.push_back({f->suspended_in, f->waits_for, f->home->index});
    return all;
  }

 private:
  std::vector<task_fiber*> fibers_;
};

}  // namespace

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
  std::mutex alone;
  std::unique_lock lock(alone);
  std::uint64_t seen = 0;
  auto since = clock::now();
  bool was_idle = false;
  bool told = false;
  for (;;) {
    // The token wakes it when the runtime ends.
    pause_.wait_for(lock, stop, std::chrono::milliseconds(20), [] { return false; });
    if (stop.stop_requested()) return;
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
  out += who_waits_for_whom(held_asleep(all_fibers()).what_they_run());
  if (const int threads = os_waiter::asleep())
    out += fmt::format("  {} threads of the program wait for tasks that they created\n", threads);
  std::fputs(out.c_str(), stderr);
}

}  // namespace maslin
