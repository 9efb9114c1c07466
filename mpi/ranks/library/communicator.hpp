#pragma once
// Communicators, and who belongs to them.

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "datatype.hpp"
#include "maslin/ranks.hpp"
#include "mpi.h"
#include "topology.hpp"

namespace mpi {

struct call;

/// Ranks of MPI_COMM_WORLD, in an order.
struct group {
  group() = default;
  explicit group(std::vector<int> its_ranks) : ranks(std::move(its_ranks)) {}
  std::vector<int> ranks;
  int size() const noexcept { return static_cast<int>(ranks.size()); }
  int find(int rank) const;  ///< its place here, or MPI_UNDEFINED

 private:
  mutable std::vector<int> places_;  ///< of each rank of MPI_COMM_WORLD; made when it is asked for first
};

/// One group of ranks, or two, whose ranks exchange data with those of the other group, as those of one see them.
struct sides {
  group members;                           ///< the caller's group
  group remote;                            ///< the other one
  int first_member = 0, first_remote = 0;  ///< where the groups begin in the channel

  int size() const noexcept { return members.size(); }
  /// All ranks of the channel.
  int all() const noexcept { return members.size() + remote.size(); }
  bool is_inter() const noexcept { return !remote.ranks.empty(); }
  /// Those with which the caller exchanges messages, and what it calls them.
  const group& peers() const noexcept { return is_inter() ? remote : members; }
  int to_channel(int peer) const noexcept { return first_remote + peer; }
  int from_channel(int at) const noexcept { return at - first_remote; }
  /// Where the second group begins in the channel; its end where there is one group.
  int second_group() const noexcept { return is_inter() ? first_member + first_remote : size(); }
  /// Its number in its own group. The rank is one of the channel.
  int place_of(int its) const noexcept { return its < second_group() ? its : its - second_group(); }
  /// Its number in MPI_COMM_WORLD, by which messages name a rank.
  int in_world(int its) const noexcept {
    const bool is_member = its >= first_member && its < first_member + size();
    return (is_member ? members : remote).ranks[static_cast<std::size_t>(place_of(its))];
  }
};

/// Of two groups it is an intercommunicator.
struct communicator : sides {
  maslin::communicator channel;  ///< of all ranks; of two groups, one lies behind the other
  int rank;                      ///< in the caller's group
  std::vector<attribute> attributes;
  int error_handler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  mpi::topology topology;

  /// Called by all of the channel's ranks.
  communicator(maslin::communicator with, maslin::location where);
  /// The ranks are known. `before`: the other group lies before the caller's in the channel.
  communicator(maslin::communicator with, group its_members, group its_remote = {}, bool before = false);
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
};

/// There is no communicator of that handle.
[[noreturn]] void throw_no_communicator(MPI_Comm comm);
/// Gives the communicator of that handle, of one group; throws `failure`.
communicator& intracommunicator_of(MPI_Comm comm);
/// There is no such rank in that group of the communicator.
[[noreturn]] void throw_no_rank(const group& of, const communicator& in, int rank, int error_class);
inline void expect_one_of(const group& of, const communicator& in, int rank, int error_class) {
  if (rank < 0 || rank >= of.size()) [[unlikely]]
    throw_no_rank(of, in, rank, error_class);
}
/// Throws unless there is such a rank in the caller's group.
inline void expect_rank(const communicator& in, int rank, int error_class = MPI_ERR_RANK) {
  expect_one_of(in.members, in, rank, error_class);
}
/// Throws unless there is such a rank to exchange data with.
inline void expect_peer(const communicator& in, int rank, int error_class = MPI_ERR_RANK) {
  expect_one_of(in.peers(), in, rank, error_class);
}
/// A new one, with what it inherits; called by all. Null for ranks that belong to none (MPI_UNDEFINED), or where no
/// rank of the other group said that color.
std::shared_ptr<communicator> split(communicator& from, int color, int key, const call& by);
/// The same for a communicator of two groups.
std::shared_ptr<communicator> split_both(communicator& from, int color, int key, const call& by);
/// One of the same ranks, with a channel of its own; called by all, and none waits for the others.
std::shared_ptr<communicator> with_own_channel(communicator& from, maslin::location where);
/// Keeps it, and gives its handle; MPI_COMM_NULL for null.
MPI_Comm add(std::shared_ptr<communicator> made);
/// Copies the attributes that are to be copied. `from`: the object's handle. Throws `failure`.
void copy_attributes(int from, const std::vector<attribute>& of, std::vector<attribute>& into);
/// Deletes them, the latest first. Throws `failure`.
void delete_attributes(int from, std::vector<attribute>& of);

}  // namespace mpi
