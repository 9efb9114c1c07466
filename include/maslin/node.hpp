#pragma once
// Processes that share the CPUs of their node: those with the same MASLIN_NODE, or the ranks of an MPI job that was
// started with libmaslin_mpi.so. docs/node.md says how to use it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maslin/api.hpp"

namespace maslin {

/// The calling thread is about to wait for something outside Maslin: a message, a file, a person. Until `reclaim`,
/// other processes that share this node may use this process's CPUs, but those whose workers have something to do. For
/// the thread that started the runtime, outside tasks; does nothing elsewhere and where no node is shared.
MASLIN_API void lend() noexcept;

/// The wait is over: the process has its CPUs again when this returns. Who borrowed one leaves it at the end of its
/// task or block.
MASLIN_API void reclaim() noexcept;

/// Lends while it lives.
class lending {
 public:
  lending() noexcept { lend(); }
  ~lending() { reclaim(); }
  lending(const lending&) = delete;
  lending& operator=(const lending&) = delete;
};

/// One CPU of a node as its processes share it.
struct shared_cpu_state {
  int cpu = 0;
  std::optional<int> owner;  ///< its process; none when nobody has a right to it
  std::optional<int> user;   ///< none while it is lent and nobody has borrowed it
};

/// One process of a job.
struct sharing_process {
  int process = 0;
  std::string command;
  bool alive = true;  ///< dead ones are here until somebody looks for CPUs
  int own = 0;        ///< CPUs
  int used = 0;       ///< CPUs, borrowed ones included
  int working = 0;    ///< workers that take work
  bool wants_more = false;
  std::int64_t lent = 0;      ///< times that a CPU of its own was lent
  std::int64_t borrowed = 0;  ///< times that it borrowed one
  std::int64_t regained = 0;  ///< times that it took one back from another's use
};

/// What the processes of a job share on a node.
struct shared_node {
  std::string job;
  std::vector<shared_cpu_state> cpus;
  std::vector<sharing_process> processes;
};

/// Gives what the processes of a job share on this node at the moment; nothing when there is no such job of this user.
/// Throws `error`.
MASLIN_API std::optional<shared_node> look_at_node(const std::string& job);

/// Gives the jobs of this user on this node.
MASLIN_API std::vector<std::string> jobs_on_node();

}  // namespace maslin
