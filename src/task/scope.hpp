#pragma once
// A scope is the set of tasks that one wait covers: the children of a task, of a thread's root context, or of a group.

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"

namespace maslin {

namespace detail {
struct task_node;
}

/// Exceptions with their places in program order. Keeps the first without memory; where there is none for another, a
/// std::bad_alloc takes the first one's place.
class error_list {
 public:
  void add(std::uint64_t place, std::exception_ptr what) noexcept;
  /// Adds all of `from`, in their order, at one place.
  void add_all(std::uint64_t place, error_list&& from) noexcept;
  bool empty() const noexcept { return !first_.what; }
  std::size_t size() const noexcept { return first_.what ? 1 + others_.size() : 0; }
  /// Takes out the earliest; null when there is none.
  std::exception_ptr take_first() noexcept;
  /// Takes out all and calls `see(exception)` for each, the earliest first.
  template <class See>
  void take_each(See&& see) {
    sort();
    entry one = std::exchange(first_, {});
    std::vector<entry> others = std::exchange(others_, {});
    if (one.what) see(std::move(one.what));
    for (entry& e : others) see(std::move(e.what));
  }

 private:
  struct entry {
    std::uint64_t place = 0;
    std::exception_ptr what;
  };
  void sort() noexcept;

  entry first_;  ///< in the order in which they were added
  std::vector<entry> others_;
};

class scope;

/// What a suspended caller waits for: the end of a scope's members, or a lock. For messages and for who helps.
struct awaited_end {
  const scope* members = nullptr;
  const std::atomic<std::uint64_t>* holder = nullptr;  ///< of the lock: whose code holds it, as `identity` names it
  bool is_message = false;                             ///< or what other ranks do (ms::ranks)
};

/// A caller that can be suspended: a fiber, or a thread that is no worker. It waits for one thing at a time.
class waiter {
 public:
  /// Suspends the caller, which must be this waiter, and releases `held` once `wake` may be called; returns after it
  /// was.
  virtual void sleep(base::short_lock& held, const awaited_end& what) MASLIN_RELEASES(held) = 0;
  /// Lets the waiter go on. Called once for each sleep; the waiter may be gone the moment it was called.
  virtual void wake() noexcept = 0;

  // What the waiter waits for keeps these.
  waiter* next = nullptr;
  std::int64_t settled = 0;

 protected:
  ~waiter() = default;
};

/// Counts members that are not done, in one word, so that whoever takes the last one off knows whether somebody waits:
///
///   bits 63..2  open members (signed); `lent` more where one creator counts its new members privately;
///               while somebody sleeps, `waiter::settled` more: what the creator had counted then, and less the number
///               that the waiter is content with
///   bit 1       closed: the owner's body has returned, and who takes the last member off finishes the owner
///   bit 0       awaited: somebody sleeps until the count has come down to 0; changed only under the lock, together
///               with the list of who sleeps
class scope {
 public:
  /// Who adds members: one context (the children of a task, of a thread, of a loop's body, of a group), which then
  /// counts them without an atomic operation; or several threads (the blocks of a loop). Others may add to what one
  /// context counts (`enter_beside`) and wait for it: they may be woken before all is done, since it goes on counting.
  enum class creators : std::uint8_t { one, many };

  /// `outer`: the scope of the context that waits for this one, null where none is known to live.
  explicit scope(const scope* outer, creators who = creators::one) : state_(start(who)), link_(tag(outer, who)) {}
  /// The children of a task; the task is done when the last of them is.
  explicit scope(detail::task_node& owner)
      : state_(start(creators::one)), link_(reinterpret_cast<std::uintptr_t>(&owner) | owned) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope() { delete errors_.load(std::memory_order_acquire); }

  /// Counts `members` more; gives the first one's place in program order.
  std::uint64_t enter(std::uint64_t members = 1) noexcept {
    if (!by_many()) {
      const std::uint64_t place = created_.load(std::memory_order_relaxed);
      created_.store(place + members, std::memory_order_relaxed);
      return place;
    }
    state_.fetch_add(static_cast<std::int64_t>(members) * one, std::memory_order_relaxed);
    return created_.fetch_add(members, std::memory_order_relaxed);
  }
  /// Counts a member that another than the one creator creates; its place is the caller's to know.
  void enter_beside() noexcept { state_.fetch_add(one, std::memory_order_relaxed); }
  /// The number of members so far: the place of the next.
  std::uint64_t created() const noexcept { return created_.load(std::memory_order_relaxed); }
  /// Members that are not done; what the others did is visible. While somebody else waits it may be less, but 0 only
  /// when all are done whose creation the caller knows of.
  std::int64_t in_flight() const noexcept {
    const std::int64_t state = state_.load(std::memory_order_acquire);
    return state & awaited ? state >> 2 : open(state);
  }
  bool quiet() const noexcept { return in_flight() == 0; }

