#pragma once
// The machines that promises about a process are kept on: those that its environment chooses.

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "checkout.hpp"

struct executor_kind {
  const char* name;
  std::vector<std::pair<const char*, std::string>> environment;
  bool in_turn = false;  ///< one body runs at a time

  void choose() const {
    for (const auto& [variable, value] : environment) setenv(variable, value.c_str(), 1);
    setenv("MASLIN_QUIET", "1", 1);
  }
};

inline std::string spec(const char* name) { return checkout() / "specs" / name; }

inline const executor_kind executors[] = {
    {"OneWorker", {{"MASLIN_WORKERS", "1"}}, true},
    {"TwoWorkers", {{"MASLIN_WORKERS", "2"}}},
    {"EightWorkers", {{"MASLIN_WORKERS", "8"}}},
    {"InPlace", {{"MASLIN_SERIAL", "1"}}, true},
    {"OfDescribedCores", {{"MASLIN_MACHINE", spec("origin2000-16.toml")}}, true},
    {"OfDescribedHosts", {{"MASLIN_MACHINE", spec("cell-qs20.toml")}}, true},
};
