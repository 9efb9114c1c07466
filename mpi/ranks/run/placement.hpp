#pragma once
// Which process, or which worker of the only one, has which rank.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "comm/placement.hpp"
#include "maslin/error.hpp"

namespace mpi {

/// As `--place` says it.
inline std::vector<int> placed(const std::string& how, int ranks, int parts, const char* what) {
  return maslin::placed(how, ranks, parts, what, "--place ");
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