  /// Takes `members` that are done off the count and wakes those who wait if that was what they waited for. Gives true
  /// when nothing is left and the scope is closed: then the caller finishes the owner. Otherwise the scope may be gone.
  bool leave(std::uint64_t members = 1) noexcept;
  /// The owner's body has returned: no more members are created. Gives true when none is left.
  bool close() noexcept;

  /// Makes the children of a task that is done those of one that begins, for a task that runs again.
  void reopen() noexcept {
    if (created() == 0) return;
    state_.store(start(creators::one), std::memory_order_relaxed);
    created_.store(0, std::memory_order_relaxed);
  }

  /// Suspends `w` (the caller) until at most `rest` members are open, or, where another counts them, somewhat earlier.
  void await(waiter& w, std::int64_t rest = 0);

  void add_error(std::uint64_t place, std::exception_ptr what) noexcept;
  void add_errors(std::uint64_t place, error_list&& from) noexcept;
  /// A member failed or was cancelled; to be said before it leaves.
  void mark_void() noexcept { has_void_.store(true, std::memory_order_relaxed); }
  /// Members that have not begun are not to run; nor is that an error.
  void dismiss() noexcept { dismissed_.store(true, std::memory_order_relaxed); }
  bool dismissed() const noexcept { return dismissed_.load(std::memory_order_relaxed); }
  /// Only when quiet: the next members run again. Gives whether these were dismissed.
  bool end_dismissal() noexcept { return dismissed() && dismissed_.exchange(false, std::memory_order_relaxed); }
  bool has_errors() const noexcept { return thrown() || has_void_.load(std::memory_order_relaxed); }
  /// Only when quiet. Where members were cancelled and none threw, because what they needed failed in another scope, an
  /// `error` says so.
  error_list take_errors() noexcept;
  /// Only when quiet. Without that `error`: for an end that nobody waits for.
  error_list take_thrown() noexcept;

  /// The task whose children these are, or null.
  detail::task_node* owner() const noexcept {
    return link_ & owned ? reinterpret_cast<detail::task_node*>(link_ & ~tags) : nullptr;
  }
  /// Names the scope, also when it is gone, for messages: another at its address almost surely has another name.
  std::uint64_t identity() const noexcept;
  /// The scope in which the owner itself is a member, or that of the context that waits for this one; null where
  /// unknown.
  const scope* outer() const noexcept;
  /// Is it `other`, or enclosed by it?
  bool within(const scope* other) const noexcept;

 private:
  bool leave_and_wake(std::uint64_t members) noexcept;
  bool thrown() const noexcept {
    return errors_.load(std::memory_order_acquire) != nullptr || lost_.load(std::memory_order_relaxed);
  }

  static constexpr std::int64_t awaited = 1;
  static constexpr std::int64_t closed = 2;
  static constexpr std::int64_t one = 4;
  static constexpr std::int64_t lent = std::int64_t{1} << 60;
  static constexpr std::uintptr_t owned = 1;
  static constexpr std::uintptr_t many = 2;
  static constexpr std::uintptr_t tags = 3;

  static std::int64_t start(creators who) { return who == creators::one ? lent * one : 0; }
  static std::uintptr_t tag(const scope* outer, creators who) {
    return reinterpret_cast<std::uintptr_t>(outer) | (who == creators::many ? many : 0);
  }
  bool by_many() const { return link_ & many; }
  /// What `state` lacks to be the true count: what the one creator counted privately, less what it lent.
  std::int64_t unsettled() const noexcept {
    return by_many() ? 0 : static_cast<std::int64_t>(created_.load(std::memory_order_relaxed)) - lent;
  }
  std::int64_t open(std::int64_t state) const noexcept { return (state >> 2) + unsettled(); }

  MASLIN_ATOMIC<std::int64_t> state_;
  MASLIN_ATOMIC<std::uint64_t> created_{0};
  std::uintptr_t link_;                         ///< outer scope or owner, with tags
  MASLIN_ATOMIC<error_list*> errors_{nullptr};  ///< changed under lock_
  waiter* waiters_ MASLIN_GUARDED_BY(lock_) = nullptr;
  base::short_lock lock_;
  MASLIN_ATOMIC<bool> has_void_{false};
  std::atomic<bool> dismissed_{false};
  MASLIN_ATOMIC<bool> lost_{false};  ///< there was no memory for what a member threw
};

}  // namespace maslin
