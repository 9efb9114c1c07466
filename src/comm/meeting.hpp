#pragma once
// Calls that all ranks of a communicator make: whether they agree, and what is done with what they bring.

#include <span>
#include <string>

#include "maslin/location.hpp"
#include "maslin/ranks.hpp"

namespace maslin::comm {

/// What one rank brings, and from where.
struct arrival {
  detail::contribution brings;
  location where;
};

/// Gives in which way the ranks' calls do not go together; empty where they do. The i-th is rank i's.
std::string disagreement(std::span<const arrival* const> ranks);

/// Does what they have agreed on; long copies and combinations are shared by the caller's team. The bytes that come out
/// do not depend on how.
void carry_out(std::span<const arrival* const> ranks);

}  // namespace maslin::comm
