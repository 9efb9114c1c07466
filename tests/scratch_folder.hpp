#pragma once
// A folder of a test's own, for what it and its children write.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

/// It is there while this lives, and goes with all that it holds.
class scratch_folder {
 public:
  scratch_folder() : path_(testing::TempDir() + "maslin.XXXXXX") {
    if (!mkdtemp(path_.data())) throw std::runtime_error("no folder can be made in " + testing::TempDir());
  }
  ~scratch_folder() { std::filesystem::remove_all(path_); }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  /// Gives the path of a file in it.
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};
