#pragma once
// Which process, or which worker of the only one, has which rank.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "comm/processes.hpp"
#include "maslin/error.hpp"

namespace mpi {

/// Gives the part of each rank, as `--place` says it: in blocks, dealt to in turn (`cyclic`), or as a file has them, a
/// number for each rank. A part is a process or a worker, as `what` names it. Throws maslin::error if the file is
/// wrong.
inline std::vector<int> placed(const std::string& how, int ranks, int parts, const char* what) {
  if (how == "block") return maslin::in_blocks(ranks, parts);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  if (how == "cyclic") {
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = static_cast<int>(rank) % parts;
    return all;
  }
  std::ifstream file(how);
  if (!file) throw maslin::error(fmt::format("--place {}: there is no such file; expected block, cyclic or one", how));
  std::size_t count = 0;
  for (int part; file >> part; ++count) {
    if (part < 0 || part >= parts)
      throw maslin::error(fmt::format("{}: {} {} of rank {}; expected 0 to {}", how, what, part, count, parts - 1));
    if (count < all.size()) all[count] = part;
  }
  if (!file.eof() || count != all.size())
    throw maslin::error(fmt::format("{}: {} numbers, each of a {}; expected one for each of {} ranks, and nothing else",
                                    how, count, what, ranks));
  return all;
}

/// Gives the process of each rank. Throws maslin::error if a process would have none.
inline std::vector<int> in_processes(const std::string& how, int ranks, int processes) {
  if (processes > ranks)
    throw maslin::error(
        fmt::format("{} processes for {} ranks; expected a rank for each process at least", processes, ranks));
  std::vector<int> all = placed(how, ranks, processes, "process");
  for (int process = 0; process < processes; ++process)
    if (std::ranges::find(all, process) == all.end())
      throw maslin::error(fmt::format("{}: process {} has no rank; expected one for each at least", how, process));
  return all;
}

}  // namespace mpi
