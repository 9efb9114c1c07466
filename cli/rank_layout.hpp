#pragma once
// Layouts of recorded ranks: on how many nodes they are, and how many workers each one's loops have.

#include <cstdint>
#include <string>
#include <vector>

#include "model/layers/machine.hpp"
#include "rank_trace.hpp"

struct rank_layout {
  int nodes = 1;
  int on_a_node = 1;  ///< ranks; where these are more than workers, several share one
  int width = 1;      ///< workers of a rank, which share its loops
  double seconds = 0;
  double error = 0;             ///< standard error of it
  double without_messages = 0;  ///< seconds if these took no time
};

/// Gives the names of the costs that matter to ranks on that machine and that its description does not say.
std::vector<std::string> unknown_to_ranks(const maslin::layers::machine& m, const std::string& machine);

/// Gives what the ranks take in each layout that fits the machine, or in those `asked` for ("4x8": ranks of a node x
/// width), the fastest first; of those that are as fast, what uses fewer nodes. Loops are shared as
/// model/layers/loop_time.hpp says, and messages pass the links; on one node that has none described they take no time.
/// An error is the root of the squares of what each cost of the machine moves the seconds by if it is off by its error,
/// of the loops' standard error, and of `error_of_the_model`. Throws `maslin::error`.
std::vector<rank_layout> layouts_of_ranks(const recorded_ranks& ranks, const std::string& machine,
                                          const maslin::layers::machine& m, const std::vector<rank_layout>& asked);
