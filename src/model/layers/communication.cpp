#include "model/layers/communication.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace maslin::layers {

namespace {

int steps(int members) { return members <= 1 ? 0 : std::bit_width(static_cast<unsigned>(members) - 1); }

/// Gives the curve of the call with the ranks where these are, of the number of ranks that is nearest; none if there is
/// none.
const message_curve* nearest(const machine& m, message_curve::call call, placement where, int ranks) {
  const message_curve* best = nullptr;
  for (const message_curve& c : m.measured_curves.messages) {
    if (c.of != call || c.where != where) continue;
    if (!best || std::abs(c.ranks - ranks) < std::abs(best->ranks - ranks)) best = &c;
  }
  return best;
}

double message(const machine& m, placement where, double bytes) {
  if (const message_curve* c = nearest(m, message_curve::call::send, where, 2))
    return interpolate(c->seconds, bytes).value;
  if (where == placement::nodes)
    return m.cost.signal.value + m.cost.between_nodes.value + bytes * m.cost.node_byte.value;
  return m.cost.signal.value + bytes * m.cost.local_byte.value;
}

/// Combining on `members` ranks that are all there, and handing the result to all.
double combined(const machine& m, placement where, int members, double bytes) {
  if (members <= 1) return 0;
  if (const message_curve* c = nearest(m, message_curve::call::all_reduce, where, members)) {
    const double measured_time = interpolate(c->seconds, bytes).value;
    return measured_time * steps(members) / std::max(1, steps(c->ranks));
  }
  return 2 * steps(members) * message(m, where, bytes);
}

}  // namespace

double send_time(const machine& m, const job& j, double bytes) {
  if (j.ranks <= 1) return 0;
  return message(m, j.nodes() > 1 ? placement::nodes : placement::workers, bytes);
}

double all_reduce_time(const machine& m, const job& j, double bytes) {
  if (j.ranks <= 1) return 0;
  const bool crowded = j.on_a_node > m.workers;
  return combined(m, crowded ? placement::worker : placement::workers, std::min(j.on_a_node, j.ranks), bytes) +
         combined(m, placement::nodes, j.nodes(), bytes);
}

}  // namespace maslin::layers
