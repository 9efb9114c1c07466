#pragma once
// The memory that there is.

namespace command {

/// Gives the memory that the system has for new data, in bytes; infinite where it does not say.
double free_memory();

}  // namespace command
