#pragma once
// How a worker waits for work: it stays awake as long as the policy has it (sched/grain/wait.hpp), then parks.
// README.md holds the protocol and why no wake-up is lost.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/atomic.hpp"
#include "base/clock.hpp"
#include "base/lock.hpp"
#include "exec/threads/bits.hpp"
#include "sched/grain/site_time.hpp"
#include "sched/grain/wait.hpp"

namespace maslin {

/// Where one worker sleeps. The word is 0 nothing, 1 a wake-up is there, 2 asleep.
class parking {
 public:
  /// Sleeps until `unpark`; returns at once if it was called since the last `park`.
  void park() noexcept {
    std::uint32_t nothing = 0;
    if (word_.compare_exchange_strong(nothing, 2, std::memory_order_acquire)) {
      while (word_.load(std::memory_order_acquire) == 2) word_.wait(2, std::memory_order_acquire);
    }
    // It reads the wake-up that it takes, and is sequentially consistent: who found one there (`is_woken`) gives no
    // other. So what whoever gave it has made is seen by what the sleeper reads from here on.
    word_.exchange(0, std::memory_order_seq_cst);
  }
  void unpark() noexcept {
    if (word_.exchange(1, std::memory_order_release) == 2) word_.notify_one();
  }
  /// Is a wake-up there that the sleeper has not come back for yet?
  bool is_woken() const noexcept { return word_.load(std::memory_order_seq_cst) == 1; }

 private:
  MASLIN_ATOMIC<std::uint32_t> word_{0};
};

/// Who of the workers sleeps. A worker says that it sleeps, looks around once more, parks unless it found something,
/// and gets up; who makes work makes it visible first, then wakes somebody (README, race 1). A wake-up is given once:
/// the one who takes the bit down gives it.
class sleepers {
 public:
  explicit sleepers(int workers)
      : asleep_(workers), parkings_(std::make_unique<parking_place[]>(static_cast<std::size_t>(workers))) {}

  // Any thread.
  bool sleeps(int worker) const { return asleep_.test(worker); }
  bool any_sleeps(int first, int last) const { return asleep_.first_set(first, last) >= 0; }
  /// Do all of [first, last) sleep but for `worker`?
  bool all_sleep_but(int worker, int first, int last) const { return asleep_.all_set(first, last, worker); }
  /// Wakes one of [first, last) that sleeps; false if none does.
  bool wake_one(int first, int last) {
    for (int i = asleep_.first_set(first, last); i >= 0; i = asleep_.first_set(i + 1, last)) {
      if (!asleep_.clear(i)) continue;  // somebody else wakes that one
      wake(i);
      return true;
    }
    return false;
  }
  /// Wakes that one if it sleeps; gives whether it did.
  bool notify(int worker) {
    if (!asleep_.clear_if_set(worker)) return false;
    wake(worker);
    return true;
  }
  /// Makes it come back from parking, now or at once when it parks next.
  void wake(int worker) {
    parking_place& its = at(worker);
    its.called_at.store(base::ticks(), std::memory_order_relaxed);
    its.place.unpark();
  }

  // The worker itself.
  void prepare_to_sleep(int worker) { asleep_.set(worker); }
  /// Gives how many ticks ago it was called; 0 if it was before it slept.
  std::uint64_t park(int worker) {
    parking_place& its = at(worker);
    const std::uint64_t begin = base::ticks();
    its.place.park();
    const std::uint64_t called = its.called_at.load(std::memory_order_relaxed), now = base::ticks();
    return called > begin && now > called ? now - called : 0;
  }
  /// Gives whether somebody has woken it since it lay down, for whatever reason.
  bool finish_sleep(int worker) { return !asleep_.clear(worker); }

 private:
  struct alignas(64) parking_place {
    parking place;
    std::atomic<std::uint64_t> called_at{0};  ///< ticks; of several calls one
  };
  parking_place& at(int worker) { return parkings_[static_cast<std::size_t>(worker)]; }

  worker_bits asleep_;
  std::unique_ptr<parking_place[]> parkings_;
};

/// Measures how long it takes to wake a sleeping thread here: the median of a few wake-ups, in ticks.
std::uint64_t measure_wake_up();

/// Has the system given the calling thread's core to another thread since this was last asked? A gap in which a virtual
/// machine's host or an interrupt had the core is none of our neighbours' doing. A system call: for when something
/// strange was seen.
bool was_preempted() noexcept;

/// How long the workers of one runtime stay awake while they wait, and whether they may now.
class spinning {
 public:
  /// `asked`: the policy that the user named, or `automatic`. `oversubscribed`: there are more workers than CPUs, so a
  /// spinning worker always takes somebody's core.
  spinning(grain::wait_policy asked, bool oversubscribed);

