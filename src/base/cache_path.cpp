#include "base/cache_path.hpp"

#include <cstdlib>

namespace maslin::base {

std::string cache_path(const char* name) {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/maslin/" + name;
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/maslin/" + name : "";
}

}  // namespace maslin::base
