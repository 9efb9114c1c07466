#pragma once
// The topology as hwloc finds it, here or in a description of its own.

#include <string>

#include "maslin/machine.hpp"

namespace maslin::machine {

/// Gives the topology of a machine in hwloc's synthetic notation ("package:2 l3:1 core:4 pu:2"). Throws `error`.
topology synthetic_topology(const std::string& notation);

/// Gives the topology that hwloc wrote as XML (`lstopo FILE.xml`). Throws `error`.
topology topology_from_xml(const std::string& path);

}  // namespace maslin::machine
