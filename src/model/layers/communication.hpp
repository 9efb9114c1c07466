#pragma once
// C of equation (6): what messages take by kind, size and where the ranks are. Measured curves go before what a
// description says of links.

#include "model/layers/machine.hpp"

namespace maslin::layers {

/// Ranks of a job, equally many on each node.
struct job {
  int ranks = 1;
  int on_a_node = 1;
  placement on_node = placement::processes;  ///< where those of a node are

  int nodes() const { return (ranks + on_a_node - 1) / on_a_node; }
};

/// Gives the seconds of one message of `bytes` from rank to rank while all others send one, too; of the farthest, where
/// some are on other nodes. Processes of a node of which nothing was measured are taken to be ranks of one.
double send_time(const machine& m, const job& j, double bytes);

/// Gives the seconds in which all ranks have combined `bytes`. What was measured with as many ranks of a node counts as
/// a whole; else they combine within nodes, and then between them. Where nothing was measured, in a tree there and
/// back: 2 ⌈log2⌉ messages.
double all_reduce_time(const machine& m, const job& j, double bytes);

}  // namespace maslin::layers
