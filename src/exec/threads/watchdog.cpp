// MASLIN_WATCHDOG=seconds: when every worker sleeps while somebody waits, and stays so for that long, says who waits
// for what. It looks only at what any thread may read.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "exec/threads/threads.hpp"
#include "maslin/error.hpp"

namespace maslin {

double watchdog_seconds_from_environment() {
  const char* text = std::getenv("MASLIN_WATCHDOG");
  if (!text || !*text) return 0;
  const std::string_view value = text;
  double seconds = 0;
  const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (failed != std::errc() || end != value.data() + value.size() || !(seconds > 0))
    throw error("MASLIN_WATCHDOG=" + std::string(value) + ": expected a positive number of seconds, such as 5");
  return seconds;
}

void threads_executor::watch(const std::stop_token& stop, double seconds) {
  using clock = std::chrono::steady_clock;
  std::uint64_t seen = 0;
  auto since = clock::now();
  bool told = false;
  while (!stop.stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::uint64_t turns = 0;
    bool all_sleep = true;
    for (int i = 0; i < workers(); ++i) {
      turns += at(i).turns.load(std::memory_order_relaxed);
      all_sleep = all_sleep && asleep_.test(i);
    }
    bool somebody_waits = false;
    {
      std::lock_guard held(fibers_lock_);
      for (const task_fiber& f : fibers_) somebody_waits = somebody_waits || f.asleep.load(std::memory_order_relaxed);
    }
    // Of the threads' own stacks only the starter's ever waits; the others' are left once, for the worker's loop.
    somebody_waits = somebody_waits || at(0).own_stack->asleep.load(std::memory_order_relaxed);
    if (!all_sleep || !somebody_waits || turns != seen) {
      seen = turns;
      since = clock::now();
      told = false;
    } else if (!told && std::chrono::duration<double>(clock::now() - since).count() >= seconds) {
      print_state();
      told = true;
    }
  }
}

void threads_executor::print_state() {
  std::fprintf(stderr, "maslin: no progress: all %d workers sleep while these wait\n", workers());
  auto print = [](const task_fiber& f, const char* what) {
    if (!f.asleep.load(std::memory_order_relaxed)) return;
    const scope* s = f.waits_for.load(std::memory_order_relaxed);
    if (!s) {
      std::fprintf(stderr, "  %s on worker %d waits for an ms::mutex\n", what, f.home->index);
      return;
    }
    std::fprintf(stderr, "  %s on worker %d waits for %llu members", what, f.home->index,
                 static_cast<unsigned long long>(s->in_flight()));
    if (const detail::task_node* owner = s->owner())
      std::fprintf(stderr, " of the task created at %s:%u", owner->where.file_name(), owner->where.line());
    std::fputc('\n', stderr);
  };
  {
    std::lock_guard held(fibers_lock_);
    for (const task_fiber& f : fibers_) print(f, "a fiber");
  }
  print(*at(0).own_stack, "the starting thread's own stack");
  for (auto& w : workers_)
    std::fprintf(stderr, "  worker %d: queue %s, inbox %s\n", w->index, w->queue.empty() ? "empty" : "holds work",
                 w->inbox.load() ? "holds a fiber" : "empty");
}

}  // namespace maslin
