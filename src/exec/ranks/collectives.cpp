// Calls that all ranks of a communicator make: the last one to come does what they have agreed on.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "exec/ranks/world.hpp"

namespace maslin {

using detail::collective;
using detail::contribution;
using detail::rank_member;

namespace {

/// Those of equal color become a communicator.
void divide(world& of, const rank_group& whole, std::span<rank_arrival* const> all) {
  std::vector<int> order(all.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  const auto brings = [&](int rank) -> const contribution& { return all[static_cast<std::size_t>(rank)]->brings; };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::pair(brings(a).color, brings(a).key) < std::pair(brings(b).color, brings(b).key);
  });
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](int r) { return brings(r).color != brings(*first).color; });
    std::vector<int> ranks;
    for (auto r = first; r != last; ++r) ranks.push_back(whole.ranks[static_cast<std::size_t>(*r)]);
    rank_group& made = of.add_group(std::move(ranks));
    for (auto r = first; r != last; ++r) {
      rank_arrival& its = *all[static_cast<std::size_t>(*r)];
      its.joins = &made;
      its.joins_as = static_cast<int>(r - first);
    }
    first = last;
  }
}

/// Gives what is to be thrown in the caller, which came last; the others' problems are said.
std::exception_ptr carry_out(world& of, const rank_group& in, std::span<rank_arrival* const> all) try {
  const std::vector<const comm::arrival*> brought(all.begin(), all.end());
  const std::string problem = comm::disagreement(brought);
  for (rank_arrival* one : all) one->problem = problem;
  if (!problem.empty()) return nullptr;
  if (brought[0]->brings.what == collective::split)
    divide(of, in, all);
  else
    comm::carry_out(brought);
  return nullptr;
} catch (...) {
  for (rank_arrival* one : all) one->is_given_up = true;
  return std::current_exception();
}

/// Comes to a call of all, and returns when it is over.
void meet(const rank_member& m, rank_arrival& mine) {
  rank_group& in = m.in;
  in.lock.lock();
  in.arrivals[static_cast<std::size_t>(m.rank)] = &mine;
  if (++in.arrived < static_cast<int>(in.ranks.size())) {
    in.lock.unlock();
    const auto over = [&] { return mine.is_over; };
    const awaited_message what{awaited_message::what::meeting, any_source, any_tag, mine.where};
    if (m.of.wait(m.mine(), what, over)) return;
    in.lock.lock();
    if (!mine.is_carried_out) {
      in.arrivals[static_cast<std::size_t>(m.rank)] = nullptr;
      --in.arrived;
      in.lock.unlock();
      m.of.throw_given_up(m.mine(), mine.where);
    }
    in.lock.unlock();
    m.of.wait(m.mine(), what, over, world::at_failure::go_on);
    return;
  }
  // The next call's arrivals go elsewhere. It is not carried out before this rank has come to it.
  std::swap(in.arrivals, in.carried_out);
  const std::span<rank_arrival* const> all = in.carried_out;
  for (rank_arrival* one : all) one->is_carried_out = true;
  in.arrived = 0;
  in.lock.unlock();
  const std::exception_ptr thrown = carry_out(m.of, in, all);
  if (thrown) m.of.fail(m.mine(), thrown);  // before the others are told
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] != &mine) m.of.wake(in.ranks[i], [&] { all[i]->is_over = true; });
  if (thrown) std::rethrow_exception(thrown);
}

void call(const rank_member& m, rank_arrival& mine) {
  m.expect_own_code("a call of all ranks", mine.where);
  m.of.catch_up();
  if (m.of.has_failed()) m.of.throw_given_up(m.mine(), mine.where);
  const contribution& c = mine.brings;
  const bool needs_root = c.what == collective::broadcast || c.what == collective::scatter;
  const int size = static_cast<int>(m.in.ranks.size());
  if (c.root >= size || c.root < any_source || (needs_root && c.root == any_source))
    throw error(
        fmt::format("a call of all ranks at {}:{}: there is no rank {} that could be the root; expected 0 to {}",
                    mine.where.file_name(), mine.where.line(), c.root, size - 1));
  meet(m, mine);
  if (mine.is_given_up) m.of.throw_given_up(m.mine(), mine.where);
  if (!mine.problem.empty()) throw error(mine.problem);
}

}  // namespace

void communicator::meet(const contribution& mine, location where) {
  rank_arrival here;
  here.brings = mine;
  here.where = where;
  call(*member_, here);
}

communicator communicator::split(int color, int key, location where) {
  rank_arrival here;
  here.brings = {.what = collective::split, .color = color, .key = key};
  here.where = where;
  call(*member_, here);
  return rank_member::make(member_->of, *here.joins, here.joins_as);
}

}  // namespace maslin
