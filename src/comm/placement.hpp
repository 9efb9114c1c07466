#pragma once
// Which part has which rank: a process, or a worker of one process.

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "comm/processes.hpp"
#include "maslin/error.hpp"

namespace maslin {

/// Gives the part of each rank: in blocks, dealt to in turn (`cyclic`), or as a file has them, a number for each rank.
/// `what` names a part, and `asked_by` who says how. Throws `error` if the file is wrong.
inline std::vector<int> placed(const std::string& how, int ranks, int parts, const char* what, const char* asked_by) {
  if (how == "block") return in_blocks(ranks, parts);
  std::vector<int> all(static_cast<std::size_t>(ranks));
  if (how == "cyclic") {
    for (std::size_t rank = 0; rank < all.size(); ++rank) all[rank] = static_cast<int>(rank) % parts;
    return all;
  }
  std::ifstream file(how);
  if (!file) throw error(fmt::format("{}{}: there is no such file; expected block, cyclic or one", asked_by, how));
  std::size_t count = 0;
  for (int part; file >> part; ++count) {
    if (part < 0 || part >= parts)
      throw error(fmt::format("{}: {} {} of rank {}; expected 0 to {}", how, what, part, count, parts - 1));
    if (count < all.size()) all[count] = part;
  }
  if (!file.eof() || count != all.size())
    throw error(fmt::format("{}: {} numbers, each of a {}; expected one for each of {} ranks, and nothing else", how,
                            count, what, ranks));
  return all;
}

}  // namespace maslin
