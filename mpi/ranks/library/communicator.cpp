#include "communicator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "comm/processes.hpp"
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
  members.ranks.resize(static_cast<std::size_t>(channel.size()));
  channel.all_gather(me.of->rank, members.ranks, where);
}
communicator::communicator(maslin::communicator with, group its_members, group its_remote, bool before)
    : sides{std::move(its_members), std::move(its_remote)}, channel(std::move(with)) {
  first_member = before ? remote.size() : 0;
  first_remote = before || remote.ranks.empty() ? 0 : members.size();
  rank = channel.rank() - first_member;
}

void throw_no_communicator(MPI_Comm comm) {
  throw failure{MPI_ERR_COMM, comm == MPI_COMM_NULL ? "the communicator is MPI_COMM_NULL"
                                                    : "there is no communicator " + std::to_string(comm)};
}

communicator& intracommunicator_of(MPI_Comm comm) {
  communicator& found = communicator_of(comm);
  if (found.is_inter())
    throw failure{MPI_ERR_COMM, "this is an intercommunicator; expected a communicator of one group"};
  return found;
}

void throw_no_rank(const group& of, const communicator& in, int rank, int error_class) {
  throw failure{error_class, "there is no rank " + std::to_string(rank) + "; expected 0 to " +
                                 std::to_string(of.size() - 1) + " in " +
                                 (in.name.empty() ? "this communicator" : in.name)};
}

MPI_Comm add(std::shared_ptr<communicator> made) {
  return made ? me.communicators.add(std::move(made)) : MPI_COMM_NULL;
}

std::shared_ptr<communicator> split(communicator& from, int color, int key, const call& by) {
  if (from.is_inter()) return split_both(from, color, key, by);
  meet(from, by);
  maslin::communicator part = from.channel.split(color, key, by.where);
  if (color < 0) return nullptr;
  auto made = std::make_shared<communicator>(std::move(part), by.where);
  made->error_handler = from.error_handler;
  return made;
}

std::shared_ptr<communicator> with_own_channel(communicator& from, maslin::location where) {
  std::vector<int> all(static_cast<std::size_t>(from.channel.size()));
  std::iota(all.begin(), all.end(), 0);
  constexpr int tag = -1;  // programs have others
  auto made = std::make_shared<communicator>(from.channel.among(all, tag, where), from.members, from.remote,
                                             from.first_member > 0);
  made->error_handler = from.error_handler;
  made->topology = from.topology;
  return made;
}

namespace {

int compared(const group& one, const group& other) {
  const std::vector<int>&a = one.ranks, &b = other.ranks;
  if (a == b) return MPI_CONGRUENT;
  return a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin()) ? MPI_SIMILAR : MPI_UNEQUAL;
}

/// None of the ranks waits for the others.
void duplicate(MPI_Comm comm, MPI_Comm* made, const call& by) {
  communicator& from = communicator_of(comm);
  *made = MPI_COMM_NULL;  // if a function that copies attributes fails
  const auto copy = with_own_channel(from, by.where);
  copy_attributes(comm, from.attributes, copy->attributes);
  *made = add(copy);
}
void meet_and_duplicate(MPI_Comm comm, MPI_Comm* made, const call& by) {
  meet(communicator_of(comm), by);
  duplicate(comm, made, by);
}

void start_to_duplicate(MPI_Comm comm, MPI_Comm* made, MPI_Request* request, const call& by) {
  expect_pointer(request, "the request");
  duplicate(comm, made, by);
  *request = add_complete(empty_status());
}

