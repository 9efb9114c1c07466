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

/// Gives a machine of so many cores, and what it takes them to hand tasks over and to wake up.
inline std::string cores(int count) {
  return fmt::format(R"(
name = "{0} cores"
[workers]
kind = "cpu"
count = {0}
source = "this test"
[dispatch]
task_us = 0.2
handover_us = 0.5
wake_us = 2
spin_us = 10
source = "this test"
)",
                     count);
}

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
