#pragma once
// Where the tasks of a trace would find their data: in caches, or in memory.

#include <cstdint>
#include <string>
#include <vector>

#include "maslin/trace.hpp"
#include "model/reuse/caches.hpp"

struct reuse {
  /// The tasks that a line of the program creates.
  struct tasks {
    std::string line;
    std::uint64_t count = 0;
    double seconds = 0;  ///< that they computed
    maslin::reuse::bytes_found bytes{};
  };

  std::string program;
  maslin::reuse::sizes machine;
  std::vector<tasks> lines;  ///< those that find most bytes in memory first
  tasks all;
};

/// Gives the sizes of this machine's caches, as far as it says them: of a worker's part of the L2, and of an L3.
maslin::reuse::sizes caches_here(int workers);

/// Lets the tasks of the trace use what they name, one after another as they began. Throws `maslin::error` for a trace
/// that does not hold all of it.
reuse reuse_of(const std::string& path, maslin::reuse::sizes machine);

/// Gives it for people, as one JSON object, or as a picture: a bar a line.
std::string reuse_text(const reuse& r);
std::string reuse_json(const reuse& r);
std::string reuse_svg(const reuse& r);
