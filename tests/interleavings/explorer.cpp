#include "explorer.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <utility>

namespace explorer {

namespace bc = boost::context::detail;

namespace {

/// Used again and again, also those of threads that were left in the middle.
class stacks {
 public:
  static constexpr std::size_t bytes = std::size_t{1} << 17;
  using stack = std::unique_ptr<char[]>;

  stack take() {
    if (free_.empty()) return stack(new char[bytes]);
    stack one = std::move(free_.back());
    free_.pop_back();
    return one;
  }
  void give(stack&& one) { free_.push_back(std::move(one)); }

 private:
  std::vector<stack> free_;
};
stacks all_stacks;

/// Addresses; emptied at once and used again.
class address_set {
 public:
  void clear() {
    ++round_;
    size_ = 0;
  }
  bool contains(const void* address) const {
    if (size_ == 0) return false;
    for (std::size_t i = first_place(address); table_[i].round == round_; i = (i + 1) % table_.size())
      if (table_[i].address == address) return true;
    return false;
  }
  void insert(const void* address) {
    std::size_t i = first_place(address);
    while (table_[i].round == round_ && table_[i].address != address) i = (i + 1) % table_.size();
    if (table_[i].round != round_) ++size_;
    table_[i] = {address, round_};
    if (size_ == table_.size() / 2) fail("too many atomics have ended");
  }
  void erase(const void* address) {
    if (size_ == 0) return;
    for (std::size_t i = first_place(address); table_[i].round == round_; i = (i + 1) % table_.size())
      if (table_[i].address == address) table_[i].address = nullptr;  // those behind it stay where they are
  }

 private:
  struct entry {
    const void* address = nullptr;
    std::uint64_t round = 0;
  };
  static constexpr int bits = 13;
  static std::size_t first_place(const void* address) {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u >> (64 - bits));
  }
  std::vector<entry> table_{std::size_t{1} << bits};
  std::uint64_t round_ = 1;
  std::size_t size_ = 0;  ///< places in use
};
address_set ended_atomics;  // in this execution

struct thread {
  explicit thread(const std::function<void()>& what) : body(what) {}

  const std::function<void()>& body;
  stacks::stack stack = all_stacks.take();
  bc::fcontext_t context = nullptr;      ///< where it goes on
  std::vector<std::byte> thread_locals;  ///< while it does not run: its own; while it does, the explorer's
  const void* sleeps_on = nullptr;
  bool done = false;
};

/// A point at which several threads could have gone on.
struct choice {
  static constexpr std::size_t most = 8;  ///< threads
  std::array<std::size_t, most> options;
  std::size_t count = 0;
  std::size_t taken = 0;

  void add(std::size_t thread) { options.at(count++) = thread; }
};

/// Threads, a bit each; 32 at most.
using thread_set = std::uint32_t;
constexpr thread_set only(std::size_t thread) { return thread_set{1} << thread; }

/// More than any explored structure takes: who goes on for so long goes round.
constexpr std::size_t most_steps = 20'000;

/// One execution: along `path` as far as that reaches, and along first options from there on.
struct execution {
  execution(int preemptions, std::vector<choice>& along, result& to) : left(preemptions), path(along), into(to) {}

  std::vector<std::unique_ptr<thread>> threads;
  thread* running = nullptr;
  bc::fcontext_t scheduler = nullptr;
  std::string failure;
  std::pair<std::uintptr_t, std::uintptr_t> torn;
  std::vector<std::span<std::byte>> thread_locals;

  int left;  ///< pre-emptions
  std::vector<choice>& path;
  std::size_t choices = 0;  ///< made so far
  result& into;
  std::size_t current = 0;  ///< who takes the next step, or has taken the last
  bool goes_on = true;
  thread_set awake = 0;  ///< who neither sleeps nor has ended
  thread_set giving_way = 0;

