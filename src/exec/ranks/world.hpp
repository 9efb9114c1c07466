#pragma once
// The ranks of one call of ms::ranks: their mailboxes, how they wait, and how all end when one fails. README.md states
// the protocol.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "base/sanitizers.hpp"
#include "comm/mailbox.hpp"
#include "exec/executor.hpp"
#include "exec/ranks/gateway.hpp"
#include "exec/ranks/group.hpp"
#include "exec/ranks/hosts.hpp"
#include "exec/ranks/message_rings.hpp"
#include "exec/ranks/over_links.hpp"
#include "exec/ranks/turns.hpp"
#include "exec/ranks/waiting.hpp"
#include "exec/ranks/waits.hpp"
#include "maslin/error.hpp"
#include "maslin/ranks.hpp"
#include "task/context.hpp"
#include "task/pool.hpp"
#include "task/scope.hpp"
#include "trace/recorder.hpp"

// tests/interleavings looks less often.
#ifndef MASLIN_RANK_LOOKS
#define MASLIN_RANK_LOOKS 64
#endif

namespace maslin {

/// What the others must know of a rank. Two lines, since processors fetch neighbours, too.
struct alignas(128) rank_state {
  // What a message needs, in one cache line.
  base::short_lock lock;
  int kept MASLIN_GUARDED_BY(lock) = 0;  ///< places that copies in the box take (`places_of`)
  comm::mailbox box MASLIN_GUARDED_BY(lock);
  /// Its code, until something of the rank's changes; the rank's threads, linked by `next`, where it has several.
  waiter* sleeper MASLIN_GUARDED_BY(lock) = nullptr;
  /// It sleeps until so many things have changed; 0 counts as 1.
  std::size_t changes MASLIN_GUARDED_BY(lock) = 0;
  bool probes MASLIN_GUARDED_BY(lock) = false;  ///< it waits for a message to look at

  std::uint64_t copied MASLIN_GUARDED_BY(lock) = 0;  ///< the number of the latest of the copies
  /// Whose ring is looked into first: that behind the one from which a receive from any rank has taken the latest.
  std::size_t first_ring MASLIN_GUARDED_BY(lock) = 0;

  bool gave_up MASLIN_GUARDED_BY(lock) = false;  ///< it was told that another has failed

  // The rank's own.
  std::exception_ptr dropped;              ///< see `throw_dropped`
  const scope* own = nullptr;              ///< the tasks of its code
  detail::rank_member* members = nullptr;  ///< its communicators, linked by `next`; read while it sleeps, too
  /// Whose turn it is of its threads, if they call, too. Written under the lock, by the rank.
  rank_gate* gate = nullptr;
  int worker MASLIN_GUARDED_BY(lock) = -1;  ///< on which it is

  // Who waits for whom.
  bool has_ended MASLIN_GUARDED_BY(lock) = false;
  bool is_asleep MASLIN_GUARDED_BY(lock) = false;
  std::uint64_t sleeps MASLIN_GUARDED_BY(lock) = 0;  ///< how often it fell asleep
  awaited waits_for MASLIN_GUARDED_BY(lock);         ///< while it is asleep
};

/// Ranks that are to form a communicator by `among`, and have not all asked for it. The process of the first of them
/// has it.
struct forming_group {
  std::uint32_t parent;  ///< the number of the communicator that they are called in
  int tag;
  group_name name;
  std::vector<int> ranks;
  std::vector<bool> has_joined;
  std::size_t joined = 0;
};

/// A rank's wait, as other processes see it.
class waits_across {
 public:
  explicit waits_across(gateway* by) noexcept : by_(by) {}
  ~waits_across() { end(); }
  waits_across(const waits_across&) = delete;
  waits_across& operator=(const waits_across&) = delete;

  bool is() const noexcept { return is_; }
  void begin() {
    is_ = true;
    by_->begin_wait();
  }
  void end() noexcept {
    if (is_) by_->end_wait();
    is_ = false;
  }

