#include "cli/shared/memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace command {

double free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  for (double kibibytes = 0; file >> name >> kibibytes; file.ignore(100, '\n'))
    if (name == "MemAvailable:") return 1024 * kibibytes;
  return std::numeric_limits<double>::infinity();
}

}  // namespace command
