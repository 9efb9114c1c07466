#pragma once
// What a phase would take in a layout: the equations (equations.hpp) on a profile and a machine, and what they leave
// out: threads that queue for a host, loops in whole blocks, the last streams, memory that workers share.

#include <array>
#include <optional>
#include <vector>

#include "model/layers/equations.hpp"
#include "model/layers/machine.hpp"
#include "model/layers/profile.hpp"

namespace maslin::layers {

/// What a program does with ranks.
enum class ranks_are : unsigned char {
  none,      ///< it has none: a phase has the streams that it has
  streams,   ///< each is a stream of one process: a phase of one stream has one for each, which have equal parts of its
             ///< loops
  processes  ///< each is a process with equally many workers of its node: they divide the streams of a phase, or the
             ///< loops of those that are fewer
};

/// How a program is laid out.
struct layout {
  int ranks = 1;      ///< processes, in all
  int on_a_node = 1;  ///< processes of a node
  int streams = 1;    ///< at a time, of each process
  int width = 1;      ///< workers of each stream's team
  bool operator==(const layout&) const = default;
};

/// What the model is told beside the profile.
struct wishes {
  ranks_are ranks = ranks_are::none;
  messages sends;             ///< of each rank, between two runs of a phase
  messages all_reduces;       ///< of all ranks
  double memory_traffic = 0;  ///< bytes per second that the program moves on one worker; 0: not known, or little
  double loops_share = 0;     ///< of its time on one worker, of the loops that move that much, and nothing else does;
                              ///< 0: all that kernels do moves that much
};

/// Who gives a team's workers their parts of a kernel's loops (multigrain-cell, 4.2): the worker to which the kernel
/// was sent, or the host, which then runs what is no loop.
enum class loop_master : unsigned char { worker, host };

constexpr const char* name_of(loop_master who) { return who == loop_master::host ? "host" : "worker"; }

struct prediction {
  double seconds = 0;  ///< with the faster master
  double error = 0;    ///< standard error of it
  loop_master master = loop_master::worker;
  /// By master. Nothing where only a worker can be it: there are no hosts, teams are of one worker, or kernels share
  /// something else than loops.
  std::optional<std::array<double, 2>> by_master;
  double idealised = 0;  ///< by the equations alone: threads are always scheduled in time (4.1)
  terms by;              ///< their sum is `seconds`
};

/// Gives what all runs of the phase take. `at` must fit the machine.
prediction predict(const phase& p, const machine& m, const layout& at, const wishes& w);

/// Gives what the program takes outside of phases, with so many workers of a process.
prediction predict_between(const profile& p, const machine& m, int workers);

/// Does the layout fit?
bool fits(const machine& m, const layout& at, ranks_are ranks);

/// Standard error of the model itself, relative: what bench/layout measured on the cases on which it was developed.
inline constexpr double error_of_the_model = 0.03;

}  // namespace maslin::layers