 private:
  gateway* const by_;
  bool is_ = false;
};

/// A call of ranks in several processes: what has come for it.
struct gathering {
  std::vector<rank_brief> briefs;
  std::vector<std::vector<std::byte>> packages;
  std::uint64_t kind = 0;  ///< of the calls of this process, if it has sent a brief
  /// This process's package: a rank of it has begun to send it, and has sent it.
  bool is_package_begun = false, is_package_sent = false;
  rank_meeting* at = nullptr;  ///< once all ranks of this process have come
  std::size_t expected = 0;
  std::shared_ptr<const std::vector<int>> here;
};

class world {
 public:
  /// `across`: some of the ranks are in other processes.
  world(executor& exec, int count, void (*run)(void*, communicator&), void* body, gateway* across = nullptr);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  int size() const noexcept { return whole_.size(); }
  /// The ranks of this process, from the lowest.
  const std::vector<int>& here() const noexcept { return here_; }
  bool is_here(int rank) const noexcept { return !across_ || across_->is_here(rank); }
  gateway* across() const noexcept { return across_; }
  /// Null where messages take no time but what moving them takes.
  over_links* over() const noexcept { return over_.get(); }
  message_links* links() const noexcept { return over_ ? &over_->links() : nullptr; }
  /// From now on they take that of these links. `worker_of_rank`: where ranks are placed; if it is empty they are
  /// divided in blocks. Throws `error` where there are workers that have no links.
  void go_over(message_links& links, std::span<const int> worker_of_rank, location where);
  /// A message of up to so many bytes is kept for its receiver, if it is here, and it has places for that.
  std::size_t eager_bytes() const noexcept { return eager_bytes_; }
  /// Gives how many of a receiver's places a message takes that is kept.
  int places_of(std::size_t bytes) const noexcept {
    return bytes <= place_bytes_ ? 1 : static_cast<int>((bytes + place_bytes_ - 1) / place_bytes_);
  }
  /// One of this process's.
  rank_state& at(int rank) noexcept {
    return states_[static_cast<std::size_t>(places_.empty() ? rank : places_[static_cast<std::size_t>(rank)])];
  }
  rank_group& whole() noexcept { return whole_; }
  /// Gives a name that no group of any process has. `across`: so many ranks of several processes will have it.
  group_name new_name(int across);
  /// Makes the group of that name, which is there as long as a rank has a communicator of it, or a request of that.
  std::shared_ptr<rank_group> make_group(group_name name, std::vector<int> ranks) const;
  /// Gives the group of these ranks, which each of them asks for once.
  std::shared_ptr<rank_group> join_group(const rank_group& parent, std::vector<int> ranks, int tag, int as,
                                         location where);

  // Between processes.

  /// All ranks of this process have come to that call: gives whether all others have, too.
  bool gather(rank_group& in, rank_meeting& at);
  /// The calls are brief, and not all of one kind: the same for this process's package.
  bool gather_packages(const rank_group& in, rank_meeting& at, std::uint64_t number);
  /// Gives what the ranks of all processes have given in a brief call, in their order.
  void lay_out(const rank_group& in, rank_meeting& at);
  /// The world has failed, and a rank that waits for the others' packages wants to leave: gives whether it may, as all
  /// ranks of this process may then.
  bool cut_off(const rank_group& in, const rank_arrival& mine);
  /// Another process has sent this.
  void read_letter(int from, letter one);
  void read_brief(int from, const comm::packet& one, std::span<const std::byte> bytes);

  // Calls of functions that a host has: HOSTS.md.

  /// `its`: whose functions these ranks call. `of_job`: what other processes call here.
  void serve_by(detail::host_functions* its, detail::host_functions* of_job = nullptr) noexcept {
    host_ = its;
    host_of_job_ = of_job;
  }
  detail::host_functions* its_host() const noexcept { return host_; }
  /// Begins a call at that host, or further out; `call.end()` is called for certain, perhaps now.
  void begin_call(remote_call& call, detail::host_functions* at);
  /// Suspends the caller, code of that rank, until its call is over.
  void await_call(remote_call& call, int rank, const bool& is_over, location where);
  void end_call(int rank, bool& is_over) noexcept;
  void answer_call(int process, std::uint64_t id, const remote_call& call) noexcept;

