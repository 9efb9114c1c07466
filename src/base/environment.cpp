#include "base/environment.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include "maslin/error.hpp"

namespace maslin::base {

bool flag_from_environment(const char* name, bool otherwise, const char* meaning) {
  const char* text = std::getenv(name);
  const std::string_view value = text ? text : "";
  if (value.empty()) return otherwise;
  if (value == "0" || value == "1") return value == "1";
  throw error(std::string(name) + "=" + text + ": expected 1 (" + meaning + ") or 0");
}

}  // namespace maslin::base
