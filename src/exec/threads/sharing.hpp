#pragma once
// Workers that are present but not always granted: the executor as a member of its node's table (src/exec/node). Worker
// i takes work while i < active(), which is never less than one; the number follows the CPUs that are in this process's
// use. The whole team is so wide; phases are divided anew when that changes, and loops are cut for as many workers as
// may yet come, but those under a baseline for the workers that are active when they begin. README.md, races 9 to 11.
//
// Between two tasks or blocks a worker compares one counter of the table with what it saw last (`goes_on`); where they
// differ it begins nothing before the number of active workers says what the table says. So from a CPU's taking on each
// worker ends the piece that it is in and begins no other that is not granted (tests/node/taking_back_test.cpp). A
// worker that is not active hands its queues to the centre and sleeps. What only it can do it goes on doing: fibers
// that are woken on it, invitations, tasks that their creator runs at once, streams of a phase that cannot be divided
// yet. It then runs on the CPUs that are left to the process. An active worker may use those that the process was
// started with and those in its use; the program's own thread keeps its affinity.
//
// The keeper follows the table while nobody looks at it. It is woken when a CPU is taken or comes free, when a member
// joins, when work finds no sleeping worker (it borrows, twice as many each time), and when workers park: those that
// sleep through 200 us more are lent, the last ones first. The program's own thread is idle only where it waits inside
// Maslin or said `lend`. A running phase keeps what it leaves idle. Own CPUs that were lent are taken back by whoever
// brings work, before a loop or a phase reads its width.
//
// A wish for more (`wants_`) is put up by whoever finds no active worker asleep, also where there seems to be nobody
// else's CPU, since the keeper may not have seen a new member yet, and by a worker that stands aside although there is
// work: who made that counted on it. The keeper takes it down before it looks for an active worker that sleeps, and
// puts it up again if there is none; after it has lent something it looks once more.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "exec/node/membership.hpp"
#include "exec/phase/grain_lock.hpp"
#include "exec/threads/worker.hpp"

namespace maslin {

class threads_executor;

class sharing {
 public:
  sharing(threads_executor& exec, std::unique_ptr<node::membership> as);
  ~sharing();
  /// The node's other processes may have the CPUs.
  void leave() { as_->leave(); }

  /// The workers that this process has at its start.
  int at_start() const { return at_start_; }
  /// Starts and ends the keeper, which follows the table while no worker looks at it.
  void begin();
  void end();

  // Any thread.

  int active() const { return active_.load(std::memory_order_seq_cst); }
  /// Workers that could be active if everybody else lent everything.
  int possible() const { return possible_.load(std::memory_order_seq_cst); }
  /// Between two tasks or blocks of worker `w`, by its thread: leaves a CPU that was taken back, and gives whether the
  /// worker may go on taking work.
  bool goes_on(worker& w) {
    if (mine_.taken.load(std::memory_order_relaxed) != seen_.load(std::memory_order_acquire)) notice();
    if (w.mask_seen != revision_.load(std::memory_order_relaxed)) set_mask(w);
    return may_work(w);
  }
  bool may_work(const worker& w) const {
    return w.index < active_.load(std::memory_order_seq_cst) || serves_a_phase(w);
  }
  /// There is work, and no active worker sleeps.
  void wants_more() {
    if (lent_.load(std::memory_order_relaxed)) take_back();
    // Sequentially consistent, after what was queued: `still_wants` takes it down, then looks for that.
    if (!wants_.load(std::memory_order_seq_cst)) ask();
  }
  /// The caller is about to share work with its team: what was lent comes back first.
  void expects_work() {
    if (lent_.load(std::memory_order_relaxed)) take_back();
  }
  /// A worker is about to sleep.
  void parks() {
    if (!alone_.load(std::memory_order_relaxed) && !idle_.load(std::memory_order_relaxed)) report_idle();
  }
  /// A worker sleeps no more.
  void wakes() {
    if (empty_handed_.load(std::memory_order_relaxed)) take_back();
  }
  /// The program's own thread begins and ends to block outside Maslin.
  void lend();
  void reclaim();

 private:
  bool serves_a_phase(const worker& w) const;
  void notice() noexcept;
  void set_mask(worker& w) noexcept;
  void take_back() noexcept;
  void ask() noexcept;
  void report_idle() noexcept;
  void keep();
  /// Is there still work for which no active worker sleeps?
  bool still_wants() noexcept MASLIN_REQUIRES(grain_held);
  void borrow();
  void lend_what_is_idle();
  /// Makes the number of active workers what the table grants.
  void follow() noexcept MASLIN_REQUIRES(grain_held);

  threads_executor& exec_;
  std::unique_ptr<node::membership> as_;
  node::slot& mine_;
  int at_start_;
  const std::vector<bool>& home_;

  // Written by `follow` alone, under the grain lock; read by any thread.
  std::atomic<int> active_;
  std::atomic<int> possible_;
  std::atomic<std::uint32_t> seen_{0};      ///< what `taken` said when the table was last looked at
  std::atomic<std::uint32_t> revision_{1};  ///< counts changes of the CPUs in use
  std::atomic<bool> lent_{false};           ///< some of its own CPUs are not in its use
  std::atomic<bool> empty_handed_{false};   ///< no CPU is in its use, though it owns some
  std::atomic<bool> alone_{true};

  // Written by the program's own thread.
  std::atomic<bool> blocked_{false};  ///< it said so

  // What the keeper is asked for: any thread sets it, the keeper takes it down.
  std::atomic<bool> wants_{false};
  std::atomic<bool> idle_{false};
  std::atomic<bool> stop_{false};  ///< set once

  std::vector<bool> used_ MASLIN_GUARDED_BY(grain_held);  ///< CPUs in use

  // The keeper's, by worker.
  std::vector<bool> slept_;
  std::vector<std::uint64_t> steps_;
  std::thread keeper_;
};

}  // namespace maslin