  /// The life of a rank.
  void run_rank(int rank) noexcept;
  /// All ranks in turn, each on a thread of its own: under the serial elision.
  void run_in_turn();
  /// Ends the world: who waits gives up. `why` is what the call of ms::ranks throws, unless a lower rank fails, too,
  /// which has not given up.
  void fail(int rank, std::exception_ptr why) noexcept;
  bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// The rank goes on. If it has dropped a call of all, by an exception that it has caught, it fails for that.
  void throw_dropped(int rank) {
    if (!at(rank).dropped) return;
    fail(rank, at(rank).dropped);
    std::rethrow_exception(at(rank).dropped);
  }
  /// Throws what a rank is told whose wait ends since another has failed.
  [[noreturn]] void throw_given_up(int rank, location where);
  void rethrow();

  /// What a caller does that waits when the world fails: it gives up; or it goes on, since another rank is at work on
  /// what it waits for, and comes to its end.
  enum class at_failure : std::uint8_t { give_up, go_on };
  /// A rank is about to wait: looks for a while, without a lock, whether `has_moved()`, where that costs other ranks
  /// nothing. To sleep and be woken takes about as long. Where there are other processes it reads what they send:
  /// messages of so many bytes are waited for. Other threads of the rank call meanwhile.
  template <class Moved>
  bool look(const outside_gate& others_go_on, Moved&& has_moved, std::size_t bytes = 0) const {
    if (!across_) return look_in_memory(others_go_on, has_moved);
    if (has_moved()) return true;
    across_->look([&] { return has_moved() || has_failed(); }, bytes);
    return has_moved();
  }
  /// The same where what moves it comes in no packet.
  template <class Moved>
  bool look_in_memory(const outside_gate&, Moved&& has_moved) const {
    for (int i = 0; i < looks_; ++i) {
      if (has_moved()) return true;
      base::relax();
    }
    return has_moved();
  }
  /// Suspends the caller, code of that rank, until `done()`, which looks under the rank's lock; gives false where the
  /// world has failed and it is not. If `done` has `changes()`, that is how many changes there are to be before it may
  /// be so, each of which comes for certain unless the world fails. `looks`: it reads for a while what other processes
  /// send, if there are some. Who has called `look` needs no more of that. If MASLIN_RANK_WAIT says so, it stays awake
  /// before it is suspended.
  template <class Done>
  bool wait(int rank, const awaited& what, Done&& done, at_failure then = at_failure::give_up) {
    return wait(outside_gate(at(rank).gate), rank, what, done, then, true);
  }
  template <class Done>
  bool wait(const outside_gate&, int rank, const awaited& what, Done&& done, at_failure then,
            bool looks) MASLIN_UNCHECKED {
    rank_state& mine = at(rank);
    waits_across away(across_);
    bool is_to_stay_awake = stays_awake_;
    for (;;) {
      mine.lock.lock();
      const bool has_memory = take_in(rank);
      if (done()) return mine.lock.unlock(), true;
      mine.lock.unlock();
      if (!has_memory && !has_failed()) fail(rank, std::make_exception_ptr(std::bad_alloc()));
      if (then == at_failure::give_up && has_failed()) return false;
      if (across_ && !away.is()) {
        bool is_done = false;
        const bool is_over = std::exchange(looks, true) && across_->look([&]() MASLIN_UNCHECKED {
          mine.lock.lock();
          is_done = done();
          mine.lock.unlock();
          return is_done || (then == at_failure::give_up && has_failed());
        });
        if (is_done) return true;
        if (!is_over) away.begin();
        continue;
      }
      if (is_to_stay_awake) [[unlikely]] {
        is_to_stay_awake = false;
        if (is_done_while_awake(rank, done)) return true;
        continue;
      }
      if (turns_) {
        note(rank, what);
        if (!turns_->pass(rank)) fail_stuck();
        continue;
      }
      waiter* const me = exec_.caller();
      if (!me) {
        exec_.help(nullptr);
        continue;
      }
      mine.lock.lock();
      if (has_rings(rank)) rings_->lie_down(rank);
      // Without memory for what has come the world is to fail.
      const bool fails = !take_in(rank) && !has_failed();
      if (done() || fails ||
          (then == at_failure::give_up &&
           has_failed())) {  // `fail` looks for sleepers under the lock, after it has said so
        if (has_rings(rank)) rings_->get_up(rank);
        mine.lock.unlock();
        continue;
      }
      mine.is_asleep = true;
      ++mine.sleeps;
      mine.waits_for = what;
      if constexpr (requires { done.changes(); }) mine.changes = mine.gate ? 0 : done.changes();
      me->next = std::exchange(mine.sleeper, me);
      me->sleep(mine.lock, {.is_message = true});
      if (has_rings(rank)) rings_->get_up(rank);
      away.end();
    }
  }
  /// Records what the caller, code of a rank, does. While no trace is on it costs a load and a branch.
  void record(trace::event_kind what, std::uint32_t id = 0, std::uint64_t argument = 0) const noexcept {
    if (trace::on(what)) [[unlikely]]
      trace::record(exec_.track(), what, id, argument);
  }
  /// Lets everything happen that happens before the caller's time.
  void catch_up() { exec_.catch_up(); }
  /// The rank asks for something that is not there yet, perhaps again and again.
  void let_others_run(int rank);
  /// Something of that rank's has changed: `change()` does so under its lock.
  template <class Change>
  void wake(int rank, Change&& change) {
    rank_state& its = at(rank);
    its.lock.lock();
    change();
    waiter* const sleeper = take_sleeper(its);
    its.lock.unlock();
    resume(rank, sleeper);
  }
  /// The same for a call of all that the rank has come to; it may sleep for something else.
  void tell(int rank, rank_arrival& its, rank_arrival::state to) {
    rank_state& of = at(rank);
    of.lock.lock();
    const bool sleeps = its.is_awaited;
    its.set(to);
    waiter* const sleeper = sleeps ? take_sleeper(of) : nullptr;
    of.lock.unlock();
    if (sleeps) resume(rank, sleeper);
  }
  /// Gives who waits, if somebody does; to be resumed without the lock. Where several do, each looks what has changed.
  static waiter* take_sleeper(rank_state& of) noexcept MASLIN_REQUIRES(of.lock) {
    if (of.changes > 1) return --of.changes, nullptr;
    of.changes = 0;
    of.is_asleep = false;
    return std::exchange(of.sleeper, nullptr);
  }
  /// Gives a copy of a message that its sender does not wait for; null where there is no memory.
  static comm::transfer* copy_of(const comm::transfer& message) noexcept;
  /// Copies take so many places more of that rank, whose lock the caller holds, or fewer.
  void count_kept(int rank, int places) noexcept;

