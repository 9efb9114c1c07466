// Communicators of two groups of ranks: each rank exchanges messages with those of the other group.

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "state.hpp"
#include "together.hpp"

namespace mpi {

namespace {

std::span<std::byte> bytes_of(std::vector<int>& numbers) { return std::as_writable_bytes(std::span(numbers)); }

/// The channel's ranks of both groups that said a color, in the order of their keys.
struct halves {
  std::vector<int> first, second;
};
halves with_color(const communicator& of, const std::vector<std::array<int, 2>>& said, int color) {
  halves found;
  for (int at = 0; at < static_cast<int>(said.size()); ++at)
    if (said[static_cast<std::size_t>(at)][0] == color)
      (at < of.second_group() ? found.first : found.second).push_back(at);
  const auto by_key = [&](int a, int b) {
    return said[static_cast<std::size_t>(a)][1] < said[static_cast<std::size_t>(b)][1];
  };
  std::stable_sort(found.first.begin(), found.first.end(), by_key);
  std::stable_sort(found.second.begin(), found.second.end(), by_key);
  return found;
}

group in_world(const communicator& of, const std::vector<int>& channel_ranks) {
  group made;
  for (const int rank : channel_ranks) made.ranks.push_back(of.in_world(rank));
  return made;
}

/// The ranks of the other leader's group, in MPI_COMM_WORLD: leaders tell each other, and then their groups.
std::vector<int> other_group(communicator& mine, int leader, MPI_Comm peers, int other_leader, int tag,
                             const call& by) {
  std::vector<int> others;
  std::optional<failure> wrong;
  if (mine.rank == leader) {
    try {
      communicator_of(peers);
      const std::shared_ptr<communicator> kept = me.communicators.keep(peers);  // another thread may free its handle
      communicator& between = *kept;
      expect_peer(between, other_leader);
      if (tag < 0) throw failure{MPI_ERR_TAG, "tag " + std::to_string(tag) + "; expected one from 0"};
      const int there = between.to_channel(other_leader);
      const std::span<std::byte> own = bytes_of(mine.members.ranks);
      maslin::request sent = between.channel.start_send(own, there, tag, by.where);
      others.resize(between.channel.probe(there, tag, by.where).extent / sizeof(int));
      between.channel.receive(bytes_of(others), there, tag, by.where);
      sent.wait(by.where);
    } catch (const failure& e) {
      wrong = e;  // its group waits to be told
    }
  }
  std::array<int, 2> told{static_cast<int>(others.size()), wrong ? wrong->error_class : MPI_SUCCESS};
  mine.channel.broadcast(told, leader, by.where);
  if (wrong) throw failure(*wrong);
  const auto [count, problem] = told;
  if (problem != MPI_SUCCESS)
    throw failure{problem, "what the group's leader, rank " + std::to_string(leader) +
                               ", says of the other group is wrong; its own error says what"};
  others.resize(static_cast<std::size_t>(count));
  mine.channel.broadcast(others, leader, by.where);
  return others;
}

std::shared_ptr<communicator> joined(communicator& mine, std::vector<int> others, int tag, const call& by) {
  const std::vector<int>& own = mine.members.ranks;
  for (const int rank : others)
    if (mine.members.find(rank) != MPI_UNDEFINED)
      throw failure{MPI_ERR_COMM, "rank " + std::to_string(rank) + " of MPI_COMM_WORLD is in both groups"};
  // Both groups name all ranks in the same order.
  const bool before = others < own;
  std::vector<int> all = before ? others : own;
  all.insert(all.end(), before ? own.begin() : others.begin(), before ? own.end() : others.end());
  auto made = std::make_shared<communicator>(me.world->among(all, tag, by.where), mine.members,
                                             group(std::move(others)), before);
  made->error_handler = mine.error_handler;
  return made;
}

communicator& intercommunicator_of(MPI_Comm comm) {
  communicator& found = communicator_of(comm);
  if (!found.is_inter()) throw failure{MPI_ERR_COMM, "the communicator has one group; expected an intercommunicator"};
  return found;
}

}  // namespace

std::shared_ptr<communicator> split_both(communicator& from, int color, int key, const call& by) {
  meet(from, by);
  std::vector<std::array<int, 2>> said(static_cast<std::size_t>(from.channel.size()));
  const std::array<std::array<int, 2>, 1> mine{{{color, key}}};
  from.channel.all_gather(mine, said, by.where);
  if (color < 0) return nullptr;
  const halves part = with_color(from, said, color);
  if (part.first.empty() || part.second.empty()) return nullptr;
  std::vector<int> all = part.first;
  all.insert(all.end(), part.second.begin(), part.second.end());
  const bool before = from.first_member > 0;
  auto made = std::make_shared<communicator>(from.channel.among(all, 0, by.where),
                                             in_world(from, before ? part.second : part.first),
                                             in_world(from, before ? part.first : part.second), before);
  made->error_handler = from.error_handler;
  return made;
}

}  // namespace mpi

using namespace mpi;

MASLIN_MPI_DEFINE(Intercomm_create,
                  (MPI_Comm comm, int leader, MPI_Comm peers, int other_leader, int tag, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Intercomm_create);
  return carry_out(in, comm, [&] {
    communicator& mine = intracommunicator_of(comm);
    expect_rank(mine, leader);
    meet(mine, in);
    std::vector<int> others = other_group(mine, leader, peers, other_leader, tag, in);
    *made = add(joined(mine, std::move(others), tag, in));
  });
}
MASLIN_MPI_DEFINE(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made)) {
  const call in = MASLIN_MPI_CALL(Intercomm_merge);
  return carry_out(in, comm, [&] {
    communicator& from = intercommunicator_of(comm);
    meet(from, in);
    // Groups that say the same stay in the order that they have in the channel.
    auto all = std::make_shared<communicator>(from.channel.split(0, high != 0, in.where), in.where);
    all->error_handler = from.error_handler;
    *made = add(std::move(all));
  });
}
MASLIN_MPI_DEFINE(Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return carry_out(MASLIN_MPI_CALL(Comm_test_inter), comm, [&] { *flag = communicator_of(comm).is_inter(); });
}
MASLIN_MPI_DEFINE(Comm_remote_size, (MPI_Comm comm, int* size)) {
  return carry_out(MASLIN_MPI_CALL(Comm_remote_size), comm, [&] { *size = intercommunicator_of(comm).remote.size(); });
}
MASLIN_MPI_DEFINE(Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  return carry_out(MASLIN_MPI_CALL(Comm_remote_group), comm,
                   [&] { *group = me.groups.add(std::make_shared<mpi::group>(intercommunicator_of(comm).remote)); });
}
