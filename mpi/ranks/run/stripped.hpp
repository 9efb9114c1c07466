#pragma once
// Programs without what is not loaded.

#include <string>

namespace mpi {

/// Gives the content of a program or library without what is not loaded, as `objcopy --strip-debug --add-gnu-debuglink`
/// would: debuggers find symbols and lines in its original. The path goes from the root, and the result is a
/// descriptor, /proc/PROCESS/fd/NUMBER, for debuggers. Throws std::out_of_range if the file is too short for what it
/// says.
std::string stripped(const std::string& content, const std::string& path);

}  // namespace mpi