  // Small messages go through rings where up to eight ranks have a worker each.

  /// Does something come to the rank, the caller's, through rings? Not to one whose threads call: who sends finds it
  /// asleep for good, and wakes those of its threads that wait.
  bool has_rings(int rank) noexcept { return rings_ && !at(rank).gate; }
  /// Is a message of so many bytes one for a ring? It may go another way all the same.
  bool may_put(std::size_t bytes) const noexcept { return rings_ && bytes <= comm::message_ring::most_bytes; }
  /// A message of that rank's goes into the ring to another one. Gives its number in that; 0 where it goes another way,
  /// behind what is in the ring.
  std::uint64_t put_into_ring(int from, int to, const comm::envelope& said, const detail::elements& data,
                              bool is_synchronous) {
    return rings_ && from != to ? put(from, to, said, data, is_synchronous) : 0;
  }
  /// The ring from another rank to that one, the caller's; null where there is none.
  comm::message_ring* ring_into(int rank, int from) noexcept {
    return has_rings(rank) ? rings_->read_from(from, rank) : nullptr;
  }
  /// What that rank has put into the ring to another one comes to the mailbox.
  void empty_ring(int from, int to);
  /// What lies in the rank's rings comes to its mailbox, whose lock it holds; false where there is no memory for it.
  bool take_in(int rank) noexcept { return !has_rings(rank) || take_out_of_rings(rank, nullptr, any_source); }
  /// The first message there that a receive takes comes to that, and what lies before it to the mailbox. `from`: a rank
  /// of the world, or any. False where there is no memory for that.
  bool take_from_rings(int rank, comm::transfer& receive, int from) noexcept {
    return !has_rings(rank) || take_out_of_rings(rank, &receive, from);
  }
  /// `look` for a rank that waits for messages of so many bytes.
  template <class Moved>
  bool look_for_messages(const outside_gate& others_go_on, int rank, Moved&& has_moved,
                         std::size_t bytes) MASLIN_UNCHECKED {
    if (!has_rings(rank)) return look(others_go_on, has_moved, bytes);
    // A pause takes as long as half of a message's way: what comes at once is seen without one.
    for (int i = -looks_ / 2; i < looks_; ++i) {
      if (has_moved()) return true;
      if (rings_->has_some(rank)) {
        const base::locked held(at(rank).lock);
        take_in(rank);
      } else if (i >= 0) {
        base::relax();
      }
    }
    return has_moved();
  }
  static void free_copy(comm::transfer* copy) noexcept;
  void resume(int rank, waiter* sleeper) noexcept {
    if (turns_) return turns_->ready(rank);
    while (sleeper) std::exchange(sleeper, sleeper->next)->wake();  // which may be gone then
  }
  /// `detail::let_threads_call` for that rank.
  bool let_threads_call(int rank, rank_gate& by);
  /// From now on the rank's threads take turns at that gate. Its own code calls.
  void take_turns(int rank, rank_gate& by);

