// Sets of ranks.

#include <algorithm>
#include <cstddef>
#include <string>

#include "state.hpp"

using namespace mpi;

namespace {

int add(group made) {
  if (made.ranks.empty()) return MPI_GROUP_EMPTY;
  return me.groups.add(std::make_shared<group>(std::move(made)));
}

void expect_member(const group& of, int rank) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= of.ranks.size())
    throw failure{MPI_ERR_RANK,
                  "there is no rank " + std::to_string(rank) + " in a group of " + std::to_string(of.ranks.size())};
}

/// Ranks that are said by first, last and stride.
std::vector<int> of_ranges(const group& of, int count, int ranges[][3]) {
  std::vector<int> all;
  for (int i = 0; i < count; ++i) {
    const auto [first, last, stride] = ranges[i];
    if (stride == 0) throw failure{MPI_ERR_ARG, "a range of ranks has stride 0"};
    for (int rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      expect_member(of, rank);
      all.push_back(rank);
    }
  }
  return all;
}

void expect_different(const std::vector<int>& ranks) {
  std::vector<int> sorted = ranks;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw failure{MPI_ERR_RANK, "rank " + std::to_string(*twice) + " is named twice"};
}

group included(const group& of, const std::vector<int>& ranks) {
  expect_different(ranks);
  group made;
  for (const int rank : ranks) {
    expect_member(of, rank);
    made.ranks.push_back(of.ranks[static_cast<std::size_t>(rank)]);
  }
  return made;
}

group excluded(const group& of, const std::vector<int>& ranks) {
  expect_different(ranks);
  for (const int rank : ranks) expect_member(of, rank);
  group made;
  for (std::size_t i = 0; i < of.ranks.size(); ++i)
    if (std::find(ranks.begin(), ranks.end(), static_cast<int>(i)) == ranks.end()) made.ranks.push_back(of.ranks[i]);
  return made;
}

std::vector<int> listed(int count, const int* ranks) { return {ranks, ranks + count}; }

}  // namespace

MASLIN_MPI_DEFINE(Group_size, (MPI_Group group, int* size)) {
  return carry_out(MASLIN_MPI_CALL(Group_size), MPI_COMM_WORLD,
                   [&] { *size = static_cast<int>(group_of(group).ranks.size()); });
}
MASLIN_MPI_DEFINE(Group_rank, (MPI_Group group, int* rank)) {
  return carry_out(MASLIN_MPI_CALL(Group_rank), MPI_COMM_WORLD, [&] { *rank = group_of(group).find(me.of->rank); });
}
MASLIN_MPI_DEFINE(Group_translate_ranks, (MPI_Group group, int count, const int* ranks, MPI_Group other, int* others)) {
  return carry_out(MASLIN_MPI_CALL(Group_translate_ranks), MPI_COMM_WORLD, [&] {
    for (int i = 0; i < count; ++i) {
      if (ranks[i] == MPI_PROC_NULL) {
        others[i] = MPI_PROC_NULL;
        continue;
      }
      expect_member(group_of(group), ranks[i]);
      others[i] = group_of(other).find(group_of(group).ranks[static_cast<std::size_t>(ranks[i])]);
    }
  });
}
MASLIN_MPI_DEFINE(Group_compare, (MPI_Group one, MPI_Group other, int* result)) {
  return carry_out(MASLIN_MPI_CALL(Group_compare), MPI_COMM_WORLD, [&] {
    const std::vector<int>&a = group_of(one).ranks, &b = group_of(other).ranks;
    if (a == b)
      *result = MPI_IDENT;
    else
      *result = a.size() == b.size() && std::is_permutation(a.begin(), a.end(), b.begin()) ? MPI_SIMILAR : MPI_UNEQUAL;
  });
}
MASLIN_MPI_DEFINE(Group_union, (MPI_Group one, MPI_Group other, MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_union), MPI_COMM_WORLD, [&] {
    group all = group_of(one);
    for (const int rank : group_of(other).ranks)
      if (group_of(one).find(rank) == MPI_UNDEFINED) all.ranks.push_back(rank);
    *made = add(std::move(all));
  });
}
MASLIN_MPI_DEFINE(Group_intersection, (MPI_Group one, MPI_Group other, MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_intersection), MPI_COMM_WORLD, [&] {
    group both;
    for (const int rank : group_of(one).ranks)
      if (group_of(other).find(rank) != MPI_UNDEFINED) both.ranks.push_back(rank);
    *made = add(std::move(both));
  });
}
MASLIN_MPI_DEFINE(Group_difference, (MPI_Group one, MPI_Group other, MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_difference), MPI_COMM_WORLD, [&] {
    group rest;
    for (const int rank : group_of(one).ranks)
      if (group_of(other).find(rank) == MPI_UNDEFINED) rest.ranks.push_back(rank);
    *made = add(std::move(rest));
  });
}
MASLIN_MPI_DEFINE(Group_incl, (MPI_Group group, int count, const int* ranks, MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_incl), MPI_COMM_WORLD,
                   [&] { *made = add(included(group_of(group), listed(count, ranks))); });
}
MASLIN_MPI_DEFINE(Group_excl, (MPI_Group group, int count, const int* ranks, MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_excl), MPI_COMM_WORLD,
                   [&] { *made = add(excluded(group_of(group), listed(count, ranks))); });
}
MASLIN_MPI_DEFINE(Group_range_incl, (MPI_Group group, int count, int ranges[][3], MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_range_incl), MPI_COMM_WORLD,
                   [&] { *made = add(included(group_of(group), of_ranges(group_of(group), count, ranges))); });
}
MASLIN_MPI_DEFINE(Group_range_excl, (MPI_Group group, int count, int ranges[][3], MPI_Group* made)) {
  return carry_out(MASLIN_MPI_CALL(Group_range_excl), MPI_COMM_WORLD,
                   [&] { *made = add(excluded(group_of(group), of_ranges(group_of(group), count, ranges))); });
}
MASLIN_MPI_DEFINE(Group_free, (MPI_Group * group)) {
  return carry_out(MASLIN_MPI_CALL(Group_free), MPI_COMM_WORLD, [&] {
    expect_pointer(group, "the group");
    group_of(*group);
    if (*group != MPI_GROUP_EMPTY) me.groups.remove(*group);
    *group = MPI_GROUP_NULL;
  });
}
