// Barrier, and what copies data between all ranks.

#include <memory>
#include <string>
#include <vector>

#include "state.hpp"
#include "together.hpp"

using namespace mpi;

namespace {

using kind = spread::kind;

bool is_in_place(const void* data) { return data == MPI_IN_PLACE; }

spread same_for_all(const void* data, int count, MPI_Datatype type) {
  return {kind::same, checked_buffer(data, count, type), {}};
}
spread in_blocks(const void* data, int count, MPI_Datatype type) {
  return {kind::blocks, checked_buffer(data, count, type), {}};
}
/// Parts that begin so many elements from the beginning.
spread listed(const communicator& in, const void* data, const int* counts, const int* displacements,
              MPI_Datatype type) {
  spread made{kind::listed, {}, {}};
  const std::ptrdiff_t extent = type_of(type).extent();
  for (int i = 0; i < in.size(); ++i)
    made.parts.push_back(checked_buffer(static_cast<const char*>(data) + displacements[i] * extent, counts[i], type));
  return made;
}
/// Parts of different types; distances are bytes.
spread listed(const communicator& in, const void* data, const int* counts, const int* displacements,
              const MPI_Datatype* types) {
  spread made{kind::listed, {}, {}};
  for (int i = 0; i < in.size(); ++i)
    made.parts.push_back(checked_buffer(static_cast<const char*>(data) + displacements[i], counts[i], types[i]));
  return made;
}

/// A copy of what a rank offers, for one that gets its results in the same place.
class offered_copy {
 public:
  offered_copy(const communicator& in, const spread& from) {
    std::size_t bytes = 0;
    for (int i = 0; i < in.size(); ++i) bytes += from.of(i).bytes();
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    offers.is = kind::listed;
    std::byte* at = memory_.get();
    for (int i = 0; i < in.size(); ++i) {
      const buffer part = from.of(i);
      pack(part, at);
      offers.parts.push_back({at, part.bytes(), &type_of(MPI_BYTE)});
      at += part.bytes();
    }
  }
  spread offers{};

 private:
  std::unique_ptr<std::byte[]> memory_;
};

/// Each rank takes what the others offer it.
void all_take(communicator& in, const call_of_all& mine) {
  together(in, mine, [&] {
    for (int from = 0; from < in.size(); ++from) copy_between(in, from, in.rank);
  });
}

void broadcast(communicator& in, const call& by, const buffer& data, int root) {
  expect_rank(in, root, MPI_ERR_ROOT);
  if (data.bytes() > small_data::most) {
    together(in, {by, root, {kind::same, data, {}}, {kind::same, data, {}}}, [&] { copy_between(in, root, in.rank); });
    return;
  }
  small_data little{data.bytes(), number::none, MPI_OP_NULL, {}};
  if (in.rank == root) pack(data, little.bytes);
  meet(in, by, root, &little);
  if (in.rank != root) unpack(little.bytes, little.count, data);
}

/// Each rank gives the root its part. Only the root says where the parts are wanted.
void gather(communicator& in, const call& by, int root, const void* data, int count, MPI_Datatype type,
            const spread& wants) {
  const bool stays = in.rank == root && is_in_place(data);
  if (in.rank == root) expect_apart(data, wants.of(root));
  const call_of_all mine{by, root, stays ? spread{kind::same, wants.of(root), {}} : same_for_all(data, count, type),
                         wants};
  together(in, mine, [&] { copy_between(in, in.rank, root); });
}

/// Each rank takes its part from the root.
void scatter(communicator& in, const call& by, int root, const spread& offers, void* into, int room,
             MPI_Datatype into_type) {
  const bool stays = in.rank == root && is_in_place(into);
  if (in.rank == root) expect_apart(into, offers.of(root));
  const call_of_all mine{by, root, offers,
                         stays ? spread{kind::same, offers.of(root), {}} : same_for_all(into, room, into_type)};
  together(in, mine, [&] { copy_between(in, root, in.rank); });
}

void gather_to_all(communicator& in, const call& by, const void* data, int count, MPI_Datatype type,
                   const spread& wants) {
  expect_apart(data, wants.of(in.rank));
  all_take(in,
           {by, MPI_UNDEFINED,
            is_in_place(data) ? spread{kind::same, wants.of(in.rank), {}} : same_for_all(data, count, type), wants});
}

void exchange(communicator& in, const call& by, bool stays, const spread& offers, const spread& wants) {
  if (!stays) {
    for (int i = 0; i < in.size(); ++i) expect_apart(offers.of(i).data, wants.of(i));
    all_take(in, {by, MPI_UNDEFINED, offers, wants});
    return;
  }
  const offered_copy copy(in, wants);
  all_take(in, {by, MPI_UNDEFINED, copy.offers, wants});
}

}  // namespace

