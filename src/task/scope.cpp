#include "task/scope.hpp"

#include <algorithm>
#include <new>

#include "maslin/error.hpp"
#include "task/node.hpp"

namespace maslin {

void error_list::add(std::uint64_t place, std::exception_ptr what) noexcept {
  if (!first_.what) {
    first_ = {place, std::move(what)};
    return;
  }
  try {
    others_.push_back({place, std::move(what)});
  } catch (const std::bad_alloc&) {
    first_ = {0, std::current_exception()};
  }
}

void error_list::add_all(std::uint64_t place, error_list&& from) noexcept {
  from.take_each([&](std::exception_ptr&& what) { add(place, std::move(what)); });
}

void error_list::sort() noexcept {
  const auto earlier = [](const entry& a, const entry& b) { return a.place < b.place; };
  std::stable_sort(others_.begin(), others_.end(), earlier);  // does without memory if it must
  // The first one was added before those at its place.
  const auto behind = std::lower_bound(others_.begin(), others_.end(), first_, earlier);
  if (behind == others_.begin()) return;
  std::rotate(others_.begin(), others_.begin() + 1, behind);
  std::swap(*(behind - 1), first_);
}

std::exception_ptr error_list::take_first() noexcept {
  sort();
  entry one = std::exchange(first_, {});
  if (!others_.empty()) {
    first_ = std::move(others_.front());
    others_.erase(others_.begin());
  }
  return std::move(one.what);
}

std::uint64_t scope::identity() const noexcept {
  const detail::task_node* task = owner();
  return reinterpret_cast<std::uintptr_t>(this) + (task ? (task->place + 1) << 48 : 0);
}

const scope* scope::outer() const noexcept {
  if (const detail::task_node* task = owner()) return task->in;
  return reinterpret_cast<const scope*>(link_ & ~tags);
}

bool scope::within(const scope* other) const noexcept {
  const scope* at = this;
  while (at && at != other) at = at->outer();
  return at;
}

bool scope::leave(std::uint64_t members) noexcept {
  // A scope that nobody waits for is not touched after this step. Release: what the members did is visible to whoever
  // sees the count (`quiet`, `await`); acquire: the one who finishes the owner reads what the others left.
  std::int64_t seen = state_.load(std::memory_order_relaxed);
  for (;;) {
    const std::int64_t next = seen - static_cast<std::int64_t>(members) * one;
    if ((seen & awaited) && (next >> 2) <= 0) {
      if (leave_and_wake(members)) return false;
      seen = state_.load(std::memory_order_relaxed);
    } else if (state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      return next == closed;
    }
  }
}

/// Takes the members off and wakes those who wait, if the members are the last that these wait for. The members keep
/// the scope alive until they are taken off; from then on those who sleep do.
bool scope::leave_and_wake(std::uint64_t members) noexcept {
  lock_.lock();
  std::int64_t seen = state_.load(std::memory_order_relaxed);
  std::int64_t next;
  do {
    next = seen - static_cast<std::int64_t>(members) * one;
    if (!(seen & awaited) || (next >> 2) > 0) {
      lock_.unlock();
      return false;
    }
    next = (next & ~awaited) - waiters_->settled;
  } while (!state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed));
  waiter* w = std::exchange(waiters_, nullptr);
  lock_.unlock();
  while (w) {
    waiter* after = w->next;
    w->wake();
    w = after;
  }
  return true;
}

bool scope::close() noexcept {
  // Nobody else ever entered: nobody else looks.
  if (created_.load(std::memory_order_relaxed) == 0) return true;
  const std::int64_t add = unsettled() * one + closed;
  return state_.fetch_add(add, std::memory_order_acq_rel) + add == closed;
}

void scope::await(waiter& w, std::int64_t rest) {
  lock_.lock();
  std::int64_t seen = state_.load(std::memory_order_acquire);
  do {
    if (seen & awaited) break;  // others sleep here already
    // Read after the state: a member that has left it was counted before. And 0 stands for what it waits for.
    w.settled = (unsettled() - rest) * one;
    if (((seen + w.settled) >> 2) <= 0) return lock_.unlock();
  } while (!state_.compare_exchange_weak(seen, seen + w.settled + awaited, std::memory_order_acq_rel,
                                         std::memory_order_acquire));
  // The first stays first: `settled` is its own.
  waiter*& place = waiters_ ? waiters_->next : waiters_;
  w.next = std::exchange(place, &w);
  w.sleep(lock_, {this});
}

void scope::add_error(std::uint64_t place, std::exception_ptr what) noexcept {
  const base::locked held(lock_);
  error_list* all = errors_.load(std::memory_order_relaxed);
  if (!all) all = new (std::nothrow) error_list;
  if (!all) return lost_.store(true, std::memory_order_relaxed);
  all->add(place, std::move(what));
  errors_.store(all, std::memory_order_release);
}

void scope::add_errors(std::uint64_t place, error_list&& from) noexcept {
  from.take_each([&](std::exception_ptr&& what) { add_error(place, std::move(what)); });
}

error_list scope::take_errors() noexcept {
  if (thrown() || !has_void_.load(std::memory_order_relaxed)) return take_thrown();
  has_void_.store(false, std::memory_order_relaxed);
  error_list cancelled;
  try {
    throw error(
        "tasks were cancelled because a task whose data they read threw, or was cancelled with its group; the wait "
        "that covers that one says which");
  } catch (...) {
    cancelled.add(0, std::current_exception());
  }
  return cancelled;
}

error_list scope::take_thrown() noexcept {
  has_void_.store(false, std::memory_order_relaxed);
  const base::locked held(lock_);
  const std::unique_ptr<error_list> kept(errors_.exchange(nullptr, std::memory_order_relaxed));
  error_list all;
  if (kept) all = std::move(*kept);
  if (lost_.load(std::memory_order_relaxed)) all.add(0, std::make_exception_ptr(std::bad_alloc()));
  lost_.store(false, std::memory_order_relaxed);
  return all;
}

}  // namespace maslin
