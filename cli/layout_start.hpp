#pragma once
// The lines that start a program in a layout.

#include <string>
#include <utility>
#include <vector>

#include "model/layers/layouts.hpp"
#include "rank_layout.hpp"

/// What starts it, by what it is started with.
struct start_lines {
  std::string pin;     ///< the value of MASLIN_PIN
  std::string master;  ///< and of MASLIN_MASTER; empty: it is left to the run
  std::vector<std::pair<std::string, std::string>> lines;
};

/// Gives the lines. `phases`: name of each and what was chosen for it, with the same ranks; `machine`: the path of a
/// description, empty for this machine.
start_lines start_lines_of(const std::vector<std::string>& program, const std::string& machine,
                           const maslin::layers::machine& m,
                           const std::vector<std::pair<std::string, const maslin::layers::candidate*>>& phases,
                           maslin::layers::ranks_are ranks);

/// The same for a program of so many ranks. "shell" is for one of ms::ranks, which says itself that it has them;
/// "maslin-mpirun" for one of maslin-mpicc, which is named with maslin-mpirun, or without it; the others are for one of
/// the system's MPI, of which each rank is a process. Where workers are accelerators, the lines are for runs on their
/// description, which fill one node after another: there are none for layouts on several.
std::vector<std::pair<std::string, std::string>> start_lines_of_ranks(const std::vector<std::string>& program,
                                                                      const std::string& machine,
                                                                      const maslin::layers::machine& m,
                                                                      std::size_t ranks, const rank_layout& at);
