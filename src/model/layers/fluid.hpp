#pragma once
// When streams end that run so many at a time, each at its own pace, which changes with how many share its host.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "model/layers/host_sharing.hpp"

namespace maslin::layers {

/// Where streams run: a stream goes to the hardware thread of its node that fewest share. Without hosts each has its
/// own.
struct hosts_of {
  int contexts = 0;            ///< 0: none
  int of_a_node = 0;           ///< so many of them are a node's; 0: all
  std::vector<int> node = {};  ///< of a slot; those that are not named are of the first
  int threads_per_core = 1;
  double slowed_by_each = 0;  ///< without hosts: how much longer streams take for each other one that runs at the time
  bool all_share = false;     ///< on hosts: the pace depends on how many streams run
  bool has_program = false;   ///< the program's own thread is bound to the first of them; it only waits,
  double program_until = 0;   ///< from that time on
  /// When the streams that begin together are started, by slot; at once where that is not said.
  std::vector<double> started = {};
  double started_at(int slot) const {
    const auto at = static_cast<std::size_t>(slot);
    return at < started.size() ? started[at] : 0;
  }
};

/// What one turn of a stream takes, from off-load to off-load, in that slot, while `sharing` threads share its hardware
/// thread, `busy` others of the same core are in use, and `running` streams run in all.
using pace = std::function<turn(std::size_t stream, int slot, int sharing, int busy, int running)>;

/// How much longer a stream takes that began together with others, in that slot, because its team comes one by one. Its
/// first kernel begins then; without hosts, the stream does. Less than 0 counts as 0.
using delay = std::function<double(std::size_t stream, int slot, double begins)>;

struct ending {
  double when = 0;
  int slot = 0;
};

/// Gives when and where the last stream ends; each has so many turns. They begin in order, `at_a_time`, and who ends
/// makes room for the next.
ending last_end(std::span<const double> turns, int at_a_time, const hosts_of& hosts, const pace& of,
                const delay& team_comes = {});

}  // namespace maslin::layers
