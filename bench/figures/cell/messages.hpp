#pragma once
// Messages between the processes of a blade (MPI through shared memory), after which all have a sum, in declared costs.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "maslin/maslin.hpp"

namespace cell {

namespace ms = maslin;

/// Who sends to whom before all have the sum.
enum class pattern : std::uint8_t {
  tree,       ///< in rounds, to the process that is 1, 2, 4, ... further on
  all_to_all  ///< to all others, and then from all others
};

/// What a process does while it waits for a message.
enum class waiting : std::uint8_t {
  block,      ///< leaves its hardware thread; the message wakes it
  as_kernel,  ///< what it does while it waits for a kernel (MASLIN_HOST)
  yield,      ///< in MPI's own call: looks, and yields to the next in turn
  adaptive,   ///< in MPI's own call: spins for as long as its last wait took, and then leaves
  spin        ///< in MPI's own call: spins, and yields when its time slice is over
};

struct messages {
  pattern who = pattern::all_to_all;
  waiting how = waiting::block;
  double us = 0;               ///< host time of one: half of it the sender's, half the receiver's
  bool one_at_a_time = false;  ///< one lock for the shared memory, which each half of a message needs
};

/// The messages between so many streams of a phase.
class messenger {
 public:
  messenger(std::int64_t processes, const messages& what)
      : processes_(processes),
        what_(what),
        half_(what.us / 2),
        on_their_way_(static_cast<std::size_t>(sums * processes * processes)),
        last_wait_(static_cast<std::size_t>(processes)) {}

  /// Before a process's first sum. All processes must run at the same time.
  void begin(std::int64_t process) {
    prepare(process, 0);
    ++begun_;
  }

  /// The process has its part of sum `number`, and comes back when it has the others'.
  void combine(std::int64_t process, std::int64_t number) {
    prepare(process, number + 1);
    if (what_.who == pattern::tree) {
      for_each_further([&](std::int64_t further) {
        send(process, further, number);
        receive(process, further, number);
      });
    } else {
      for_each_further([&](std::int64_t further) { send(process, further, number); });
      for_each_further([&](std::int64_t further) { receive(process, further, number); });
    }
  }

  /// After a process's last sum; `number` is the next one's.
  void end(std::int64_t process, std::int64_t number) {
    for_each_further([&](std::int64_t further) { message(process, further, number).unlock(); });
  }

 private:
  using seconds = std::chrono::duration<double>;
  using us = std::chrono::duration<double, std::micro>;
  static constexpr us a_look{0.5}, slice{10'000};
  /// Who prepares sum n + 1 has sum n - 1. So all have sent that, all have sum n - 2, and its locks are free.
  static constexpr std::int64_t sums = 3;

  template <class Body>
  void for_each_further(Body body) const {
    const bool tree = what_.who == pattern::tree;
    for (std::int64_t further = 1; further < processes_; further += tree ? further : 1) body(further);
  }

  /// Gives a lock that the sender holds until the message is there.
  ms::mutex& message(std::int64_t from, std::int64_t further, std::int64_t number) {
    return on_their_way_[static_cast<std::size_t>((number % sums * processes_ + from) * processes_ + further)];
  }

  void prepare(std::int64_t process, std::int64_t number) {
    for_each_further([&](std::int64_t further) { message(process, further, number).lock(); });
  }

  void send(std::int64_t process, std::int64_t further, std::int64_t number) {
    copy(process);
    let_all_happen();
    message(process, further, number).unlock();
  }

  void receive(std::int64_t process, std::int64_t further, std::int64_t number) {
    ms::mutex& sent = message((process + processes_ - further) % processes_, further, number);
    take(sent, process);
    sent.unlock();
    copy(process);
  }

  /// A message into the shared memory, or out of it.
  void copy(std::int64_t process) {
    if (!what_.one_at_a_time) return ms::cost(half_);
    take(memory_, process);
    ms::cost(half_);
    let_all_happen();
    memory_.unlock();
  }

  /// A lock knows no time: all that happens before the caller's now happens first. Every call does that which others
  /// may notice.
  static void let_all_happen() {
    ms::parallel_for(
        0, 1, [](ms::range) {}, ms::block{1});
  }
  /// Before all have begun no message is there, though locks may be free.
  bool may_be_taken(const ms::mutex& m) const { return &m == &memory_ || begun_ == processes_; }
  bool taken(ms::mutex& m) const {
    let_all_happen();
    return may_be_taken(m) && m.try_lock();
  }
  /// Leaves the caller's hardware thread, also for who has not begun there: waits for empty tasks, because who waits
  /// for a kernel may spin.
  void lock(ms::mutex& m) const {
    while (!may_be_taken(m)) {
      ms::cost(a_look);
      ms::task([] {});
      ms::wait();
    }
    m.lock();
  }
  bool spun_until_taken(ms::mutex& m, seconds at_most) const {
    for (const seconds until = ms::time() + at_most; ms::time() < until;) {
      ms::cost(a_look);
      if (taken(m)) return true;
    }
    return false;
  }

  void take(ms::mutex& m, std::int64_t process) {
    const seconds began = ms::time();
    seconds& last = last_wait_[static_cast<std::size_t>(process)];
    if (!taken(m)) wait(m, last);
    last = ms::time() - began;
  }

  void wait(ms::mutex& m, seconds last) const {
    static const ms::kernel arrival{"arrival", [](const messenger* of, ms::mutex* sent) {
                                      let_all_happen();
                                      of->lock(*sent);
                                      sent->unlock();
                                    }};
    static const ms::kernel nothing{"nothing", [] {}};
    switch (what_.how) {
      case waiting::block:
        return lock(m);
      case waiting::as_kernel:
        ms::offload(arrival, this, &m);
        return lock(m);
      case waiting::yield:
        do ms::offload(nothing);
        while (!taken(m));
        return;
      case waiting::adaptive:
        if (!spun_until_taken(m, last)) lock(m);
        return;
      case waiting::spin:
        while (!spun_until_taken(m, slice)) ms::offload(nothing);
        return;
    }
  }

  std::int64_t processes_;
  messages what_;
  us half_;
  std::atomic<std::int64_t> begun_{0};
  std::vector<ms::mutex> on_their_way_;  ///< of the last sums: by sender, and how much further on the receiver is
  std::vector<seconds> last_wait_;
  ms::mutex memory_;
};

}  // namespace cell
