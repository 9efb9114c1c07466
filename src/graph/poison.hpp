#pragma once
// MASLIN_CHECK: what a task declares with `out` it must write before it reads it, and where its view points. Memory
// whose value is over is filled with a pattern, so that who reads it all the same computes with that.

#include "graph/region.hpp"

namespace maslin::graph {

/// Fills the region with a pattern that is not a number as a float and as a double, and large as an integer.
void poison(const region& where) noexcept;

/// Is MASLIN_CHECK set?
void set_data_checks(bool on) noexcept;
bool data_checks() noexcept;
/// Do workers have local stores (exec/store)? Their tasks say when they were created.
void set_local_stores(bool on) noexcept;
bool local_stores() noexcept;
/// Is neither the case, so that the body of a task with accesses is called as it is?
bool bodies_are_plain() noexcept;

}  // namespace maslin::graph
