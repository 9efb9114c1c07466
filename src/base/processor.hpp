#pragma once
// The name of this machine's processor, without asking for the whole topology.

#include <string>

namespace maslin::base {

/// Gives the first processor's model; empty where the system does not say.
std::string processor_name();

}  // namespace maslin::base