  void choose();
};
execution* now = nullptr;

/// Says who takes the next step, and whether anybody can.
void execution::choose() {
  if (into.schedule.size() == most_steps) fail("it goes on for ever");
  if (!failure.empty()) return void(goes_on = false);
  // Who gave way does so until another has taken a step, or nobody else can.
  giving_way &= only(current);
  thread_set ready = awake & ~giving_way;
  if (ready == 0) {
    giving_way = 0;
    ready = awake & only(current);
  }
  if (ready == 0) return void(goes_on = false);
  const bool could_go_on = ready & only(current);
  if (left > 0 || !could_go_on) {
    std::size_t next = could_go_on ? current : static_cast<std::size_t>(std::countr_zero(ready));
    if (!std::has_single_bit(ready)) {
      if (choices == path.size()) {
        choice& here = path.emplace_back();
        here.add(next);
        for (thread_set others = ready & ~only(next); others != 0; others &= others - 1)
          here.add(static_cast<std::size_t>(std::countr_zero(others)));
      }
      next = path[choices].options[path[choices].taken];
      ++choices;
    }
    if (could_go_on && next != current) --left;
    current = next;
  }
  into.schedule.push_back(current);
}

/// The running thread has taken a step; returns when it is to take another.
void yield() {
  now->choose();
  if (now->goes_on && now->threads[now->current].get() == now->running) return;
  now->scheduler = bc::jump_fcontext(now->scheduler, nullptr).fctx;
}

void run_thread(bc::transfer_t from) {
  now->scheduler = from.fctx;
  thread& me = *now->running;
  me.body();
  me.done = true;
  now->awake &= ~only(now->current);
  yield();
}

void exchange_thread_locals(thread& t) {
  auto at = t.thread_locals.begin();
  for (const std::span<std::byte> bytes : now->thread_locals) {
    std::swap_ranges(bytes.begin(), bytes.end(), at);
    at += static_cast<std::ptrdiff_t>(bytes.size());
  }
}

void go_on(thread& t) {
  now->running = &t;
  exchange_thread_locals(t);
  t.context = bc::jump_fcontext(t.context, nullptr).fctx;
  exchange_thread_locals(t);
  now->running = nullptr;
}

void add_thread(execution& e, const std::function<void()>& body) {
  e.awake |= only(e.threads.size());
  e.threads.push_back(std::make_unique<thread>(body));
  thread& t = *e.threads.back();
  t.context = bc::make_fcontext(t.stack.get() + stacks::bytes, stacks::bytes, run_thread);
  for (const std::span<std::byte> bytes : e.thread_locals)
    t.thread_locals.insert(t.thread_locals.end(), bytes.begin(), bytes.end());
}

void run_once(scenario& s, int preemptions, std::vector<choice>& path, result& into) {
  into.schedule.clear();
  ended_atomics.clear();
  execution e(preemptions, path, into);
  now = &e;
  e.torn = s.torn;
  e.thread_locals = s.thread_locals;
  constexpr std::size_t exceptions = 16;  // bytes of the C++ runtime's
  e.thread_locals.emplace_back(reinterpret_cast<std::byte*>(abi::__cxa_get_globals()), exceptions);
  for (const auto& body : s.threads) add_thread(e, body);
  for (const auto& body : s.servants) add_thread(e, body);
  for (e.choose(); e.goes_on;) go_on(*e.threads[e.current]);
  for (std::size_t i = 0; i < s.threads.size() && e.failure.empty(); ++i)
    if (!e.threads[i]->done) e.failure = "thread " + std::to_string(i) + " sleeps for ever";
  if (e.failure.empty()) s.check();
  into.failure = e.failure;
  now = nullptr;
  for (auto& t : e.threads) all_stacks.give(std::move(t->stack));
}

}  // namespace

void step() {
  if (now && now->running) yield();
}

void sleep_on(const void* address) {
  now->running->sleeps_on = address;
  now->awake &= ~only(now->current);
  yield();
}

void notify(const void* address, bool all) {
  step();
  if (!now) return;
  for (std::size_t i = 0; i < now->threads.size(); ++i) {
    if (now->threads[i]->sleeps_on != address) continue;
    now->threads[i]->sleeps_on = nullptr;
    now->awake |= only(i);
    if (!all) return;
  }
}

void give_way() {
  if (!now || !now->running) return;
  now->giving_way |= only(now->current);
  yield();
}

void begins(const void* address) {
  if (now) ended_atomics.erase(address);
}
void ends(const void* address) {
  if (now) ended_atomics.insert(address);
}
bool is_there(const void* address) { return !now || !ended_atomics.contains(address); }

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
