#pragma once
// What things take on a described machine.

#include "exec/virtual/events.hpp"
#include "maslin/machine.hpp"
#include "model/memory/instances.hpp"
#include "sched/grain/host_turn.hpp"
#include "sched/grain/loop_master.hpp"

namespace maslin {

struct timing {
  /// Reads MASLIN_DURATIONS and MASLIN_HOST, too. Throws `error`.
  explicit timing(const machine::machine_spec& machine);

  int node_of_worker(int worker) const { return worker / node; }
  int node_of_host(int context) const { return context / contexts; }
  /// Gives the first of the host contexts that a worker is behind. There may be more workers than are described.
  int hosts_of_worker(int worker) const { return node_of_worker(worker) % nodes * contexts; }

  bool only_declared = false;      ///< what is not declared (`cost`) takes no time
  double worker_picoseconds = 0;   ///< a tick of this machine's clock, on a worker
  double host_picoseconds = 0;     ///< and on a host, alone
  double kernel_on_host = 1;       ///< a kernel takes so many times as long there, alone
  bool controls_grain = false;     ///< kernels that are too small to be off-loaded run on hosts
  double contention = 0;           ///< a of alpha(p) = 1 + a (p - 1)
  double smt = 0;                  ///< b of 1 + b n, for n busy neighbours on the same core
  picoseconds signal = 0;          ///< sending one takes so long, and then it is seen
  picoseconds code = 0;            ///< until a version of the kernels' code is at a worker that has the other, or none
  picoseconds task = 0;            ///< that a worker spends on a task beside its body
  picoseconds steal = 0;           ///< that a thief spends
  picoseconds wake = 0;            ///< that a signal takes longer to a worker that sleeps
  picoseconds spin = 0;            ///< how long a worker without work looks for it before it sleeps
  picoseconds between_groups = 0;  ///< that a signal takes longer from one group of workers of a node to another
  picoseconds between_nodes = 0;   ///< and from one node to another
  int group = 1;                   ///< workers of one
  int node = 1;                    ///< workers of one
  int nodes = 1;                   ///< that are described
  int contexts = 1;                ///< of the hosts of one node
  double memory_byte = 0;          ///< picoseconds of a byte to or from memory; 0: not said
  memory::instances memories{};
  picoseconds context_switch = 0;  ///< of a host
  picoseconds quantum = 0;         ///< of a host's operating system
  grain::host_policy host = grain::host_policy::yield_if_not_ready;
  grain::loop_master master = grain::loop_master::worker;
};

}  // namespace maslin