  /// Do all ranks that have not ended wait for each other? With other processes, they are not asked at once: the same
  /// thread asks again and again.
  bool is_stuck() noexcept;
  /// Ends the world for that. What ranks of other processes wait for is asked for first.
  void fail_stuck() noexcept;
  void tell_stuck() noexcept;

 private:
  /// Do all sleep that have not ended? Gives which sleep of each that is.
  bool all_sleep(std::vector<std::uint64_t>& sleeps);
  // Where there are rings.
  std::uint64_t put(int from, int to, const comm::envelope& said, const detail::elements& data, bool is_synchronous);
  /// `receive`: null where all comes to the mailbox.
  bool take_out_of_rings(int rank, comm::transfer* receive, int from) noexcept;

  /// `wait` of a rank that is not suspended, for as long as ranks stay awake.
  template <class Done>
  [[gnu::noinline]] bool is_done_while_awake(int rank, Done& done) MASLIN_UNCHECKED {
    const auto end = std::chrono::steady_clock::now() + longest_rank_awake;
    do {
      for (int i = 0; i < 32; ++i) {
        {
          const base::locked held(at(rank).lock);
          take_in(rank);
          if (done()) return true;
        }
        waiting_ == rank_waiting::yield ? std::this_thread::yield() : base::relax();
      }
    } while (!has_failed() && std::chrono::steady_clock::now() < end);
    return false;
  }
  bool is_stuck_across();
  void note(int rank, const awaited& what);
  bool has_given_up(int rank) {
    const base::locked held(at(rank).lock);
    return at(rank).gave_up;
  }
  /// What all ranks of this process wait for, for another.
  std::vector<std::byte> packed_waits();

  /// The other processes that have some of these ranks, and those that are here, if there are others.
  std::vector<int> other_processes(const std::vector<int>& ranks) const;
  std::shared_ptr<const std::vector<int>> ranks_here(const std::vector<int>& ranks) const;
  group_name next_name(int across) MASLIN_REQUIRES(groups_lock_);
  group_name join_name(std::uint32_t parent, std::vector<int> ranks, int tag, int as);

