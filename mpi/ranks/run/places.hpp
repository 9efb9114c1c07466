#pragma once
// Places in the program, as people know them.

#include <string>

namespace mpi {

/// Gives the text with each "@:NUMBER" replaced by the file and line that lie so far behind the beginning of the
/// program, or by its function where the program was built without -g.
std::string with_places(const std::string& program, const std::string& text);

}  // namespace mpi
