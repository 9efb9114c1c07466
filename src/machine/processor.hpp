#pragma once
// The name of this machine's processor, without asking for the whole topology.

#include <string>

namespace maslin::machine {

/// Gives the processor's model; "unknown processor" where the system does not say.
std::string processor_name();

}  // namespace maslin::machine
