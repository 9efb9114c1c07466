#include "cli/shared/scratch_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "maslin/error.hpp"

namespace command {

scratch_folder::scratch_folder() {
  std::error_code problem;
  const std::filesystem::path in = std::filesystem::temp_directory_path(problem);
  path_ = in / "maslin-XXXXXX";
  if (problem || !mkdtemp(path_.data())) {
    const char* const named = std::getenv("TMPDIR");
    throw maslin::error(
        fmt::format("no folder for temporary files can be made in {}: {}; let TMPDIR name another place",
                    problem && named ? named : in.string(), problem ? problem.message() : std::strerror(errno)));
  }
  when_stopped_.emplace_back(path_);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string scratch_folder::file(const std::string& name) {
  when_stopped_.emplace_back(path_ + "/" + name);
  return path_ + "/" + name;
}

}  // namespace command