communicator& freeable(const MPI_Comm* comm) {
  expect_pointer(comm, "the communicator");
  communicator& found = communicator_of(*comm);
  if (*comm == MPI_COMM_WORLD || *comm == MPI_COMM_SELF) throw failure{MPI_ERR_COMM, found.name + " cannot be freed"};
  return found;
}
void free_communicator(MPI_Comm* comm) {
  delete_attributes(*comm, freeable(comm).attributes);
  me.communicators.remove(*comm);
  *comm = MPI_COMM_NULL;
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
    const communicator &a = communicator_of(one), &b = communicator_of(other);
    *result = std::max(compared(a.members, b.members), compared(a.remote, b.remote));  // the less alike
    if (one == other) *result = MPI_IDENT;
  });
}
MASLIN_MPI_DEFINE(Comm_dup, (MPI_Comm comm, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_dup);
  return carry_out(in, comm, [&] { meet_and_duplicate(comm, made, in); });
}
MASLIN_MPI_DEFINE(Comm_dup_with_info, (MPI_Comm comm, MPI_Info, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_dup_with_info);
  return carry_out(in, comm, [&] { meet_and_duplicate(comm, made, in); });
}
MASLIN_MPI_DEFINE(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request)) {
  const call in = MASLIN_MPI_CALL(Comm_idup);
  return carry_out(in, comm, [&] { start_to_duplicate(comm, made, request, in); });
}
MASLIN_MPI_DEFINE(Comm_idup_with_info, (MPI_Comm comm, MPI_Info, MPI_Comm* made, MPI_Request* request)) {
  const call in = MASLIN_MPI_CALL(Comm_idup_with_info);
  return carry_out(in, comm, [&] { start_to_duplicate(comm, made, request, in); });
}
MASLIN_MPI_DEFINE(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_create);
  return carry_out(in, comm, [&] {
    communicator& from = communicator_of(comm);
    const std::vector<int>& ranks = group_of(group).ranks;
    const int mine = group_of(group).find(me.of->rank);
    // Groups may differ, if nobody is in two of them; each is known by its first member.
    const int color = from.is_inter() ? 0 : ranks.empty() ? MPI_UNDEFINED : ranks.front();
    *made = add(split(from, mine == MPI_UNDEFINED ? MPI_UNDEFINED : color, mine, in));
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
    int color = MPI_UNDEFINED;
    if (split_type == MPI_COMM_TYPE_SHARED)
      color = me.of->node;
    else if (split_type == MPI_COMM_MEM_DOMAIN)
      color = me.of->process;
    else if (split_type != MPI_UNDEFINED)
      throw failure{MPI_ERR_ARG, "split type " + std::to_string(split_type) +
                                     "; expected MPI_COMM_TYPE_SHARED, MPI_COMM_MEM_DOMAIN or MPI_UNDEFINED"};
    *made = add(split(communicator_of(comm), color, key, in));
  });
}
MASLIN_MPI_DEFINE(Comm_set_info, (MPI_Comm comm, MPI_Info)) {
  return carry_out(MASLIN_MPI_CALL(Comm_set_info), comm, [&] { communicator_of(comm); });
}
MASLIN_MPI_DEFINE(Comm_get_info, (MPI_Comm comm, MPI_Info* used)) {
  return carry_out(MASLIN_MPI_CALL(Comm_get_info), comm, [&] {
    communicator_of(comm);
    *used = me.infos.add(std::make_shared<info>());
  });
}
MASLIN_MPI_DEFINE(Comm_get_parent, (MPI_Comm * parent)) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
MASLIN_MPI_DEFINE(Comm_free, (MPI_Comm * comm)) {
  return carry_out(MASLIN_MPI_CALL(Comm_free), MPI_COMM_WORLD, [&] { free_communicator(comm); });
}
MASLIN_MPI_DEFINE(Comm_disconnect, (MPI_Comm * comm)) {
  const call in = MASLIN_MPI_CALL(Comm_disconnect);
  return carry_out(in, MPI_COMM_WORLD, [&] {
    communicator& gone = freeable(comm);
    me.buffered.wait_for(gone, in.where);
    meet(gone, in);
    free_communicator(comm);
  });
}
MASLIN_MPI_DEFINE(Comm_set_name, (MPI_Comm comm, const char* name)) {
  return carry_out(MASLIN_MPI_CALL(Comm_set_name), comm, [&] {
    communicator& named = communicator_of(comm);
    named.name.assign(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
    maslin::detail::name_communicator(named.channel, "'" + named.name + "'");
  });
}
MASLIN_MPI_DEFINE(Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  return carry_out(MASLIN_MPI_CALL(Comm_get_name), comm, [&] {
    const std::string& its = communicator_of(comm).name;
    std::memcpy(name, its.c_str(), its.size() + 1);
    *length = static_cast<int>(its.size());
  });
}
MASLIN_MPI_DEFINE(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Comm_create_group);
  return carry_out(in, comm, [&] {
    communicator& from = intracommunicator_of(comm);
    const auto kept = me.communicators.keep(comm);  // another thread may free these while ranks are asked
    const mpi::group wanted = group_of(group);
    *made = MPI_COMM_NULL;
    if (wanted.find(me.of->rank) == MPI_UNDEFINED) return;
    if (tag < 0) throw failure{MPI_ERR_TAG, "tag " + std::to_string(tag) + "; expected one from 0"};
    std::vector<int> ranks;
    for (const int rank : wanted.ranks) {
      ranks.push_back(from.members.find(rank));
      if (ranks.back() == MPI_UNDEFINED)
        throw failure{MPI_ERR_GROUP, "rank " + std::to_string(rank) + " of MPI_COMM_WORLD is not in the communicator"};
    }
    const auto part = std::make_shared<communicator>(from.channel.among(ranks, tag, in.where), wanted);
    part->error_handler = from.error_handler;
    *made = add(part);
  });
}
