#pragma once
// What it takes to schedule an application's tasks where all of them are in the graph before the first one runs.

#include "application.hpp"
#include "sched/place/bundles.hpp"

namespace cellss {

struct scheduling {
  double ns = 0;     ///< a task: it comes to the graph and to a ready list, into a bundle, and ends
  double bytes = 0;  ///< a task, of the graph and the scheduler; the application itself is not counted
};

/// One worker; its memory holds the data of its last task. Throws `std::logic_error` if a task is left.
scheduling schedule_all(const application& app, const maslin::place::bundle_settings& how = {});

}  // namespace cellss
