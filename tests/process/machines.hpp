#pragma once
// What tests of a process run on.

#include <cstdlib>
#include <string>

#include "executors.hpp"

/// This machine, and two that are described: with cores alone, and with accelerators behind hosts.
inline constexpr const char* machines[] = {nullptr, "epyc-128.toml", "cell-qs20.toml"};

inline void choose_machine(const char* described) {
  setenv("MASLIN_QUIET", "1", 1);
  if (described) setenv("MASLIN_MACHINE", spec(described).c_str(), 1);
}

inline std::string machine_name(const char* described) {
  if (!described) return "OnThisMachine";
  return described == machines[1] ? "OnDescribedCores" : "OnDescribedAccelerators";
}
