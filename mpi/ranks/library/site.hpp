#pragma once
// Where in the program an MPI function was called.

#include <atomic>

#include "maslin/location.hpp"

// The linker's: where the image begins. NOLINTNEXTLINE(clang-diagnostic-reserved-identifier)
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start;

namespace mpi {

/// The program's place of call, where a binding for another language makes the call, until that takes it; otherwise
/// null. It is written by the thread whose turn it is.
extern std::atomic<const void*> called_from;

/// Takes `called_from`, if it is the caller's; otherwise gives that address.
const void* place_told_or(const void* return_address) noexcept;

/// The place behind a call of that function that returns there. Its file is "@" and the function's name, and its line
/// the distance from the beginning of the program's image: what prints an error finds file and line by it, and a call
/// pays nothing for that.
inline maslin::location place_of(const char* file, const void* return_address) noexcept {
  if (called_from.load(std::memory_order_relaxed)) [[unlikely]]
    return_address = place_told_or(return_address);
  return maslin::location::current(file,
                                   static_cast<unsigned>(static_cast<const char*>(return_address) - &__ehdr_start));
}

}  // namespace mpi
