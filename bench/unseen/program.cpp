#include "program.hpp"

namespace unseen {

std::map<std::string, entry>& programs() {
  static std::map<std::string, entry> all;
  return all;
}

}  // namespace unseen
