#include "together.hpp"

#include <cstring>
#include <string>

#include "state.hpp"

namespace mpi {

/// A rank's call, and whether all that come before it in the order of the ranks are the same. Each rank has its own
/// copy of this code, and types of unnamed namespaces are different ones in each.
struct meeting_call {
  char name[28];
  int root, rank;
  unsigned line;
  bool differs;
  // The first that differs.
  char other_name[28];
  int other_root, other_rank;
  unsigned other_line;
  std::size_t other_count;
  small_data data;
};

meeting_call combined(meeting_call a, const meeting_call& b) {
  const small_data& more = b.data;
  if (a.differs) return a;
  a.differs = std::strcmp(a.name, b.name) != 0 || a.root != b.root || a.data.count != more.count ||
              a.data.kind != more.kind || a.data.operation != more.operation;
  if (a.differs) {
    std::memcpy(a.other_name, b.name, sizeof a.other_name);
    a.other_root = b.root;
    a.other_rank = b.rank;
    a.other_line = b.line;
    a.other_count = more.count;
  } else if (more.operation != MPI_OP_NULL) {
    combine_predefined(more.operation, more.kind, more.bytes, a.data.bytes, more.count);
  } else if (b.rank == b.root) {
    std::memcpy(a.data.bytes, more.bytes, more.count);
  }
  return a;
}

namespace {

std::string described(int rank, const char* name, int root, unsigned line) {
  const std::string with_root = root == MPI_UNDEFINED ? "" : " with root " + std::to_string(root);
  return "rank " + std::to_string(rank) + " calls " + name + with_root + " at @:" + std::to_string(line);
}

[[noreturn]] void disagree(const communicator& in, const meeting_call& all) {
  const std::string first = described(in.in_world(all.rank), all.name, all.root, all.line);
  const std::string other = described(in.in_world(all.other_rank), all.other_name, all.other_root, all.other_line);
  if (std::strcmp(all.name, all.other_name) != 0 || all.root != all.other_root)
    throw failure{MPI_ERR_OTHER, "all ranks of a communicator must call the same: " + first + ", " + other};
  if (all.data.count != all.other_count)
    throw failure{MPI_ERR_TRUNCATE, "all ranks must bring as many elements: " + first + " with " +
                                        std::to_string(all.data.count) + ", " + other + " with " +
                                        std::to_string(all.other_count)};
  throw failure{MPI_ERR_OP, "all ranks must name the same type and operation: " + first + ", " + other};
}

}  // namespace

void meet(communicator& in, const call& by, int root, small_data* data) {
  meeting_call mine{};
  std::strncpy(mine.name, by.name, sizeof mine.name - 1);
  mine.root = root;
  mine.rank = in.rank;
  mine.line = by.where.line();
  if (data) mine.data = *data;
  const meeting_call all = in.channel.all_reduce(mine, combined, by.where);
  if (all.differs) disagree(in, all);
  if (data) *data = all.data;
}

buffer spread::of(int rank) const {
  switch (is) {
    case kind::same:
      return whole;
    case kind::blocks:
      return {whole.element(static_cast<std::size_t>(rank) * whole.count), whole.count, whole.type};
    case kind::listed:
      return parts[static_cast<std::size_t>(rank)];
  }
  return {};
}

void copy_between(const communicator& in, int from, int to) {
  const buffer offered = brought(in, from).offers.of(to), wanted = brought(in, to).wants.of(from);
  // It is there already. A rank's types are its own; MPI_BOTTOM is the same for all.
  if (offered.data == wanted.data && offered.type == wanted.type) return;
  if (offered.bytes() > wanted.bytes())
    throw failure{MPI_ERR_TRUNCATE, "rank " + std::to_string(in.in_world(from)) + " gives " +
                                        std::to_string(offered.bytes()) + " bytes to rank " +
                                        std::to_string(in.in_world(to)) + ", which has room for " +
                                        std::to_string(wanted.bytes())};
  copy(offered, wanted);
}

void expect_apart(const void* data, const buffer& result) {
  if (data == result.data && data && result.bytes() > 0)
    throw failure{MPI_ERR_BUFFER, "the same buffer is given and wanted; MPI_IN_PLACE says so"};
}

buffer checked_buffer(const void* data, int count, MPI_Datatype type) {
  if (count < 0) throw failure{MPI_ERR_COUNT, "count " + std::to_string(count) + "; expected one from 0"};
  const datatype& of = type_of(type);
  if (data == MPI_IN_PLACE) throw failure{MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning here"};
  if (!data && count > 0 && of.is_dense && of.size > 0 && of.lower == 0)
    throw failure{MPI_ERR_BUFFER, "the buffer is a null pointer"};
  return {const_cast<void*>(data), static_cast<std::size_t>(count), &of};
}

}  // namespace mpi
