#pragma once
// Starting a job's processes, and their end.

#include <string>
#include <vector>

namespace mpi {

/// Runs the ranks in so many processes, divided as `place` says (placement.hpp), each by `words` with its own word put
/// in at `at`; gives the job's status. `forwarder`: the program that joins this node to others, on each of which this
/// is called; they have so many processes each. It is empty where there is one node. Throws maslin::error.
int launch(std::vector<std::string> words, std::size_t at, int ranks, int processes, const std::string& place,
           const std::string& forwarder);

}  // namespace mpi
