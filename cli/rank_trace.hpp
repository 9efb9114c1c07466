#pragma once
// What the ranks of a trace did, as a described network can do it again.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/links/deeds.hpp"

struct recorded_ranks {
  maslin::links::recording program;
  std::string name;  ///< of the program
  int workers = 0;   ///< on which it ran
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;  ///< of these
  std::uint64_t calls = 0;  ///< of all ranks of a communicator
  double seconds = 0;       ///< from the first rank's begin to the last one's end, in the process that took longest
  double longest_computation = 0;  ///< seconds; of the rank that computed most
};

/// Reads what ranks did; nothing if the program asked for something else first. Several traces are those of the
/// processes of one job. `trimmed`: without what each rank computed before its first message and after its last. Throws
/// `maslin::error` for traces that do not hold all of it.
std::optional<recorded_ranks> read_ranks(const std::vector<std::string>& paths, bool trimmed);
