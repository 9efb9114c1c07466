#pragma once
// Ranks of other processes: how packets go to them and come from them. ACROSS.md states the protocol.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/atomic.hpp"
#include "base/lock.hpp"
#include "comm/mailbox.hpp"
#include "comm/packet_ring.hpp"
#include "comm/processes.hpp"
#include "exec/ranks/node_memory.hpp"
#include "exec/ranks/waiting.hpp"

namespace maslin {

class world;

/// What processes tell each other that has no fixed length.
struct letter {
  enum class what : std::int32_t { package = comm::packet::package, join, waits_asked, waits, call, result };
  what is = what::package;
  std::uint32_t group = 0;  ///< a package's; the parent's of a group that ranks join; of a result: what it is
  int first = 0;  ///< a package's: the first rank of the group, in the world; the groups of a split have one number
  std::uint64_t id = 0;  ///< a package's: the number of the meeting; when ranks join: the question; the caller's call
  std::vector<std::byte> text;
};

/// What one process asks another; on the stack of the rank that waits for the answer. Read and written under its lock.
struct question {
  int rank = 0;  ///< who asks
  std::uint64_t answer = 0;
  bool is_answered = false;
};

class gateway {
 public:
  static constexpr int most_processes = 64;
  using found = comm::ranks_found::how;

  /// In memory that all processes of the node have.
  gateway(const process_of_job& process, int ranks, void* memory);
  ~gateway();
  gateway(const gateway&) = delete;
  gateway& operator=(const gateway&) = delete;

  // Ranks are those of the world.
  int mine() const noexcept { return process_.number; }
  int processes() const noexcept { return process_.count; }
  int process_of(int rank) const noexcept { return process_of_[static_cast<std::size_t>(rank)]; }
  /// Those of this process, from the lowest.
  const std::vector<int>& ranks_here() const noexcept { return ranks_here_; }
  bool is_here(int rank) const noexcept { return process_of(rank) == mine(); }

  /// The ranks of this process are there, and share so many workers. All processes together may use so many of the CPUs
  /// that they are bound to.
  void connect(world& of, int workers, int cpus);
  /// Has a thread that receives.
  void start_receiving();
  /// What that does: it reads what comes while nobody else does, until it is told to end.
  void receive();
  void end_receiving() noexcept;
  /// They have ended. Returns when all have, in all processes.
  void finish();
  /// Receives no more.
  void stop();

  /// Sends a message to a rank of another process: gives whether its sender is done with it.
  bool send(comm::transfer& message, int to);
  /// Takes a message back that was sent so; false where it has been received. Its sender asks, and may have to wait.
  bool withdraw(comm::transfer& message, int to);
  /// A receive has matched what stands for a message of another process, which is gone then: gives whether the receive
  /// is complete. If not, it is when the bytes have come.
  bool take(comm::transfer* stand_in, comm::transfer& receive);
  /// A copy of a message from another process is kept for that rank, or no longer.
  void keeps(int rank) noexcept { kept(rank).fetch_add(1, std::memory_order_relaxed); }
  void keeps_no_longer(int rank) noexcept { kept(rank).fetch_sub(1, std::memory_order_relaxed); }
  void send_letter(int process, letter one);
  /// What the ranks of this process give in a brief call of that number and kind.
  void send_brief(int process, std::uint32_t group, int first, std::uint64_t number, std::uint64_t kind,
                  std::span<const std::byte> bytes);
  /// Sends it, and gives the answer. Its `id` becomes the question.
  std::uint64_t ask(int process, letter one, int rank, location where);
  void answer(int process, std::uint64_t question, std::uint64_t with);

  // The memory of other processes of the node.

  /// May this process copy from and to that of each of those? They have to have begun.
  bool reaches(const std::vector<int>& processes) noexcept;
  /// Copies; false where the system does not let it, and it is not asked again.
  bool copy_from(int process, const void* from, void* to, std::size_t bytes) noexcept;
  bool copy_to(int process, const void* from, void* to, std::size_t bytes) noexcept;

  // Slots of brief calls that processes share; there are none where more than eight ranks or several nodes are.

  call_slots::in_shared_memory* slots_of_all() const noexcept { return node_.has_call_slots() ? slots(0) : nullptr; }
  call_slots::in_shared_memory* slots(std::uint32_t place) const noexcept { return &node_.call_slots_at(place); }
  /// So many ranks will have a group: gives the place of its slots; 0 where none are free.
  std::uint32_t claim_slots(int ranks) const noexcept { return node_.claim_call_slots(ranks); }
  /// Wakes these ranks of other processes: the i-th bit is rank i.
  void wake_elsewhere(std::uint64_t ranks);

