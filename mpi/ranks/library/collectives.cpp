// Barrier, and what copies data between all ranks.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "state.hpp"
#include "together.hpp"

using namespace mpi;

namespace {

using kind = spread::kind;

bool is_in_place(const void* data) { return data == MPI_IN_PLACE; }

/// Parts that begin so many elements from the beginning.
spread listed(call_of_all& mine, const void* data, const int* counts, const int* displacements, MPI_Datatype type) {
  spread made{kind::listed, {}, {}};
  const std::ptrdiff_t extent = type_of(type).extent();
  for (int i = 0; i < mine.in.peers().size(); ++i)
    made.parts.push_back(mine.checked(static_cast<const char*>(data) + displacements[i] * extent, counts[i], type));
  return made;
}
/// Parts of different types; distances are bytes.
spread listed(call_of_all& mine, const void* data, const int* counts, const int* displacements,
              const MPI_Datatype* types) {
  spread made{kind::listed, {}, {}};
  for (int i = 0; i < mine.in.peers().size(); ++i)
    made.parts.push_back(mine.checked(static_cast<const char*>(data) + displacements[i], counts[i], types[i]));
  return made;
}

// The parts of a rank. In a communicator of two groups, data goes from one to the other.

void take_from_root(const call_of_all&, calls_of_all all, int rank) {
  const call_of_all& its = brought(all, rank);
  if (its.takes_part()) copy_between(all, its.root, rank);
}
void give_to_root(const call_of_all&, calls_of_all all, int rank) {
  const call_of_all& its = brought(all, rank);
  if (its.takes_part()) copy_between(all, rank, its.root);
}
void take_from_all(const call_of_all&, calls_of_all all, int rank) {
  const sides& in = brought(all, rank).in;
  const int from = in.first_remote;
  for (int i = 0; i < in.peers().size(); ++i) copy_between(all, from + i, rank);
}

// What the calls bring.

void broadcast(call_of_all& mine, void* data, int count, MPI_Datatype type, int root) {
  mine.part = take_from_root;
  mine.as = call_of_all::briefly::broadcast;
  mine.set_root(root);
  if (!mine.takes_part()) return;
  const spread whole = mine.same(data, count, type);
  if (mine.is_root()) mine.offers = whole;
  if (!mine.is_root() || !mine.in.is_inter()) mine.wants = whole;
}

/// Each rank gives the root its part. Only the root says where the parts are wanted: `wants()`.
template <class Wants>
void gather(call_of_all& mine, const void* data, int count, MPI_Datatype type, int root, Wants&& wants) {
  mine.part = give_to_root;
  mine.set_root(root);
  if (!mine.takes_part()) return;
  if (mine.is_root()) {
    mine.wants = wants();
    if (mine.in.is_inter()) return;
    const buffer own = mine.wants.of(mine.rank());
    expect_apart(data, own);
    if (is_in_place(data)) {
      mine.offers = {kind::same, own, {}};
      return;
    }
  }
  mine.offers = mine.same(data, count, type);
}

/// Each rank takes its part from the root, which says what it offers: `offers()`.
template <class Offers>
void scatter(call_of_all& mine, void* into, int room, MPI_Datatype into_type, int root, Offers&& offers) {
  mine.part = take_from_root;
  mine.set_root(root);
  if (!mine.takes_part()) return;
  if (mine.is_root()) {
    mine.offers = offers();
    if (mine.in.is_inter()) return;
    const buffer own = mine.offers.of(mine.rank());
    expect_apart(into, own);
    if (is_in_place(into)) {
      mine.wants = {kind::same, own, {}};
      return;
    }
  }
  mine.wants = mine.same(into, room, into_type);
}

void gather_to_all(call_of_all& mine, const void* data, int count, MPI_Datatype type, spread wants) {
  mine.part = take_from_all;
  mine.as = call_of_all::briefly::gather_to_all;
  mine.wants = std::move(wants);
  if (mine.in.is_inter()) {
    mine.offers = mine.same(data, count, type);
    return;
  }
  const buffer own = mine.wants.of(mine.rank());
  expect_apart(data, own);
  mine.offers = is_in_place(data) ? spread{kind::same, own, {}} : mine.same(data, count, type);
}

/// `offers()`: what is given, unless that is in place of what is wanted.
template <class Offers>
void exchange(call_of_all& mine, const void* data, Offers&& offers, spread wants) {
  mine.part = take_from_all;
  mine.as = call_of_all::briefly::exchange;
  mine.wants = std::move(wants);
  if (is_in_place(data)) {
    mine.offers = mine.wants;
    mine.copies_offers = true;
    return;
  }
  mine.offers = offers();
  for (int i = 0; i < mine.in.peers().size(); ++i) expect_apart(mine.offers.of(i).data, mine.wants.of(i));
}

}  // namespace

void call_of_all::exchange_with_all(spread to, spread from) {
  part = take_from_all;
  offers = std::move(to);
  wants = std::move(from);
}

MASLIN_MPI_OF_ALL(Barrier, Ibarrier, mine.as = call_of_all::briefly::barrier)
MASLIN_MPI_OF_ALL(Bcast, Ibcast, broadcast(mine, data, count, type, root), void* data, int count, MPI_Datatype type,
                  int root)
MASLIN_MPI_OF_ALL(Gather, Igather,
                  gather(mine, data, count, type, root, [&] { return mine.blocks(into, room, into_type); }),
                  const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                  int root)
MASLIN_MPI_OF_ALL(Gatherv, Igatherv,
                  gather(mine, data, count, type, root,
                         [&] { return listed(mine, into, rooms, displacements, into_type); }),
                  const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                  const int* displacements, MPI_Datatype into_type, int root)
MASLIN_MPI_OF_ALL(Scatter, Iscatter,
                  scatter(mine, into, room, into_type, root, [&] { return mine.blocks(data, count, type); }),
                  const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type,
                  int root)
MASLIN_MPI_OF_ALL(Scatterv, Iscatterv,
                  scatter(mine, into, room, into_type, root,
                          [&] { return listed(mine, data, counts, displacements, type); }),
                  const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                  int room, MPI_Datatype into_type, int root)
MASLIN_MPI_OF_ALL(Allgather, Iallgather, gather_to_all(mine, data, count, type, mine.blocks(into, room, into_type)),
                  const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Allgatherv, Iallgatherv,
                  gather_to_all(mine, data, count, type, listed(mine, into, rooms, displacements, into_type)),
                  const void* data, int count, MPI_Datatype type, void* into, const int* rooms,
                  const int* displacements, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Alltoall, Ialltoall,
                  exchange(
                      mine, data, [&] { return mine.blocks(data, count, type); }, mine.blocks(into, room, into_type)),
                  const void* data, int count, MPI_Datatype type, void* into, int room, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Alltoallv, Ialltoallv,
                  exchange(
                      mine, data, [&] { return listed(mine, data, counts, displacements, type); },
                      listed(mine, into, rooms, into_displacements, into_type)),
                  const void* data, const int* counts, const int* displacements, MPI_Datatype type, void* into,
                  const int* rooms, const int* into_displacements, MPI_Datatype into_type)
MASLIN_MPI_OF_ALL(Alltoallw, Ialltoallw,
                  exchange(
                      mine, data, [&] { return listed(mine, data, counts, displacements, types); },
                      listed(mine, into, rooms, into_displacements, into_types)),
                  const void* data, const int* counts, const int* displacements, const MPI_Datatype* types, void* into,
                  const int* rooms, const int* into_displacements, const MPI_Datatype* into_types)