MASLIN_MPI_DEFINE(Barrier, (MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Barrier);
  return carry_out(by, comm, [&] { meet(communicator_of(comm), by, MPI_UNDEFINED); });
}
MASLIN_MPI_DEFINE(Bcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Bcast);
  return carry_out(by, comm, [&] { broadcast(communicator_of(comm), by, checked_buffer(data, count, type), root); });
}
MASLIN_MPI_DEFINE(Gather, (const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                           int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Gather);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    expect_rank(in, root, MPI_ERR_ROOT);
    gather(in, by, root, data, count, type, in.rank == root ? in_blocks(into, room, into_type) : spread{});
  });
}
MASLIN_MPI_DEFINE(Gatherv, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                            const int* displacements, MPI_Datatype into_type, int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Gatherv);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    expect_rank(in, root, MPI_ERR_ROOT);
    gather(in, by, root, data, count, type,
           in.rank == root ? listed(in, into, rooms, displacements, into_type) : spread{});
  });
}
MASLIN_MPI_DEFINE(Scatter, (const void* data, int count, MPI_Datatype type, void* into, int room,
                            MPI_Datatype into_type, int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Scatter);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    expect_rank(in, root, MPI_ERR_ROOT);
    scatter(in, by, root, in.rank == root ? in_blocks(data, count, type) : spread{}, into, room, into_type);
  });
}
MASLIN_MPI_DEFINE(Scatterv, (const void* data, const int* counts, const int* displacements, MPI_Datatype type,
                             void* into, int room, MPI_Datatype into_type, int root, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Scatterv);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    expect_rank(in, root, MPI_ERR_ROOT);
    scatter(in, by, root, in.rank == root ? listed(in, data, counts, displacements, type) : spread{}, into, room,
            into_type);
  });
}
MASLIN_MPI_DEFINE(Allgather, (const void* data, int count, MPI_Datatype type, void* into, int room,
                              MPI_Datatype into_type, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Allgather);
  return carry_out(
      by, comm, [&] { gather_to_all(communicator_of(comm), by, data, count, type, in_blocks(into, room, into_type)); });
}
MASLIN_MPI_DEFINE(Allgatherv, (const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                               const int* displacements, MPI_Datatype into_type, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Allgatherv);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    gather_to_all(in, by, data, count, type, listed(in, into, rooms, displacements, into_type));
  });
}
MASLIN_MPI_DEFINE(Alltoall, (const void* data, int count, MPI_Datatype type, void* into, int room,
                             MPI_Datatype into_type, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Alltoall);
  return carry_out(by, comm, [&] {
    const bool stays = is_in_place(data);
    exchange(communicator_of(comm), by, stays, stays ? spread{} : in_blocks(data, count, type),
             in_blocks(into, room, into_type));
  });
}
MASLIN_MPI_DEFINE(Alltoallv,
                  (const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                   const int* rooms, const int* into_displacements, MPI_Datatype into_type, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Alltoallv);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    const bool stays = is_in_place(data);
    exchange(in, by, stays, stays ? spread{} : listed(in, data, counts, displacements, type),
             listed(in, into, rooms, into_displacements, into_type));
  });
}
MASLIN_MPI_DEFINE(Alltoallw,
                  (const void* data, const int* counts, const int* displacements, const MPI_Datatype* types, void* into,
                   const int* rooms, const int* into_displacements, const MPI_Datatype* into_types, MPI_Comm comm)) {
  const call by = MASLIN_MPI_CALL(Alltoallw);
  return carry_out(by, comm, [&] {
    communicator& in = communicator_of(comm);
    const bool stays = is_in_place(data);
    exchange(in, by, stays, stays ? spread{} : listed(in, data, counts, displacements, types),
             listed(in, into, rooms, into_displacements, into_types));
  });
}