  // Do all ranks of all processes wait for each other?

  /// Says how the ranks of this process are. `look(sleeps)` finds that, and how often they fell asleep, all together.
  /// No packet is handled meanwhile.
  template <class Look>
  void report(Look&& look) {
    own_place().report.tell([&] {
      const base::locked held(engine_);
      comm::ranks_found now;
      now.are = has_waiting_packets() ? found::moving : look(now.sleeps);
      now.handled = handled_;
      return now;
    });
  }
  /// Called now and then by the same thread: have all ranks slept at one moment, with nothing under way? Only the first
  /// process with ranks that sleep is told.
  bool all_wait();

  /// A rank asks for something that may have come.
  void read() { poll(); }
  /// A rank is about to wait: reads what has come, for a while where that costs nobody anything, or until `is_over()`;
  /// gives whether it is. It waits for messages of so many bytes, whose copying takes longer than a while.
  template <class Over>
  bool look(Over&& is_over, std::size_t bytes = 0) {
    if (has_come() && poll() && is_over()) return true;
    if (waiting_ == rank_waiting::park || !has_own_cores()) return is_over();
    for (int i = 0; i < looks_in_secret; ++i)
      if (looks_again(i, is_over)) return true;
    begin_look();
    const bool has_ended = spin(is_over, bytes);
    end_look();
    return has_ended || is_over();
  }
  /// A rank waits from now on, or has ended, and does not read meanwhile.
  void begin_wait() {
    own_place().bell.begin_wait();
    look_once_more();
  }
  void end_wait() noexcept { own_place().bell.end_wait(); }

 private:
  // To be woken takes about as long. The other process writes, copies and reads long messages meanwhile, at more than
  // 2 bytes/ns; up to so many are waited for so.
  static constexpr std::chrono::microseconds usual_spin_time{50};
  static constexpr std::size_t bytes_in_ns = 2, most_awaited_bytes = 2 << 20;
  // An answer that comes at once comes within so many looks: others are told of the look only then.
  static constexpr int looks_in_secret = 64;
  using packets = node_memory::packets;

  /// What waits for room in a ring, besides messages.
  struct outgoing {
    int process;
    comm::packet head;
    std::vector<std::byte> own;         ///< the bytes, unless they are
    comm::transfer* message = nullptr;  ///< those of this one, which is done then
    std::size_t sent = 0;
    std::size_t bytes() const noexcept { return message ? message->bytes() : own.size(); }
    const std::byte* data() const noexcept {
      return message ? static_cast<const std::byte*>(message->data.data) : own.data();
    }
  };
  /// What goes to one member of the node.
  struct out {
    base::short_lock lock;
    std::deque<outgoing> others MASLIN_GUARDED_BY(lock);
    comm::transfers messages MASLIN_GUARDED_BY(lock);
    std::uint64_t numbered MASLIN_GUARDED_BY(lock) = 0;  ///< messages whose senders are done
    MASLIN_ATOMIC<bool> has_some{false};                 ///< in one of the two
  };

