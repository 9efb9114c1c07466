#include "task/context.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "maslin/error.hpp"
#include "task/branch.hpp"
#include "task/context_watcher.hpp"
#include "task/pool.hpp"

namespace maslin {

namespace detail {

constinit fork_list no_forks{.low = fork_list::no_room};
constinit thread_local thread_state state_of_thread{.forks = &no_forks};
[[gnu::noinline]] thread_state& address_of_thread_state() noexcept {
  asm volatile("");
  return state_of_thread;
}

}  // namespace detail

bool has_frames(detail::thread_state& on) noexcept {
  if (on.forks != &detail::no_forks) return true;
  if (on.current) return false;
  static thread_local detail::fork_list own{.low = detail::fork_list::no_room};
  on.forks = &own;
  return true;
}

constinit std::atomic<watched> watched_contexts{watched::nothing};

namespace {

thread_local bool is_over = false;

std::atomic<void (*)(context&)> root_drain{nullptr};
std::atomic<context_watcher> watched_by{nullptr};  ///< one of these two, or who tells both
std::atomic<context_watcher> libraries_watcher{nullptr};
std::atomic<context_watcher> rights_watcher{nullptr};
void tell_both(context* now) noexcept {
  for (const auto* one : {&libraries_watcher, &rights_watcher})
    if (const auto tell = one->load(std::memory_order_acquire)) tell(now);
}

/// `exit` was called inside a task, on a thread that has a root context. What waits for this thread, or runs on others,
/// may use that to the end. Only one thread goes on to the handlers, for the last of two ends the process too early.
std::atomic_flag one_leaves;
std::atomic<const detail::fork_list*> leaver{nullptr};  ///< its stack's
void leave_in_task() noexcept {
  if (!one_leaves.test_and_set()) return leaver.store(detail::state_of_thread.forks, std::memory_order_relaxed);
  for (;;) pause();
}

/// When its thread ends it is drained and gives back what it holds, but it can still be asked: what has static storage
/// ends after what is thread-local.
struct root_context {
  union {
    scope children;
  };
  union {
    context self;
  };

  root_context() {
    pool::begin_thread();
    new (&children) scope(nullptr);
    new (&self) context(children);
    self.is_root = true;
  }
  ~root_context() {
    is_over = true;
    if (!is_outside_tasks()) {
      leave_in_task();
      return;
    }
    drain();
    self.data.reset();
    self.others = {};
  }
  root_context(const root_context&) = delete;
  root_context& operator=(const root_context&) = delete;
  void drain() {
    if (auto* d = root_drain.load(std::memory_order_acquire)) d(self);
  }
};

thread_local root_context root;

}  // namespace

void set_root_drain(void (*drain)(context&)) noexcept { root_drain.store(drain, std::memory_order_release); }
void drain_root_context() { root.drain(); }
bool is_root_context_over() noexcept { return is_over; }
bool has_left_in_task() noexcept {
  return is_over && leaver.load(std::memory_order_relaxed) == detail::state_of_thread.forks;
}
void forget_root_context() noexcept {
  one_leaves.clear();
  leaver.store(nullptr, std::memory_order_relaxed);
  (void)root.self.data.release();  // it names tasks that are not this process's
  root.children.~scope();
  new (&root.children) scope(nullptr);
  root.self.window_full_from = 0;
  root.self.lost = root.self.waits_at = 0;
}

namespace {

/// None is in force: gives that of the innermost branch, made now, or the thread's own.
[[gnu::noinline, gnu::cold]] context& branch_or_root() noexcept {
  const detail::fork_list& forks = *detail::state_of_thread.forks;
  if (!forks.innermost) return *(detail::state_of_thread.root = &root.self);
  detail::branch_frame& frame = *forks.innermost;
  frame.inside = &(new (frame.branch) branch(forks.base ? *forks.base : root.self, frame))->self;
  set_current_context(frame.inside);
  return *frame.inside;
}

}  // namespace

[[gnu::noinline]] context& current_context() noexcept {
  const detail::thread_state& on = detail::state_of_thread;
  if (on.current) return *on.current;
  return on.root && !on.forks->innermost ? *on.root : branch_or_root();
}
[[gnu::noinline]] context* current_context_or_null() noexcept { return detail::state_of_thread.current; }
[[gnu::noinline]] context* known_context() noexcept {
  const detail::thread_state& here = detail::state_of_thread;
  return here.current ? here.current : here.forks->base;
}
[[gnu::noinline]] bool is_outside_tasks() noexcept {
  return !detail::state_of_thread.current && !detail::state_of_thread.forks->innermost;
}
/// Apart, so that nothing is saved on the stack where nobody watches.
[[gnu::noinline, gnu::cold]] static context* tell_of(context* now, context_watcher tell, context* before) noexcept {
  tell(now);
  return before;
}
[[gnu::noinline]] context* exchange_current_context(context* c) noexcept {
  context* const before = std::exchange(detail::state_of_thread.current, c);
  if (const auto tell = watched_by.load(std::memory_order_relaxed)) [[unlikely]]
    return tell_of(c, tell, before);
  return before;
}
[[gnu::noinline]] void set_current_context(context* c) noexcept {
  detail::state_of_thread.current = c;
  if (const auto tell = watched_by.load(std::memory_order_relaxed)) [[unlikely]]
    tell(c);
}
[[gnu::noinline]] detail::fork_list* forks_of_thread() noexcept { return detail::state_of_thread.forks; }
[[gnu::noinline]] void set_forks_of_thread(detail::fork_list* list) noexcept { detail::state_of_thread.forks = list; }
void keep_no_tasks() noexcept {
  detail::fork_list& list = *forks_of_thread();
  if (list.kept.left > 0) list.kept = {};
}
// Release: what the watcher needs was there before; who misses it meets it at the next change.
void set_context_watcher(context_watcher watcher, watched what) noexcept {
  watched_contexts.store(what, std::memory_order_relaxed);
  libraries_watcher.store(watcher, std::memory_order_release);
  watched_by.store(rights_watcher.load(std::memory_order_relaxed) ? tell_both : watcher, std::memory_order_release);
}
void set_rights_watcher(context_watcher watcher) noexcept {
  rights_watcher.store(watcher, std::memory_order_release);
  watched_by.store(watcher ? tell_both : libraries_watcher.load(std::memory_order_relaxed), std::memory_order_release);
}

void rethrow_first(error_list&& errors) {
  if (errors.empty()) return;
  std::exception_ptr first = errors.take_first();
  current_context().others = std::move(errors);
  std::rethrow_exception(std::move(first));
}

std::vector<std::exception_ptr> other_exceptions() {
  std::vector<std::exception_ptr> all;
  error_list(current_context().others).take_each([&](std::exception_ptr&& what) { all.push_back(std::move(what)); });
  return all;
}

}  // namespace maslin