  /// How a wait was while it was awake.
  struct awake {
    bool ready;           ///< what it waited for has come
    std::uint64_t begin;  ///< in ticks; 0: it was there already
    std::uint64_t last;   ///< when it looked at the clock last, about when it ended
  };
  /// Stays awake until `ready()` or until the policy has it sleep. Notices when the waiter lost its core to another
  /// thread meanwhile; then nobody spins for a while. `is_first()`, asked under `adaptive` alone: is this wait expected
  /// to end before all others?
  template <class Ready, class IsFirst>
  awake until(grain::wait_policy policy, Ready&& ready, IsFirst&& is_first) {
    if (ready()) return {true, 0, 0};
    const std::uint64_t begin = base::ticks();
    awake w{false, begin, begin};
    const plan& p = plan_at(policy, begin);
    if (policy == grain::wait_policy::adaptive) {
      take_turns(w, p.yield, p.spin > 0, ready, is_first);
      return w;
    }
    if (p.spin > 0) look(w, begin + p.spin, ready);
    if (!w.ready && p.yield > 0) look_between_yields(w, w.last + p.yield, ready);
    return w;
  }
  /// Spins for something that is expected within the time that resuming another fiber takes; gives whether it came.
  template <class Ready>
  bool briefly_until(Ready&& ready) {
    if (ready()) return true;
    const std::uint64_t begin = base::ticks();
    if (brief_ == 0 || begin < crowded_until_.load(std::memory_order_relaxed)) return false;
    awake w{false, begin, begin};
    look(w, begin + brief_, ready);
    return w.ready;
  }

  bool is_oversubscribed() const { return oversubscribed_; }
  /// Gives what waking a sleeper costs here, in seconds; a guess where nobody waits awake.
  double wake_up() const { return wake_up_; }
  /// A sleeper came so many ticks after it was called.
  void has_woken(std::uint64_t ticks) {
    constexpr std::uint32_t memory = 16;
    latest_.store(latest_.load(std::memory_order_relaxed).learned_usual(ticks, memory), std::memory_order_relaxed);
  }
  /// Gives in how many ticks a sleeper comes, as the latest did.
  double wake_up_ticks() const { return std::min(latest_.load(std::memory_order_relaxed).expected(1), longest_); }
  /// Gives for how many ticks from now a waiter stays awake under that policy if nothing comes.
  std::uint64_t stays_awake(grain::wait_policy policy, std::uint64_t now) const {
    const plan& p = plan_at(policy, now);
    return policy == grain::wait_policy::adaptive ? p.yield : p.spin + p.yield;
  }
  /// Was the wait over so early that staying awake was worth it?
  bool was_short(std::uint64_t ticks) const { return ticks <= worth_; }
  /// Gives how often a waiter lost its core.
  std::uint64_t lost_cores() const { return lost_cores_.load(std::memory_order_relaxed); }

 private:
  struct plan {
    std::uint64_t spin;   ///< ticks
    std::uint64_t yield;  ///< ticks
  };

  const plan& plan_at(grain::wait_policy policy, std::uint64_t now) const {
    const bool crowded = oversubscribed_ || now < crowded_until_.load(std::memory_order_relaxed);
    return plans_[crowded][static_cast<std::size_t>(policy)];
  }
  /// False if it has lost its core.
  template <class Ready>
  bool look(awake& w, std::uint64_t end, Ready& ready) {
    while (w.last < end) {
      for (int i = 0; i < 8; ++i) {
        base::relax();
        if (ready()) return w.ready = true;
      }
      if (!kept_core(w)) return false;
    }
    return true;
  }
  template <class Ready>
  void look_between_yields(awake& w, std::uint64_t end, Ready& ready) {
    while (w.last < end) {
      give_way();
      if (ready()) return void(w.ready = true);
      kept_core(w);  // others had the core because they were let
    }
  }
  template <class Ready, class IsFirst>
  void take_turns(awake& w, std::uint64_t most, bool may_spin, Ready& ready, IsFirst& is_first) {
    while (w.last - w.begin < most && !w.ready) {
      if (may_spin && is_first())
        may_spin = look(w, w.last + brief_, ready);
      else
        look_between_yields(w, w.last + 1, ready);
    }
  }
  /// Takes the time; false if the waiter has lost its core since the last look at the clock.
  bool kept_core(awake& w) {
    const std::uint64_t now = base::ticks();
    const bool lost = now - w.last > lost_core_ && was_preempted();
    w.last = now;
    if (!lost) return true;
    lost_cores_.fetch_add(1, std::memory_order_relaxed);
    crowded_until_.store(now + pause_, std::memory_order_relaxed);
    return false;
  }
  static void give_way() noexcept;

  bool oversubscribed_;
  double wake_up_;
  plan plans_[2][4];         ///< with cores to spare, in a crowd; by policy
  std::uint64_t worth_;      ///< ticks
  std::uint64_t brief_;      ///< ticks
  std::uint64_t lost_core_;  ///< a gap between two looks that only a lost core explains, in ticks
  std::uint64_t pause_;      ///< nobody spins for this long after a core was lost, in ticks
  double longest_;           ///< that a wake-up counts as, in ticks
  std::atomic<grain::site_time> latest_{};
  std::atomic<std::uint64_t> crowded_until_{0};
  std::atomic<std::uint64_t> lost_cores_{0};
};

}  // namespace maslin
