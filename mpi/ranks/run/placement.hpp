#pragma once
// Which process has which rank.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "comm/processes.hpp"
#include "maslin/error.hpp"

namespace mpi {

/// Gives the process of each rank, as `--place` says it: in blocks, dealt to in turn (`cyclic`), or as a file has them,
/// a number for each rank. Throws maslin::error if a process would have none.
inline std::vector<int> placed(const std::string& how, int ranks, int processes) {
  if (processes > ranks)
    throw maslin::error(
        fmt::format("{} processes for {} ranks; expected a rank for each process at least", processes, ranks));
  if (how == "block") return maslin::in_blocks(ranks, processes);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  if (how == "cyclic") {
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = static_cast<int>(rank) % processes;
    return all;
  }
  std::ifstream file(how);
  if (!file) throw maslin::error(fmt::format("--place {}: there is no such file; expected block, cyclic or one", how));
  std::size_t count = 0;
  for (int process; file >> process; ++count) {
    if (process < 0 || process >= processes)
      throw maslin::error(
          fmt::format("{}: process {} of rank {}; expected 0 to {}", how, process, count, processes - 1));
    if (count < all.size()) all[count] = process;
  }
  if (!file.eof() || count != all.size())
    throw maslin::error(fmt::format("{}: {} processes' numbers; expected one for each of {} ranks, and nothing else",
                                    how, count, ranks));
  for (int process = 0; process < processes; ++process)
    if (std::ranges::find(all, process) == all.end())
      throw maslin::error(fmt::format("{}: process {} has no rank; expected one for each at least", how, process));
  return all;
}

}  // namespace mpi
