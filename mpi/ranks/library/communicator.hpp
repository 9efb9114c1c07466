#pragma once
// Communicators, and who belongs to them.

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "datatype.hpp"
#include "maslin/ranks.hpp"
#include "mpi.h"

namespace mpi {

struct call;
struct call_of_all;

/// Where the ranks of a communicator see what each brings to a call of all. It is theirs together.
struct meeting_place {
  std::vector<const call_of_all*> calls;
  std::atomic<int> users;
};

/// Ranks of MPI_COMM_WORLD, in an order.
struct group {
  std::vector<int> ranks;
  int find(int rank) const;  ///< its place here, or MPI_UNDEFINED

 private:
  mutable std::vector<int> places_;  ///< of each rank of MPI_COMM_WORLD; made when it is asked for first
};

struct grid {
  std::vector<int> sizes;
  std::vector<bool> is_periodic;
  std::vector<int> coordinates;  ///< the caller's

  std::vector<int> coordinates_of(int rank) const;
  int rank_at(const int* where) const;  ///< MPI_PROC_NULL outside
};

struct communicator {
  maslin::communicator channel;
  group members;
  meeting_place* place;  ///< shared with its other ranks
  int rank;
  std::vector<attribute> attributes;
  int error_handler = MPI_ERRORS_ARE_FATAL;
  std::string name;
  std::optional<grid> cart;

  /// Called by all of the channel's ranks.
  communicator(maslin::communicator with, maslin::location where);
  ~communicator();
  communicator(const communicator&) = delete;
  communicator& operator=(const communicator&) = delete;
  int size() const noexcept { return static_cast<int>(members.ranks.size()); }
  /// Its number in MPI_COMM_WORLD, by which messages name a rank.
  int in_world(int its) const noexcept { return members.ranks[static_cast<std::size_t>(its)]; }
};

/// Gives the communicator of that handle; throws `failure`.
communicator& communicator_of(MPI_Comm comm);
/// Throws unless there is such a rank.
void expect_rank(const communicator& in, int rank, int error_class = MPI_ERR_RANK);
/// A new one, with what it inherits; called by all. Null for ranks that belong to none (MPI_UNDEFINED).
std::shared_ptr<communicator> split(communicator& from, int color, int key, const call& by);
/// Copies the attributes that are to be copied. `from`: the object's handle. Throws `failure`.
void copy_attributes(int from, const std::vector<attribute>& of, std::vector<attribute>& into);
/// Deletes them, the latest first. Throws `failure`.
void delete_attributes(int from, std::vector<attribute>& of);

}  // namespace mpi
