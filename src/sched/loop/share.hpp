#pragma once
// How much of a loop a worker takes at a time under Dynamic Bisectioning (dynamic-bisectioning, section 3): one P-th of
// what is left, in the central queue and in a local one alike.

#include <cstdint>

namespace maslin::loop_policy {

/// Gives ⌈remaining/workers⌉ blocks, for remaining ≥ 0 and workers ≥ 1; at least one while any are left.
constexpr std::int64_t share(std::int64_t remaining, int workers) { return (remaining + workers - 1) / workers; }

}  // namespace maslin::loop_policy