  bool has_waiting_packets() const noexcept;
  void begin_look() noexcept { own_place().bell.begin_look(); }
  void end_look() {
    own_place().bell.end_look();
    look_once_more();
  }
  /// Reads and writes what was not told to the caller, which counted as one that reads until now.
  void look_once_more();
  /// Who spins takes a CPU from nobody: there is one for each worker of all processes, and a worker for each rank.
  bool has_own_cores() noexcept {
    const cores now = own_cores_.load(std::memory_order_relaxed);
    return now == unknown ? finds_own_cores() : now == has;
  }
  bool finds_own_cores() noexcept;
  /// The i-th look of one that spins.
  template <class Over>
  bool looks_again(int i, Over&& is_over) {
    if (has_come() && poll() && is_over()) return true;
    base::relax();
    return i % 8 == 7 && is_over();  // others may have read it
  }
  template <class Over>
  bool spin(Over&& is_over, std::size_t bytes) {
    const auto end = std::chrono::steady_clock::now() + spin_time_ +
                     std::chrono::nanoseconds(std::min(bytes, most_awaited_bytes) / bytes_in_ns);
    do {
      for (int i = 0; i < 32; ++i)
        if (looks_again(i, is_over)) return true;
      if (waiting_ == rank_waiting::yield) std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }
  /// Reads what has come, and writes what waited for room; gives whether there was something. Does nothing if another
  /// thread does it.
  bool poll();
  bool poll_locked() MASLIN_REQUIRES(engine_);
  bool has_come() const noexcept;
  void handle(int from, const comm::packet& one, const std::byte* data) MASLIN_REQUIRES(engine_);
  void handle_letter(int from, const comm::packet& one, const std::byte* data) MASLIN_REQUIRES(engine_);
  void copy_letter(int from, const comm::packet& one) MASLIN_REQUIRES(engine_);
  void take_letter_back(int from, const comm::packet& one);
  /// Something has been written for that member, or its writer has room again. `at_once`: it is to see that although no
  /// rank of it waits.
  void rouse(int member, bool at_once) noexcept;
  static void ring(node_place& of) noexcept;

  void post(outgoing&& one);
  /// A letter's text goes through the ring, or is kept until the other process has copied it.
  void send_in_pieces(int process, letter&& one);
  void lend(int process, letter&& one);
  bool flush(int member, bool at_once = true);
  /// The same for all members. Who is about to sleep does so once more, since room may have come before.
  bool flush_all();
  /// Writes what there is room for; false where something is left. `done`: messages whose senders are to be told,
  /// linked by `before`.
  bool write_some(int member, out& of, comm::transfer*& done, bool& any) MASLIN_REQUIRES(of.lock);
  bool write(int member, comm::transfer& message);
  void tell_done(comm::transfer* done);
  /// `there`: in that process.
  template <class Copy>
  bool copy_directly(int process, std::byte* here, std::byte* there, std::size_t bytes, Copy&& copy) noexcept;
  std::uint64_t ask(int process, const comm::packet& what_about, int rank, location where);
  std::uint64_t await_answer(const question& asked, location where);

  node_place& own_place() const noexcept { return node_.at(me_); }
  packets& ring_to(int member) const noexcept { return node_.ring(me_, member); }
  packets& ring_from(int member) const noexcept { return node_.ring(member, me_); }
  out& out_for(int process) noexcept { return out_[static_cast<std::size_t>(node_.member_for(process))]; }
  std::atomic<std::int32_t>& kept(int rank) noexcept { return node_.kept(rank); }
  /// May one more message be kept for that rank?
  bool may_keep(int rank) noexcept { return kept(rank).load(std::memory_order_relaxed) < node_memory::most_kept; }

  const process_of_job process_;
  const node_memory node_;
  const int me_;  ///< as a member of the node

  world* of_ = nullptr;
  const std::vector<int> process_of_;  ///< of each rank
  const std::vector<int> ranks_here_;
  const std::size_t eager_bytes_;  ///< a message of up to so many goes with its head
  const rank_waiting waiting_;
  const std::chrono::microseconds spin_time_;
  std::unique_ptr<out[]> out_;
  std::atomic<bool> copies_directly_;
  std::atomic<std::uint64_t> reached_{0};  ///< those processes' memory, by bits
  std::uint64_t tried_ = 0;                ///< others copy from and to this
  enum cores { unknown, has, has_not };
  std::atomic<cores> own_cores_{unknown};  ///< does every worker of all processes have one?

  base::short_lock lent_lock_;
  std::uint64_t lent_letters_ MASLIN_GUARDED_BY(lent_lock_) = 0;  ///< so many there were
  std::map<std::uint64_t, letter> lent_ MASLIN_GUARDED_BY(lent_lock_);

  base::short_lock engine_;                                    ///< who reads what has come
  std::vector<letter> unfinished_ MASLIN_GUARDED_BY(engine_);  ///< of each process
  std::uint64_t handled_ MASLIN_GUARDED_BY(engine_) = 0;       ///< packets
  std::vector<comm::report::seen> before_;  ///< when nothing was under way; of all processes, or empty
  MASLIN_ATOMIC<bool> is_ending_{false};
  std::thread thread_;
};

/// A message of another process comes to that rank's mailbox. One whose sender is done (`is_copy`) is copied; another
/// is what stands for it, and is the mailbox's.
void post_from_elsewhere(world& of, comm::transfer& message, int box);
/// The message of that rank that its process knows by this is taken back; false where it is not in the mailbox.
bool withdraw_from_elsewhere(world& of, int owner, std::uint64_t id, bool is_copy, int box);

}  // namespace maslin
