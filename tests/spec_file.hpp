#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace maslin {

/// The description of a machine, with that text, as long as it lives. One at a time in a process.
class spec_file {
 public:
  explicit spec_file(const std::string& text)
      : path_(std::filesystem::temp_directory_path() / ("maslin_spec_" + std::to_string(getpid()) + ".toml")) {
    std::ofstream(path_) << text;
  }
  ~spec_file() { std::filesystem::remove(path_); }
  spec_file(const spec_file&) = delete;
  spec_file& operator=(const spec_file&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace maslin
