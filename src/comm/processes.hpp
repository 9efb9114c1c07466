#pragma once
// Ranks in several processes of one node or of some: what the gateways and `mpi` know of each other. An MPI program has
// its half of `portable_call` and `brief_call` compiled in, so they must stay as they are.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "maslin/api.hpp"
#include "maslin/location.hpp"
#include "maslin/ranks.hpp"
#include "maslin/trace.hpp"

namespace maslin {

/// A call of all ranks that may be in several processes. In each, the ranks there meet, and with them stand-ins of the
/// others.
class portable_call : public joint_call {
 public:
  /// Appends what those ranks of the communicator, which are in another process, need to know of what the caller's rank
  /// brings. They are in their order.
  virtual void pack(std::span<const int> for_ranks, std::vector<std::byte>& into) = 0;
  /// Gives a stand-in for that rank, which packed this; it stays while the call does. Nothing is to be written into
  /// what a stand-in brings.
  virtual std::unique_ptr<joint_call> unpack(int rank, std::span<const std::byte> packed) = 0;
};

/// A call in which each rank gives a few bytes, as many as each other one, or one rank alone gives some; and each makes
/// what it gets of them by itself. Of such calls no more is sent than their kind and these bytes, unless their kinds
/// differ.
class brief_call : public portable_call {
 public:
  /// The most bytes that the ranks of one process give together.
  static constexpr std::size_t most_bytes = 256;
  static constexpr int each = -1;
  /// Gives a number that calls have in common if they go together, and no others; 0 where it is no such call.
  virtual std::uint64_t kind() const noexcept = 0;
  /// Who gives: each rank, or only that one. Calls of one kind have the same.
  virtual int giver() const noexcept { return each; }
  /// Nothing, if another rank alone gives some.
  virtual std::span<const std::byte> gives() const noexcept = 0;
  /// `given`: what is given, in the order of the ranks, side by side. `here`: the ranks of this process, which get what
  /// is made of it; of the others there are no calls in `all`.
  virtual void make(std::span<const std::byte> given, std::span<joint_call* const> all, std::span<const int> here) = 0;
};

/// A call that combines what the ranks give, element by element and in their order. Ranks of several processes of a
/// node may divide it: each combines a share of the elements, and writes it to all ranks that want the result.
class combined_call {
 public:
  struct elements {
    std::size_t count, bytes_of_each;
  };
  struct places {
    const std::byte* gives;
    std::byte* wants;  ///< what it gives, too, may lie there; null: it does not want the result
  };

  /// As `brief_call::kind`, and none of these numbers.
  virtual std::uint64_t combined_kind() const noexcept = 0;
  /// What each rank gives.
  virtual elements combines() const noexcept = 0;
  virtual places lie_at() const noexcept = 0;
  /// Adds the elements of the next rank.
  virtual void combine(const std::byte* more, std::byte* sum, std::size_t count) const noexcept = 0;

 protected:
  ~combined_call() = default;
};

/// A call of all that a trace tells more of than who has met.
class told_call {
 public:
  struct to_neighbour {
    int rank;
    std::size_t bytes;
  };

  virtual trace::moved_as moved() const noexcept = 0;
  /// What the rank gives its neighbours: so many parts. Nothing where it is no call of these.
  virtual std::optional<std::size_t> neighbour_parts() const noexcept { return {}; }
  virtual to_neighbour neighbour_part(std::size_t) const noexcept { return {}; }

 protected:
  ~told_call() = default;
};

/// Which of the processes of a job this is.
struct process_of_job {
  int number = 0;                 ///< from 0
  int count = 1;                  ///< how many processes there are
  int shared_memory = -1;         ///< a file that those of the node have inherited, empty at the beginning
  bool copies_in_pieces = false;  ///< long messages go through shared memory, although the system could copy them
  /// The process of each rank; each has one at least. If it is empty, they have blocks of ranks.
  std::vector<int> process_of_rank = {};
  /// So many processes in the order of their numbers are on each node, which has a forwarder; 0: there is one node.
  int on_each_node = 0;

  int node() const noexcept { return on_each_node > 0 ? number / on_each_node : 0; }
  int nodes() const noexcept { return on_each_node > 0 ? count / on_each_node : 1; }
};

/// What the forwarder of a node has of the network, and of its job. Each call returns at once.
class node_network {
 public:
  /// The most bytes of a parcel.
  static constexpr std::size_t most_bytes = 64 << 10;

