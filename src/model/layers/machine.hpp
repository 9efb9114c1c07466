#pragma once
// A machine as the model sees it: how many of what there are, and what things cost there, each with its error.

#include <array>
#include <string>
#include <vector>

#include "maslin/machine.hpp"
#include "model/layers/measured.hpp"
#include "model/layers/store_copies.hpp"

namespace maslin::layers {

/// A cost in seconds (or a factor), its standard error, and whether anybody said it: what nobody said counts as none.
struct constant {
  double value = 0;
  double error = 0;
  bool is_known = false;
};

/// Where a description gives no error of its own, a cost is taken to be known within so much of it.
inline constexpr double error_of_descriptions = 0.1;

/// Everything that an error bar is made of.
struct constants {
  constant contention;      ///< a of α(p) = 1 + a (p - 1)
  constant smt;             ///< b of 1 + b n, for n busy neighbours on the same core
  constant context_switch;  ///< of a host
  constant signal;          ///< Ooff: giving a worker work; word from it that it is done
  constant steal;           ///< taking work from another worker
  constant wake;            ///< that it takes longer to one that sleeps
  constant between_groups;  ///< that a signal takes longer from group to group
  constant between_nodes;   ///< and from node to node
  constant node_byte;       ///< a byte from node to node
  constant local_byte;      ///< a byte within a node

  static constexpr std::array<std::pair<constant constants::*, const char*>, 10> all();
};

constexpr std::array<std::pair<constant constants::*, const char*>, 10> constants::all() {
  using c = constants;
  return {{{&c::contention, "hosts.contention"},
           {&c::smt, "hosts.smt"},
           {&c::context_switch, "hosts.switch_us"},
           {&c::signal, "transfer.signal_us"},
           {&c::steal, "dispatch.handover_us"},
           {&c::wake, "dispatch.wake_us"},
           {&c::between_groups, "link between groups: latency_us"},
           {&c::between_nodes, "link between nodes: latency_us"},
           {&c::node_byte, "link between nodes: bandwidth_gb_per_s"},
           {&c::local_byte, "memory bandwidth"}}};
}

/// Where the ranks of a measured message were: of one process on one worker or each on its own; of one node, each in a
/// process of its own; on several nodes.
enum class placement : unsigned char { worker, workers, processes, nodes };

/// Times of a message by its bytes, measured with so many ranks (ps3-cluster, figures 1 and 2).
struct message_curve {
  enum class call : unsigned char { send, all_reduce } of = call::send;
  placement where = placement::workers;
  int ranks = 2;
  int on_a_node = 1;           ///< of them, where they are on several nodes
  std::vector<point> seconds;  ///< by bytes
  std::string source;
};

/// What a description may say beside `machine_spec`: what `maslin machine --calibrate` measured.
struct curves {
  std::vector<message_curve> messages;
  std::vector<point> saturation;  ///< bytes per second that so many workers move together
  std::vector<point> contention;  ///< α(p) by threads on one hardware thread
  std::string saturation_source;
  std::string contention_source;
};

struct machine {
  std::string name;
  int nodes = 1;
  int workers = 1;           ///< of a node
  int groups = 1;            ///< of a node
  int contexts = 0;          ///< of a node's hosts; 0: workers run the streams, too
  int threads_per_core = 1;  ///< contexts that share a core
  double worker_speed = 1;
  double host_speed = 1;
  double spin = 0;  ///< seconds that a worker without work is awake
  constants cost;
  copy_engines engines;
  curves measured_curves;

  bool has_hosts() const { return contexts > 0; }
  /// Gives the names of the costs that matter there and that nobody said.
  std::vector<std::string> unknown() const;
};

/// Gives the curves of a description that `read_spec` has read: groups [[messages]], [saturation] and [sharing]. Throws
/// `error`.
curves read_curves(const std::string& file);

/// Gives whether a description that `read_spec` has read says how fast its workers are; `machine_spec` has 1 if not.
bool says_speed(const std::string& file);

/// Gives the machine.
machine machine_of(const maslin::machine::machine_spec& spec, curves measured_there);

/// Gives a saturation curve from the described bandwidth of memory, for streams that each move `bytes_per_second` on
/// one worker: as long as there is enough, workers move that much each; then they share what their instance of memory
/// has. They fill one instance after the other. Empty if the description does not say how fast memory is.
std::vector<point> described_saturation(const maslin::machine::machine_spec& spec, double bytes_per_second);

}  // namespace maslin::layers
