#pragma once
// The hosts whose functions the ranks of this process call.

#include <maslin/maslin.hpp>

#include <optional>

#include "comm/processes.hpp"
#include "image.hpp"

namespace mpi {

struct job;

/// Those that the program defines: MPIX_Host_of_process in each process, MPIX_Host_of_job in the first. Each has a copy
/// of the program. The ranks' copies are loaded before, and have ended when this goes.
class hosts_of_ranks {
 public:
  /// Has them offer their functions.
  hosts_of_ranks(const program& of, const maslin::process_of_job& process);
  ~hosts_of_ranks();
  hosts_of_ranks(const hosts_of_ranks&) = delete;
  hosts_of_ranks& operator=(const hosts_of_ranks&) = delete;

  /// Whose functions the ranks call; null if there is none here.
  maslin::host* nearest() noexcept { return of_process_ ? &*of_process_ : of_job(); }
  maslin::host* of_job() noexcept { return of_job_ ? &*of_job_ : nullptr; }

 private:
  void start(const program& of, const maslin::process_of_job& process, const char* function, int as,
             std::optional<maslin::host>& its);

  std::optional<maslin::host> of_job_, of_process_;  // the second is gone before the first
};

}  // namespace mpi
