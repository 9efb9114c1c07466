#pragma once
// Where this project keeps what it may lose.

#include <string>

namespace maslin::base {

/// Gives the path of that name in maslin's folder within the user's cache folder ($XDG_CACHE_HOME, or .cache at home),
/// there or not; empty where the user has none.
std::string cache_path(const char* name);

}  // namespace maslin::base
