#pragma once
// A scope is the set of tasks that one wait covers: the children of a task, of a thread's root context, or of a group.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "base/lock.hpp"

namespace maslin {

namespace detail {
struct task_node;
}

/// Exceptions with their places in program order.
class error_list {
 public:
  void add(std::uint64_t place, std::exception_ptr what) { entries_.push_back({place, std::move(what)}); }
  void add_all(std::uint64_t place, error_list&& from);
  bool empty() const { return entries_.empty(); }
  /// Gives the exceptions in program order, the earliest first, and leaves nothing.
  std::vector<std::exception_ptr> take();

 private:
  struct entry {
    std::uint64_t place;
    std::exception_ptr what;
  };
  std::vector<entry> entries_;
};

class scope;

/// A caller that can be suspended: a fiber, or a thread that is no worker. It waits for one thing at a time.
class waiter {
 public:
  /// Suspends the caller, which must be this waiter, and releases `held` once `wake` may be called; returns after it
  /// was. `covered` is the scope it waits for, if it is one.
  virtual void sleep(base::short_lock& held, const scope* covered) = 0;
  /// Lets the waiter go on. Called once for each sleep; the waiter may be gone the moment it was called.
  virtual void wake() noexcept = 0;

  waiter* next = nullptr;  // belongs to what the waiter waits for

 protected:
  ~waiter() = default;
};

/// The counter of a scope: `open` members, where the scope itself counts as one until it is closed, and a bit that says
/// that somebody sleeps until only that one is left.
///
///   bit 63      somebody waits
///   bits 62..0  the scope itself (1) + members that are not done
class scope {
 public:
  /// `owner`: the task whose children these are, done when the last of them is. `outer`: the scope in which the owner
  /// itself is a member, or the one of the context that waits for this one; null where nothing outer is known to live.
  explicit scope(const scope* outer, detail::task_node* owner = nullptr) : outer_(outer), owner_(owner) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;

  /// Counts `members` more; gives the first one's place in program order.
  std::uint64_t enter(std::uint64_t members = 1) noexcept {
    state_.fetch_add(members, std::memory_order_relaxed);
    return created_.fetch_add(members, std::memory_order_relaxed);
  }
  /// Gives a place in program order for something that is no member.
  std::uint64_t next_place() noexcept { return created_.fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t in_flight() const noexcept { return (state_.load(std::memory_order_relaxed) & ~waiting) - 1; }
  /// True when all members are done; then everything they did is visible.
  bool quiet() const noexcept { return state_.load(std::memory_order_acquire) == 1; }

  /// Takes `members` that are done off the count and wakes those who waited if only the scope itself is left. Gives
  /// true when nothing is left: the scope itself had left before. The scope may be gone unless it gives true.
  bool leave(std::uint64_t members = 1) noexcept;

  /// Suspends `w` (the caller) until only the scope itself is left.
  void await(waiter& w);

  void add_error(std::uint64_t place, std::exception_ptr what);
  void add_errors(std::uint64_t place, error_list&& from);
  bool has_errors() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// Only when quiet.
  error_list take_errors();

  detail::task_node* owner() const noexcept { return owner_; }
  const scope* outer() const noexcept { return outer_; }

 private:
  static constexpr std::uint64_t waiting = std::uint64_t{1} << 63;

  bool start_waiting() noexcept;

  std::atomic<std::uint64_t> state_{1};
  std::atomic<std::uint64_t> created_{0};
  const scope* outer_;
  detail::task_node* owner_;
  std::atomic<bool> failed_{false};
  base::short_lock lock_;
  waiter* waiters_ = nullptr;           // under lock_
  std::unique_ptr<error_list> errors_;  // under lock_
};

}  // namespace maslin
