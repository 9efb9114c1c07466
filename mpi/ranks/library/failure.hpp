#pragma once
// What an MPI function does when something is wrong: the error handler of its communicator decides.

#include <atomic>
#include <memory>
#include <string>

#include "maslin/error.hpp"
#include "maslin/location.hpp"
#include "mpi.h"
#include "threads.hpp"

namespace mpi {

struct communicator;

/// Thrown inside a function.
struct failure {
  int error_class;
  std::string text;
  /// Whose handler is told, if it is not that of the call's communicator. The program may have freed it.
  std::shared_ptr<communicator> in = nullptr;
};

/// A function of the standard that the program called.
struct call {
  const char* name;
  maslin::location where;
};

/// After the exception that is being handled: gives the error code, or does not return.
int handle_exception(const call& in, MPI_Comm comm);
/// The same for an error that is known.
int handle_failure(const call& in, MPI_Comm comm, const failure& what);
/// Whether a rank has failed: then every call says so.
bool job_has_failed();
/// The class of an error that Maslin throws: a message that a receive has no room for, or one of another type.
int class_of(const maslin::error& of);
/// The largest error code that there is; programs may add some.
int last_error_code();
/// Where the rank is: before MPI_Init, between it and MPI_Finalize, or behind that. Any thread may ask at any time.
enum class stage : unsigned char { before, between, behind };
extern std::atomic<stage> stage_reached;
/// The caller, as messages name it: "rank 3", or a host.
std::string who();
/// Ends the job.
void end_since_not_between(const call& in);
/// Ends the job unless the rank is between MPI_Init and MPI_Finalize.
inline void expect_initialized(const call& in) {
  if (stage_reached.load(std::memory_order_acquire) != stage::between) [[unlikely]]
    end_since_not_between(in);
}

/// Runs the body of a function whose turn it is. Errors go to the communicator's handler.
template <class Body>
int carry_out_in_turn(const call& in, MPI_Comm comm, Body&& body) noexcept {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return handle_exception(in, comm);
  }
}
/// Carries out a function that may be called at any time.
template <class Body>
int carry_out_always(const call& in, Body&& body, MPI_Comm comm = MPI_COMM_WORLD) noexcept {
  const called turn;
  return carry_out_in_turn(in, comm, body);
}
/// The same for one that is called between MPI_Init and MPI_Finalize.
template <class Body>
int carry_out(const call& in, MPI_Comm comm, Body&& body) noexcept {
  const called turn;  // before it: while others have theirs, MPI may end
  expect_initialized(in);
  return carry_out_in_turn(in, comm, body);
}

/// Throws where a pointer is missing.
inline void expect_pointer(const void* pointer, const char* what) {
  if (!pointer) throw failure{MPI_ERR_ARG, std::string(what) + " is a null pointer"};
}

}  // namespace mpi

/// A function under both its names: a tool may define MPI_X and call PMPI_X.
#define MASLIN_MPI_DEFINE(name, parameters)                                         \
  extern "C" __attribute__((weak, alias("PMPI_" #name))) int MPI_##name parameters; \
  extern "C" int PMPI_##name parameters
/// This call of a function.
#define MASLIN_MPI_CALL(name) \
  mpi::call { "MPI_" #name, mpi::place_of("@MPI_" #name, __builtin_return_address(0)) }
