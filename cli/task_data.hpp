#pragma once
// The tasks of a trace with the data that they name, in the order in which they ran.

#include <cstdint>
#include <span>
#include <string>

#include "maslin/error.hpp"
#include "maslin/trace.hpp"

/// Thrown for a trace that does not hold all that its tasks access, or whose tasks name nothing.
class no_task_data : public maslin::error {
 public:
  no_task_data(const std::string& message, bool is_lost) : error(message), lost(is_lost) {}
  bool lost;  ///< there may have been more than it holds
};

/// A task's access, as its program named it.
struct named_access {
  maslin::trace::access_form form;
  std::uint64_t address;
};

class task_data_observer {
 public:
  virtual ~task_data_observer() = default;
  /// A task begins, or ends. `e` is the trace's event.
  virtual void begins(const maslin::trace::event& e, std::span<const named_access> data) = 0;
  virtual void ends(const maslin::trace::event&, std::span<const named_access>) {}
};

/// Goes through the trace. Throws `no_task_data` for one that does not tell what the caller wants: `what`.
void each_task_with_data(const maslin::trace::file& trace, const std::string& path, const std::string& what,
                         task_data_observer& to);
