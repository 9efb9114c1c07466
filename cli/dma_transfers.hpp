#pragma once
// What the tasks of a trace would transfer if each worker had a memory of its own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "maslin/trace.hpp"
#include "model/dma/operation.hpp"
#include "task_data.hpp"

/// Is given a transfer: the event at which its task begins or ends, the datum, and whether it is got or put.
using transfer_taker = std::function<void(const maslin::trace::event&, const named_access&, maslin::dma::direction)>;

/// Hands over a get of each datum that a task reads when it begins, and a put of each that it writes when it ends, in
/// the order of time. Gives how many tasks began. Throws `no_task_data` for a trace that does not tell it.
std::uint64_t each_transfer(const maslin::trace::file& trace, const std::string& path, const transfer_taker& take);

struct transfers {
  std::vector<maslin::dma::operation> operations;
  std::uint64_t tasks = 0;  ///< that ran
  std::uint64_t bytes = 0;
};

/// Gives each transfer, by the worker that ran the task. Throws `no_task_data` for a trace that does not tell it.
transfers transfers_of(const maslin::trace::file& trace, const std::string& path);
