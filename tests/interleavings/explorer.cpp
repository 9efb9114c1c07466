#include "explorer.hpp"

#include <array>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <utility>

namespace explorer {

namespace {

struct thread {
  boost::context::fiber fiber;
  const void* sleeps_on = nullptr;
  bool gives_way = false;
  bool done = false;
};

/// The execution that runs now.
struct execution {
  std::vector<std::unique_ptr<thread>> threads;
  thread* running = nullptr;
  boost::context::fiber scheduler;
  std::string failure;
  std::pair<std::uintptr_t, std::uintptr_t> torn;
};
execution* now = nullptr;

boost::context::pooled_fixedsize_stack stacks(std::size_t{1} << 16);

void yield() { now->scheduler = std::move(now->scheduler).resume(); }

/// A point at which several threads could have gone on.
struct choice {
  static constexpr std::size_t most = 8;  ///< threads
  std::array<std::size_t, most> options;
  std::size_t count = 0;
  std::size_t taken = 0;

  void add(std::size_t thread) { options.at(count++) = thread; }
};

/// More than any explored structure takes: who goes on for so long goes round.
constexpr std::size_t most_steps = 20'000;

/// Runs once, along `path` as far as it reaches and along first options from there on.
void run_once(scenario& s, int preemptions, std::vector<choice>& path, result& into) {
  // Threads that are stuck cannot be ended, so their execution stays when it failed.
  auto owner = std::make_unique<execution>();
  execution& e = *owner;
  now = &e;
  e.torn = s.torn;
  for (auto& body : s.threads) {
    e.threads.push_back(std::make_unique<thread>());
    thread& t = *e.threads.back();
    t.fiber = boost::context::fiber(std::allocator_arg, stacks, [&t, &body](boost::context::fiber&& scheduler) {
      now->scheduler = std::move(scheduler);
      body();
      t.done = true;
      return std::move(now->scheduler);
    });
  }
  std::size_t current = 0;
  std::size_t choices = 0;
  int left = preemptions;
  into.schedule.clear();
  for (;;) {
    choice here;
    const auto awake = [&](std::size_t i) { return !e.threads[i]->done && !e.threads[i]->sleeps_on; };
    const auto ready = [&](std::size_t i) { return awake(i) && !e.threads[i]->gives_way; };
    bool any = false;
    for (std::size_t i = 0; i < e.threads.size(); ++i) any = any || ready(i);
    // Where nobody else can go on, who gave way does.
    if (!any)
      for (auto& t : e.threads) t->gives_way = false;
    const bool could_go_on = ready(current);
    if (could_go_on) here.add(current);
    for (std::size_t i = 0; i < e.threads.size(); ++i)
      if (i != current && ready(i) && (!could_go_on || left > 0)) here.add(i);
    if (here.count == 0) break;
    std::size_t next = here.options[0];
    if (here.count > 1) {
      if (choices == path.size()) path.push_back(here);
      next = path[choices].options[path[choices].taken];
      ++choices;
    }
    if (could_go_on && next != current) --left;
    current = next;
    into.schedule.push_back(current);
    thread& t = *e.threads[current];
    e.running = &t;
    t.fiber = std::move(t.fiber).resume();
    e.running = nullptr;
    if (into.schedule.size() == most_steps) fail("it goes on for ever");
    if (!e.failure.empty()) break;
    for (auto& other : e.threads)
      if (other.get() != &t) other->gives_way = false;
  }
  for (std::size_t i = 0; i < e.threads.size() && e.failure.empty(); ++i)
    if (!e.threads[i]->done) e.failure = "thread " + std::to_string(i) + " sleeps for ever";
  if (e.failure.empty()) s.check();
  into.failure = e.failure;
  now = nullptr;
  if (!into.failure.empty()) (void)owner.release();
}

}  // namespace

void step() {
  if (now && now->running) yield();
}

void sleep_on(const void* address) {
  now->running->sleeps_on = address;
  yield();
}

void notify(const void* address, bool all) {
  step();
  if (!now) return;
  for (auto& t : now->threads) {
    if (t->sleeps_on != address) continue;
    t->sleeps_on = nullptr;
    if (!all) return;
  }
}

void give_way() {
  if (!now || !now->running) return;
  now->running->gives_way = true;
  yield();
}

bool is_torn(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return now && at >= now->torn.first && at < now->torn.second;
}

void fail(const std::string& what) {
  if (now && now->failure.empty()) now->failure = what;
}

result explore(const std::function<std::unique_ptr<scenario>()>& make, int preemptions, std::uint64_t most) {
  result r;
  std::vector<choice> path;
  while (r.executions < most) {
    std::unique_ptr<scenario> s = make();
    run_once(*s, preemptions, path, r);
    ++r.executions;
    if (!r.failure.empty()) {
      (void)s.release();
      return r;
    }
    while (!path.empty() && path.back().taken + 1 == path.back().count) path.pop_back();
    if (path.empty()) {
      r.complete = true;
      return r;
    }
    ++path.back().taken;
  }
  return r;
}

}  // namespace explorer
