#include "task/scope.hpp"

#include <algorithm>
#include <mutex>

namespace maslin {

void error_list::add_all(std::uint64_t place, error_list&& from) {
  for (auto& what : from.take()) add(place, std::move(what));
}

std::vector<std::exception_ptr> error_list::take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const entry& a, const entry& b) { return a.place < b.place; });
  std::vector<std::exception_ptr> all;
  all.reserve(entries_.size());
  for (auto& e : entries_) all.push_back(std::move(e.what));
  entries_.clear();
  return all;
}

bool scope::leave(std::uint64_t members) noexcept {
  // One step decides who wakes: it takes the last member off and the bit down together, so no two leavers can both see
  // the scope quiet, and a scope that nobody waits for is not touched again. Release: what the members did is visible
  // to whoever sees the scope quiet (`quiet`, `start_waiting`); acquire: the last one reads what the others left.
  std::uint64_t seen = state_.load(std::memory_order_relaxed);
  std::uint64_t next;
  do {
    next = seen - members;
    if (next == (waiting | 1)) next = 1;
  } while (!state_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed));
  if (next == 0) return true;
  if (!(seen & waiting) || next != 1) return false;
  // Those who sleep keep the scope alive until they are woken.
  lock_.lock();
  waiter* w = std::exchange(waiters_, nullptr);
  lock_.unlock();
  while (w) {
    waiter* after = w->next;
    w->wake();
    w = after;
  }
  return false;
}

void scope::await(waiter& w) {
  lock_.lock();
  if (!start_waiting()) {
    lock_.unlock();
    return;
  }
  w.next = waiters_;
  waiters_ = &w;
  w.sleep(lock_, this);
}

bool scope::start_waiting() noexcept {
  std::uint64_t seen = state_.load(std::memory_order_acquire);
  do {
    if (seen == 1) return false;
    if (seen & waiting) return true;
  } while (!state_.compare_exchange_weak(seen, seen | waiting, std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

void scope::add_error(std::uint64_t place, std::exception_ptr what) {
  std::lock_guard held(lock_);
  if (!errors_) errors_ = std::make_unique<error_list>();
  errors_->add(place, std::move(what));
  failed_.store(true, std::memory_order_release);
}

void scope::add_errors(std::uint64_t place, error_list&& from) {
  for (auto& what : from.take()) add_error(place, std::move(what));
}

error_list scope::take_errors() {
  std::lock_guard held(lock_);
  error_list all;
  if (errors_) all = std::move(*errors_);
  errors_.reset();
  failed_.store(false, std::memory_order_relaxed);
  return all;
}

}  // namespace maslin
