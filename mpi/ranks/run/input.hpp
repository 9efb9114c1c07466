#pragma once
// Standard input is rank 0's.

#include <cstdio>

namespace mpi {

/// Gives a rank's stream of it: rank 0's is that of the process, the others' are at their end.
std::FILE* input_of(int rank);

}  // namespace mpi
