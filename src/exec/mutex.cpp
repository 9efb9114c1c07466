// maslin::mutex on any executor: who must wait is suspended in its executor's own way.

#include "maslin/mutex.hpp"

#include "exec/executor.hpp"
#include "graph/store_clock.hpp"
#include "maslin/error.hpp"
#include "task/context.hpp"
#include "task/uncancelled.hpp"

namespace maslin {

/// What `mutex` keeps to itself.
class mutex_access {
 public:
  /// The guard is the word of a base::short_lock, which the public header does not show.
  static base::short_lock& guard(mutex& m) { return reinterpret_cast<base::short_lock&>(m.guard_); }
  static waiter* first(mutex& m) { return static_cast<waiter*>(m.first_); }

  static void add(mutex& m, waiter& w) {
    w.next = nullptr;
    if (m.last_)
      static_cast<waiter*>(m.last_)->next = &w;
    else
      m.first_ = &w;
    m.last_ = &w;
  }
  static waiter* remove_first(mutex& m) {
    waiter* w = first(m);
    if (!w) return nullptr;
    m.first_ = w->next;
    if (!w->next) m.last_ = nullptr;
    return w;
  }
};

static_assert(sizeof(base::short_lock) == sizeof(std::atomic<unsigned>));

namespace {
std::uint64_t caller_identity() noexcept { return current_context().children->identity(); }
}  // namespace

void mutex::set_holder() noexcept {
  ++current_context().mutexes;
  holder_.store(caller_identity(), std::memory_order_relaxed);
}

/// Under the guard.
bool mutex::take() noexcept {
  if (held_) return false;
  held_ = true;
  set_holder();
  return true;
}

void mutex::lock() {
  base::short_lock& guard = mutex_access::guard(*this);
  for (;;) {
    guard.lock();
    if (take()) {
      guard.unlock();
      return graph::tell_program_looks();
    }
    guard.unlock();
    executor& exec = the_executor();
    waiter* me = exec.caller();
    if (!me) {
      exec.help(nullptr);
      continue;
    }
    const uncancelled during(current_context());
    guard.lock();
    if (take()) {
      guard.unlock();
      return graph::tell_program_looks();
    }
    mutex_access::add(*this, *me);
    me->sleep(guard, {nullptr, &holder_});  // until `unlock` hands it over
    set_holder();
    return graph::tell_program_looks();
  }
}

bool mutex::try_lock() noexcept {
  base::short_lock& guard = mutex_access::guard(*this);
  guard.lock();
  const bool taken = take();
  guard.unlock();
  if (taken) graph::tell_program_looks();
  return taken;
}

/// Whose mutex it is, is known but for a moment: who was woken by `unlock` says so when it runs. Until then it is the
/// one before.
void mutex::unlock() {
  const std::uint64_t caller = caller_identity();
  base::short_lock& guard = mutex_access::guard(*this);
  guard.lock();
  const bool free = !held_;
  if (free || holder_.load(std::memory_order_relaxed) != caller) [[unlikely]] {
    guard.unlock();
    throw error(free ? "ms::mutex: unlock() of a mutex that is not locked; expected a lock() before it"
                     : "ms::mutex: unlock() of a mutex that another task, stream or thread has locked; expected the "
                       "lock() and the unlock() in the same one");
  }
  waiter* next = mutex_access::remove_first(*this);
  if (!next) held_ = false;
  guard.unlock();
  --current_context().mutexes;
  if (next) next->wake();
}

}  // namespace maslin
