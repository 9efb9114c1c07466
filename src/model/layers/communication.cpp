#include "model/layers/communication.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace maslin::layers {

namespace {

int steps(int members) { return members <= 1 ? 0 : std::bit_width(static_cast<unsigned>(members) - 1); }

using call = message_curve::call;

/// Gives the curve of the call with the ranks where these are. Of several that with the nearest number of ranks of a
/// node, and of those that with the nearest number of ranks; none if there is none.
const message_curve* nearest(const machine& m, call of, placement where, int ranks, int on_a_node = 1) {
  const message_curve* best = nullptr;
  const auto distance = [&](const message_curve& c) {
    return std::pair(std::abs(c.on_a_node - on_a_node), std::abs(c.ranks - ranks));
  };
  for (const message_curve& c : m.measured_curves.messages)
    if (c.of == of && c.where == where && (!best || distance(c) < distance(*best))) best = &c;
  if (!best && where == placement::processes) return nearest(m, of, placement::workers, ranks);
  return best;
}

double message(const machine& m, placement where, double bytes, int ranks, int on_a_node = 1) {
  if (const message_curve* c = nearest(m, call::send, where, ranks, on_a_node))
    return interpolate(c->seconds, bytes).value;
  if (where == placement::nodes)
    return m.cost.signal.value + m.cost.between_nodes.value + bytes * m.cost.node_byte.value;
  return m.cost.signal.value + bytes * m.cost.local_byte.value;
}

/// Gives what was measured, for another number of ranks.
double for_ranks(const message_curve& c, int ranks, double bytes) {
  return interpolate(c.seconds, bytes).value * steps(ranks) / std::max(1, steps(c.ranks));
}

/// Combining on `members` ranks that are all there, one on each node if they are on nodes, and handing the result to
/// all.
double combined(const machine& m, placement where, int members, double bytes) {
  if (members <= 1) return 0;
  const message_curve* const c = nearest(m, call::all_reduce, where, members);
  if (c && c->on_a_node == 1) return for_ranks(*c, members, bytes);
  return 2 * steps(members) * message(m, where, bytes, 2);
}

}  // namespace

double send_time(const machine& m, const job& j, double bytes) {
  if (j.ranks <= 1) return 0;
  if (j.nodes() > 1) return message(m, placement::nodes, bytes, j.ranks, j.on_a_node);
  return message(m, j.on_node, bytes, j.ranks);
}

double all_reduce_time(const machine& m, const job& j, double bytes) {
  if (j.ranks <= 1) return 0;
  if (j.nodes() > 1) {
    const message_curve* const c = nearest(m, call::all_reduce, placement::nodes, j.ranks, j.on_a_node);
    if (c && c->on_a_node == j.on_a_node) return for_ranks(*c, j.ranks, bytes);
  }
  const placement on_node = j.on_a_node > m.workers ? placement::worker : j.on_node;
  return combined(m, on_node, std::min(j.on_a_node, j.ranks), bytes) + combined(m, placement::nodes, j.nodes(), bytes);
}

}  // namespace maslin::layers
