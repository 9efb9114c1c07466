#include "communicator.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "state.hpp"
#include "together.hpp"

namespace mpi {

int group::find(int rank) const {
  if (places_.empty()) {
    places_.assign(static_cast<std::size_t>(me.world->size()), MPI_UNDEFINED);
    for (std::size_t i = 0; i < ranks.size(); ++i) places_[static_cast<std::size_t>(ranks[i])] = static_cast<int>(i);
  }
  return places_[static_cast<std::size_t>(rank)];
}

communicator::communicator(maslin::communicator with, maslin::location where)
    : channel(std::move(with)), rank(channel.rank()) {
  const auto count = static_cast<std::size_t>(channel.size());
  members.ranks.resize(count);
  channel.all_gather(me.of->rank, members.ranks, where);
  std::uintptr_t shared = 0;
  if (rank == 0)
    shared =
        reinterpret_cast<std::uintptr_t>(new meeting_place{std::vector<const call_of_all*>(count), channel.size()});
  channel.broadcast(shared, 0, where);
  place = reinterpret_cast<meeting_place*>(shared);
}
communicator::~communicator() {
  if (place->users.fetch_sub(1) == 1) delete place;
}

communicator& communicator_of(MPI_Comm comm) {
  communicator* const found = me.communicators.find(comm);
  if (!found)
    throw failure{MPI_ERR_COMM, comm == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                      : "there is no communicator " + std::to_string(comm)};
  return *found;
}

void expect_rank(const communicator& in, int rank, int error_class) {
  if (rank < 0 || rank >= in.size())
    throw failure{error_class, "there is no rank " + std::to_string(rank) + "; expected 0 to " +
                                   std::to_string(in.size() - 1) + " in " +
                                   (in.name.empty() ? "this communicator" : in.name)};
}

std::shared_ptr<communicator> split(communicator& from, int color, int key, const call& by) {
  meet(from, by, MPI_UNDEFINED);
  maslin::communicator part = from.channel.split(color, key, by.where);
  if (color < 0) return nullptr;
  auto made = std::make_shared<communicator>(std::move(part), by.where);
  made->error_handler = from.error_handler;
  return made;
}

namespace {

MPI_Comm add(std::shared_ptr<communicator> made) {
  return made ? me.communicators.add(std::move(made)) : MPI_COMM_NULL;
}

void duplicate(MPI_Comm comm, MPI_Comm* made, const call& by) {
  communicator& from = communicator_of(comm);
  const auto copy = split(from, 0, from.rank, by);
  copy->cart = from.cart;
  copy_attributes(comm, from.attributes, copy->attributes);
  *made = add(copy);
}

}  // namespace

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  return carry_out(MASLIN_MPI_CALL(Comm_group), comm,
                   [&] { *group = me.groups.add(std::make_shared<mpi::group>(communicator_of(comm).members)); });
}
MASLIN_MPI_DEFINE(Comm_size, (MPI_Comm comm, int* size)) {
  return carry_out(MASLIN_MPI_CALL(Comm_size), comm, [&] { *size = communicator_of(comm).size(); });
}
MASLIN_MPI_DEFINE(Comm_rank, (MPI_Comm comm, int* rank)) {
  return carry_out(MASLIN_MPI_CALL(Comm_rank), comm, [&] { *rank = communicator_of(comm).rank; });
}
MASLIN_MPI_DEFINE(Comm_compare, (MPI_Comm one, MPI_Comm other, int* result)) {
  return carry_out(MASLIN_MPI_CALL(Comm_compare), one, [&] {
    const std::vector<int>& a = communicator_of(one).members.ranks;
    const std::vector<int>& b = communicator_of(other).members.ranks;
    if (one == other)
      *result = MPI_IDENT;
    else if (a == b)
      *result = MPI_CONGRUENT;
    else
      *result = a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin()) ? MPI_SIMILAR : MPI_UNEQUAL;
  });
}
MASLIN_MPI_DEFINE(Comm_dup, (MPI_Comm comm, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_dup);
  return carry_out(in, comm, [&] { duplicate(comm, made, in); });
}
MASLIN_MPI_DEFINE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_dup_with_info);
  return carry_out(in, comm, [&] { duplicate(comm, made, in); });
}
MASLIN_MPI_DEFINE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_create);
  return carry_out(in, comm, [&] {
    communicator& from = communicator_of(comm);
    const std::vector<int>& ranks = group_of(group).ranks;
    const int mine = group_of(group).find(me.of->rank);
    // Groups may differ, if nobody is in two of them; each is known by its first member.
    *made = add(split(from, mine == MPI_UNDEFINED ? MPI_UNDEFINED : ranks.front(), mine, in));
  });
}
MASLIN_MPI_DEFINE(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_split);
  return carry_out(in, comm, [&] {
    if (color < 0 && color != MPI_UNDEFINED)
      throw failure{MPI_ERR_ARG, "color " + std::to_string(color) + "; expected one from 0, or MPI_UNDEFINED"};
    *made = add(split(communicator_of(comm), color, key, in));
  });
}
MASLIN_MPI_DEFINE(Comm_split_type, (MPI_Comm comm, int split_type, int key, MPI_Info, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_split_type);
  return carry_out(in, comm, [&] {
    if (split_type != MPI_COMM_TYPE_SHARED && split_type != MPI_UNDEFINED)
      throw failure{MPI_ERR_ARG, "split type " + std::to_string(split_type) + "; expected MPI_COMM_TYPE_SHARED"};
    *made = add(split(communicator_of(comm), split_type == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key, in));
  });
}
MASLIN_MPI_DEFINE(Comm_free, (MPI_Comm * comm)) {
  return carry_out(MASLIN_MPI_CALL(Comm_free), MPI_COMM_WORLD, [&] {
    expect_pointer(comm, "the communicator");
    communicator& gone = communicator_of(*comm);
    if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF) throw failure{MPI_ERR_COMM, gone.name + " cannot be freed"};
    delete_attributes(*comm, gone.attributes);
    me.communicators.remove(*comm);
    *comm = MPI_COMM_NULL;
  });
}
MASLIN_MPI_DEFINE(Comm_set_name, (MPI_Comm comm, const char* name)) {
  return carry_out(MASLIN_MPI_CALL(Comm_set_name), comm,
                   [&] { communicator_of(comm).name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1)); });
}
MASLIN_MPI_DEFINE(Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  return carry_out(MASLIN_MPI_CALL(Comm_get_name), comm, [&] {
    const std::string& its = communicator_of(comm).name;
    std::memcpy(name, its.c_str(), its.size() + 1);
    *length = static_cast<int>(its.size());
  });
}
MASLIN_MPI_DEFINE(Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return carry_out(MASLIN_MPI_CALL(Comm_test_inter), comm, [&] {
    communicator_of(comm);
    *flag = 0;
  });
}
