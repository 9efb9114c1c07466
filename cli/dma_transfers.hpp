#pragma once
// What the tasks of a trace would transfer if each worker had a memory of its own.

#include <cstdint>
#include <vector>

#include "maslin/trace.hpp"
#include "model/dma/operation.hpp"

struct transfers {
  std::vector<maslin::dma::operation> operations;
  std::uint64_t tasks = 0;  ///< that ran
  std::uint64_t bytes = 0;
};

/// Gives a get of each datum that a task reads when it begins, and a put of each that it writes when it ends, by the
/// worker that ran it. Throws `maslin::error` for a trace that does not hold all of it.
transfers transfers_of(const maslin::trace::file& trace, const std::string& path);
