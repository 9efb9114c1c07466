#pragma once
// Functions that hosts run for the ranks of an MPI program in C++20: MPIX_Host_of_process and MPIX_Host_of_job get an
// ms::host, to which they `offer` functions with any types that can be copied, and ms::call calls them.

#include <maslin/host.hpp>
#include <maslin/ranks.hpp>

#include "mpi.h"

namespace maslin {

namespace detail {
/// Who calls: code of a rank, which has the communicator, or a function of a host.
class mpi_caller {
 public:
  mpi_caller();
  ~mpi_caller();
  mpi_caller(const mpi_caller&) = delete;
  mpi_caller& operator=(const mpi_caller&) = delete;

  communicator* rank;  ///< null in a host's function
  host* function_of;

 private:
  void* turn_;
};
}  // namespace detail

/// Calls a function of the host of the caller's process, or of the job's host if that one has no such function:
/// `ms::call<double>("norm", vector)`. In a function of a process' host it calls one of the job's. Otherwise as
/// `communicator::call`.
template <class Result = void, class... Values>
Result call(function_name name, const Values&... values) {
  const detail::mpi_caller by;
  return by.rank ? by.rank->template call<Result>(name, values...)
                 : by.function_of->template call_further<Result>(name, values...);
}

}  // namespace maslin
