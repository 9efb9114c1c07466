#pragma once
// Where a command keeps files for as long as it runs.

#include <deque>
#include <string>

#include "cli/shared/stopping.hpp"

namespace command {

/// A folder of its own in the temporary one, gone with this; also if the command is stopped.
class scratch_folder {
 public:
  /// Throws `maslin::error` when none can be made.
  scratch_folder();
  ~scratch_folder();
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  /// Gives the path of a file in it.
  std::string file(const std::string& name);

 private:
  std::string path_;
  std::deque<removed_when_stopped> when_stopped_;
};

}  // namespace command
