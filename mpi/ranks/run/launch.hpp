#pragma once
// Starting a job's processes, and their end.

#include <string>
#include <vector>

namespace mpi {

/// Runs the ranks in so many processes, divided as `place` says (placement.hpp), each by `words` with its own word put
/// in at `at`; gives the job's status. Throws maslin::error.
int launch(std::vector<std::string> words, std::size_t at, int ranks, int processes, const std::string& place);

}  // namespace mpi
