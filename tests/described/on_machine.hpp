#pragma once
// Running a program on a machine whose description a test holds.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "maslin/maslin.hpp"

/// Sets a variable of the environment while it lives.
class variable {
 public:
  variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~variable() { unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
};

/// Runs the program on the machine, its bodies measured where they declare nothing.
inline void run_on(const std::string& machine, const std::function<void()>& program) {
  const std::string spec = testing::TempDir() + fmt::format("machine.{}.toml", getpid());
  std::ofstream(spec) << machine;
  {
    const variable on("MASLIN_MACHINE", spec);
    maslin::Runtime runtime;
    program();
  }
  std::filesystem::remove(spec);
}