  virtual ~node_network() = default;
  /// Gives room for the next parcel to that node; null while enough of them are under way there. It stays the same
  /// until `send`.
  virtual std::byte* room(int node) = 0;
  /// Sends the first bytes of that room. The parcels to a node come in their order.
  virtual void send(int node, std::size_t bytes) = 0;
  /// Gives the first parcel that has come; nothing where there is none. It stays until `pop`.
  virtual std::span<const std::byte> first() = 0;
  virtual void pop() = 0;
  /// Have all that were sent come?
  virtual bool has_sent_all() = 0;

  /// Has a process of this node ended the job before its time?
  virtual bool is_ended_here() = 0;
  /// Another node has: this one's processes are to end.
  virtual void end_here() = 0;
  /// What this node says at its end, once its processes are gone.
  virtual std::optional<int> status_here() = 0;
};

/// Gives the process of each rank, in blocks.
inline std::vector<int> in_blocks(int ranks, int processes) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    all[rank] = static_cast<int>(static_cast<std::int64_t>(rank) * processes / ranks);
  return all;
}
/// Gives the ranks of that process, from the lowest.
inline std::vector<int> ranks_of_process(const std::vector<int>& process_of_rank, int process) {
  std::vector<int> found;
  for (std::size_t rank = 0; rank < process_of_rank.size(); ++rank)
    if (process_of_rank[rank] == process) found.push_back(static_cast<int>(rank));
  return found;
}

/// Lets one thread at a time run the code of a rank that has several.
class rank_gate {
 public:
  /// The caller, whose turn it is, is about to wait: others go on. Gives what `enter` is to be given.
  virtual unsigned leave() noexcept = 0;
  /// Waits for its turn.
  virtual void enter(unsigned left) noexcept = 0;

 protected:
  ~rank_gate() = default;
};

/// The caller waits, or runs other code than a call's, and other threads of its rank may call meanwhile.
class outside_gate {
 public:
  explicit outside_gate(rank_gate* gate) noexcept : gate_(gate), left_(gate ? gate->leave() : 0) {}
  ~outside_gate() {
    if (gate_) gate_->enter(left_);
  }
  outside_gate(const outside_gate&) = delete;
  outside_gate& operator=(const outside_gate&) = delete;

 private:
  rank_gate* const gate_;
  const unsigned left_;
};

/// Appends these bytes.
inline void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* const data = static_cast<const std::byte*>(from);
  to.insert(to.end(), data, data + bytes);
}

namespace detail {
/// As `run_ranks`, for as many ranks as are named: the worker on which each begins, and stays. Where workers are not
/// CPU cores of this machine, they are not looked at.
MASLIN_API void run_placed_ranks(const std::vector<int>& worker_of_rank, void (*run)(void*, communicator&), void* body,
                                 location where, host* of = nullptr);
/// As `run_ranks`, for those of `count` ranks that are in this process. Returns when all ranks of all processes have
/// ended. `of`: whose functions they may call; what that host does not have, and none further out, is called at
/// `of_job`, which the first process names.
MASLIN_API void run_ranks_of_process(const process_of_job& process, int count, void (*run)(void*, communicator&),
                                     void* body, location where, host* of = nullptr, host* of_job = nullptr);
/// From now on threads that the program has made may call for the caller's rank, too, each in its turn: a call leaves
/// the gate while it waits. False where a rank of this process shares its worker with another one: a rank that waits
/// for its own threads would hold up the other. Called after all ranks have met.
MASLIN_API bool let_threads_call(communicator& of, rank_gate& by);
/// Says what the communicator is called where all ranks wait for each other, by the caller's rank: otherwise it is told
/// where it was made.
MASLIN_API void name_communicator(communicator& of, std::string name);
/// Gives how many bytes the stack of a fiber has (MASLIN_STACK).
MASLIN_API std::size_t bytes_of_stack();
/// Forwards what processes of other nodes and those of this one send each other, until all nodes have said their
/// status; gives these, or nothing if the job was ended before its time and some nodes do not answer. `of.number` is
/// that of a process of this node.
MASLIN_API std::optional<std::vector<int>> forward_between_nodes(node_network& by, const process_of_job& of, int ranks,
                                                                 location where);
}  // namespace detail

}  // namespace maslin
