// The calls of ms::communicator that all its ranks make, and communicators of some of them.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "comm/meeting.hpp"
#include "exec/ranks/started.hpp"

namespace maslin {

using comm::arrival;
using detail::collective;
using detail::contribution;
using detail::rank_member;

namespace {

struct split_call : arrival {
  split_call(world& in, const rank_group& ranks, const contribution& mine, location place)
      : arrival(mine, place), of(in), whole(ranks) {}

  /// Those of equal color become a communicator.
  void carry_out(std::span<joint_call* const> all) override {
    std::vector<int> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    const auto its = [&](int rank) -> split_call& {
      return static_cast<split_call&>(*all[static_cast<std::size_t>(rank)]);
    };
    const auto said = [&](int rank) -> const contribution& { return its(rank).brings; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return std::pair(said(a).color, said(a).key) < std::pair(said(b).color, said(b).key);
    });
    if (whole.other_processes.empty()) its(0).name = of.new_name(0);
    const group_name common = its(0).name;
    for (auto first = order.begin(); first != order.end();) {
      const auto last = std::find_if(first, order.end(), [&](int r) { return said(r).color != said(*first).color; });
      std::vector<int> ranks;
      for (auto r = first; r != last; ++r) ranks.push_back(whole.ranks[static_cast<std::size_t>(*r)]);
      // A rank is in one of these groups, so they may have one name.
      const bool is_here = std::any_of(ranks.begin(), ranks.end(), [&](int rank) { return of.is_here(rank); });
      const std::shared_ptr<rank_group> made = is_here ? of.make_group(common, std::move(ranks)) : nullptr;
      for (auto r = first; r != last; ++r) {
        its(*r).joins = made;
        its(*r).joins_as = static_cast<int>(r - first);
      }
      first = last;
    }
  }

  /// The first of the ranks says which name they have.
  void pack(std::span<const int> for_ranks, std::vector<std::byte>& into) override {
    if (is_first && name.number == 0) name = of.new_name(whole.size());
    const std::size_t at = into.size();
    append(into, &name, sizeof name);
    into.resize(at + 16);
    arrival::pack(for_ranks, into);
  }
  std::unique_ptr<joint_call> unpack(int rank, std::span<const std::byte> packed) override {
    const auto its = arrival::unpack(rank, packed.subspan(16));
    auto made = std::make_unique<split_call>(of, whole, static_cast<arrival&>(*its).brings, where);
    std::memcpy(&made->name, packed.data(), sizeof name);
    return made;
  }

  world& of;
  const rank_group& whole;
  bool is_first = false;
  group_name name;
  std::shared_ptr<rank_group> joins;
  int joins_as = 0;
};

void meet_all(const rank_member& m, arrival& mine) {
  constexpr const char* name = "a call of all ranks";
  expect_call(m, name, mine.where);
  const contribution& c = mine.brings;
  const bool needs_root = c.what == collective::broadcast || c.what == collective::scatter;
  if (c.root >= m.in.size() || c.root < any_source || (needs_root && c.root == any_source))
    throw error(fmt::format("{} at {}: there is no rank {} that could be the root; expected 0 to {}", name,
                            at_place(mine.where), c.root, m.in.size() - 1));
  rank_call(m, mine, mine.where, rank_call::kind::of_library).wait(mine.where);
  if (!mine.problem.empty()) throw error(mine.problem);
}

/// The ranks' numbers in the world; throws unless each is one of the communicator's, and different from the others.
std::vector<int> expect_members(const rank_member& m, std::span<const int> ranks, location where) {
  std::vector<bool> is_named(m.in.ranks.size());
  std::vector<int> found;
  for (const int rank : ranks) {
    if (rank < 0 || rank >= m.in.size())
      throw error(
          fmt::format("among at {}: there is no rank {}; expected 0 to {}", at_place(where), rank, m.in.size() - 1));
    if (is_named[static_cast<std::size_t>(rank)])
      throw error(fmt::format("among at {}: rank {} is named twice; name each once", at_place(where), rank));
    is_named[static_cast<std::size_t>(rank)] = true;
    found.push_back(m.in_world(rank));
  }
  return found;
}

}  // namespace

void communicator::meet(const contribution& mine, location where) {
  arrival here(mine, where);
  meet_all(*member_, here);
}

communicator communicator::split(int color, int key, location where) {
  split_call here(member_->of, member_->in, {.what = collective::split, .color = color, .key = key}, where);
  here.is_first = member_->rank == 0;
  meet_all(*member_, here);
  return rank_member::make(member_->of, std::move(here.joins), here.joins_as, where);
}

communicator communicator::among(std::span<const int> ranks, int tag, location where) {
  const rank_member& m = *member_;
  expect_call(m, "among", where);
  const auto mine = std::find(ranks.begin(), ranks.end(), m.rank);
  std::vector<int> members = expect_members(m, ranks, where);
  if (mine == ranks.end())
    throw error(
        fmt::format("among at {}: rank {} is not among these ranks; only they call it", at_place(where), m.rank));
  const int as = static_cast<int>(mine - ranks.begin());
  return rank_member::make(m.of, m.of.join_group(m.in, std::move(members), tag, as, where), as, where);
}

void communicator::together(joint_call& mine, location where) {
  const rank_member& m = *member_;
  expect_call(m, "together", where);
  rank_call(m, mine, where, rank_call::kind::together).wait(where);
}

}  // namespace maslin