  bool blocks_for_calls() const noexcept;
  void leave_host() noexcept;
  void send_call(const remote_call& call);
  void read_call(int from, letter one);
  void read_result(letter one);

  executor& exec_;
  void (*const run_)(void*, communicator&);
  void* const body_;
  gateway* const across_;
  const std::size_t eager_bytes_, place_bytes_;
  detail::host_functions *host_ = nullptr, *host_of_job_ = nullptr;
  MASLIN_ATOMIC<bool> call_ended_{false};  ///< of the rank that blocks for it
  const std::vector<int> here_;
  /// There is a worker of this machine for each rank of this process. Where ranks are placed two on one, or the
  /// caller's team is smaller, what follows from it costs time, and nothing is wrong.
  const bool have_workers_;
  const rank_waiting waiting_;  ///< as asked for, where that is so
  const bool stays_awake_;      ///< for long, before it is suspended; where there are other processes, the gateway does
  const int looks_;             ///< of a rank that waits, without reading what other processes send
  std::vector<int> places_;     ///< in `here_`, by rank; empty where all ranks are here
  std::vector<rank_state> states_;
  const std::unique_ptr<message_rings> rings_;
  rank_group whole_;
  base::short_lock groups_lock_;
  std::uint32_t groups_made_ MASLIN_GUARDED_BY(groups_lock_) = 0;  ///< by `split` and `among`, in this process
  std::list<forming_group> forming_ MASLIN_GUARDED_BY(groups_lock_);
  std::map<std::uint32_t, std::weak_ptr<rank_group>> joined_ MASLIN_GUARDED_BY(groups_lock_);  ///< by `among`
  std::size_t look_again_at_ MASLIN_GUARDED_BY(groups_lock_) = 16;  ///< how many there are then
  base::short_lock waits_lock_;
  std::vector<std::vector<std::byte>> waits_ MASLIN_GUARDED_BY(waits_lock_);  ///< what other processes have said
  bool asks_ = false;  ///< who waits for whom; of the thread that looks
  base::short_lock gatherings_lock_;
  /// By the numbers of their groups, the first ranks of these, and their own numbers.
  using gathering_key = std::tuple<std::uint32_t, int, std::uint64_t>;
  std::map<gathering_key, gathering> gatherings_ MASLIN_GUARDED_BY(gatherings_lock_);
  /// Some that are over, for the next ones.
  std::vector<std::map<gathering_key, gathering>::node_type> unused_gatherings_ MASLIN_GUARDED_BY(gatherings_lock_);
  using gathered = std::map<gathering_key, gathering>::iterator;
  gathered find_gathering(const gathering_key& key) MASLIN_REQUIRES(gatherings_lock_);
  void forget_gathering(gathered its) MASLIN_REQUIRES(gatherings_lock_);
  void send_packages(const rank_group& in, const rank_meeting& at);
  /// Gives the kind of the calls that the ranks of this process bring; 0 where they are to be sent as packages.
  static std::uint64_t brief_kind(rank_group& in, const rank_meeting& at);
  /// The ranks of this process have come: has all come from the others? Then it is the meeting's, and the gathering is
  /// forgotten.
  bool take_if_complete(gathered its) MASLIN_REQUIRES(gatherings_lock_);
  /// Something has come: if ranks of this process can do something now, they are told. Gives which these are.
  std::shared_ptr<const std::vector<int>> notice(gathered its) MASLIN_REQUIRES(gatherings_lock_);
  /// One of them goes on with a call. They may have done so, and be gone from it.
  void wake_all(const std::vector<int>& ranks) {
    for (const int rank : ranks) wake(rank, [] {});
  }
  std::size_t most_in_a_process(const std::vector<int>& ranks) const;
  /// Gives slots for these ranks: `shared` ones, where some are in other processes; null where there are none.
  std::unique_ptr<call_slots> slots_for(const std::vector<int>& ranks, call_slots::in_shared_memory* shared) const;
  std::unique_ptr<turns> turns_;  ///< under the serial elision
  std::unique_ptr<over_links> over_;

