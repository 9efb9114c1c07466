#pragma once
// Where in the program an MPI function was called.

#include <atomic>

#include "maslin/location.hpp"

namespace mpi {

/// The program's place of call, where a binding for another language makes the call, until that takes it; otherwise
/// null. It is written by the thread whose turn it is.
extern std::atomic<const void*> called_from;

/// The place behind a call that returns there. Its file is "@" and its line the distance from the beginning of the
/// program's image: what prints an error finds file and line by it, and a call pays nothing for that.
maslin::location place_of(const void* return_address) noexcept;

}  // namespace mpi

/// The place from which the function in which it stands was called.
#define MASLIN_MPI_PLACE mpi::place_of(__builtin_return_address(0))