  MASLIN_ATOMIC<bool> failed_{false};
  base::short_lock cause_lock_;
  int failed_rank_ MASLIN_GUARDED_BY(cause_lock_) = 0;
  std::exception_ptr cause_ MASLIN_GUARDED_BY(cause_lock_);
};

namespace detail {

/// Blocks of one size that a rank uses again for what it starts: so it looks for nothing that belongs to its thread.
class spare_blocks {
 public:
  spare_blocks() = default;
  ~spare_blocks() {
    while (first_) pool::give(std::exchange(first_, first_->next), bytes_);
  }
  spare_blocks(const spare_blocks&) = delete;
  spare_blocks& operator=(const spare_blocks&) = delete;

  void* take(std::size_t bytes) {
    if (!first_) return pool::take(bytes);
    --count_;
    return std::exchange(first_, first_->next);
  }
  void give(void* block, std::size_t bytes) noexcept {
    if (count_ == most) return pool::give(block, bytes);
    ++count_;
    bytes_ = bytes;
    first_ = new (block) spare{first_};
  }

 private:
#if defined(MASLIN_ASAN) || defined(MASLIN_TSAN)
  static constexpr std::size_t most = 0;  // they see the lives of what lies there
#else
  static constexpr std::size_t most = 256;
#endif
  struct spare {
    spare* next;
  };
  spare* first_ = nullptr;
  std::size_t count_ = 0, bytes_ = 0;
};

/// What a communicator keeps. It is one rank's, so that who keeps it counts where no other rank does.
struct rank_member {
  /// `where`: where it is made; nowhere for that of all ranks.
  static communicator make(world& of, rank_group& in, int rank, location where = {},
                           std::shared_ptr<rank_group> kept = nullptr) {
    rank_state& its = of.at(in.ranks[static_cast<std::size_t>(rank)]);
    auto* const made = new rank_member{of, in, rank, its.own, std::move(kept), where};
    made->next = std::exchange(its.members, made);
    if (made->next) made->next->before = made;
    return communicator({made, leave});
  }
  static communicator make(world& of, std::shared_ptr<rank_group> in, int rank, location where) {
    rank_group& group = *in;
    communicator made = make(of, group, rank, where, std::move(in));
    group.joins();
    return made;
  }
  static void leave(const rank_member* its) noexcept {
    if (--its->users > 0) return;
    (its->before ? its->before->next : its->of.at(its->mine()).members) = its->next;
    if (its->next) its->next->before = its->before;
    delete its;
  }
  static const rank_member& of_communicator(const communicator& its) noexcept { return *its.member_; }
  /// Throws `error` where the caller is other code than the rank's own.
  void expect_own_code(const char* call, const location& where) const {
    if (current_context().children != own) [[unlikely]]
      expect_own_thread(call, where);
  }
  void expect_own_thread(const char* call, const location& where) const;
  int in_world(int of_group) const { return in.ranks[static_cast<std::size_t>(of_group)]; }
  int mine() const { return in_world(rank); }

  world& of;
  rank_group& in;
  int rank;
  const scope* own;                  ///< the tasks of its code
  std::shared_ptr<rank_group> kept;  ///< `in`, unless it is that of all ranks
  const location made;
  mutable std::string name{};    ///< by `name_communicator`
  mutable int users = 1;         ///< its communicator, and what that has started: who is gone last takes it away
  mutable spare_blocks spare{};  ///< of messages that were started
  rank_member* before = nullptr;
  rank_member* next = nullptr;  ///< of the rank's
};

}  // namespace detail

/// Has the ranks looked at now and then while it lives; who wait for each other are told.
class stuck_watch {
 public:
  explicit stuck_watch(world& of);
  ~stuck_watch();
  stuck_watch(const stuck_watch&) = delete;
  stuck_watch& operator=(const stuck_watch&) = delete;

 private:
  struct shared;
  std::unique_ptr<shared> shared_;
};

}  // namespace maslin
