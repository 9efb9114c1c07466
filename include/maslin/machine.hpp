#pragma once
// What we run on: this machine, the share of it that this process may use, and machines that are only described.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maslin/api.hpp"

namespace maslin::machine {

// This machine.

/// A CPU is a hardware thread here (hwloc's processing unit), named by the operating system's number.
struct cache {
  int level = 0;
  std::string kind;  ///< "data" or "unified"
  std::int64_t bytes = 0;
  std::vector<int> cpus;  ///< that share it
};

/// Memory that is near to some CPUs.
struct numa_node {
  int index = 0;
  std::int64_t bytes = 0;
  std::vector<int> cpus;
};

/// A machine.
struct topology {
  std::string processor;  ///< its model; empty where the system does not say
  int packages = 0;
  int cores = 0;
  int cpus = 0;
  std::vector<cache> caches;  ///< by level, then by CPU
  std::vector<numa_node> numa;
};

/// Gives the whole machine's topology, also the part that this process may not use. Throws `error` if it cannot be
/// read.
MASLIN_API topology detect_topology();

// The CPU budget.

/// What one source says about the number of CPUs that this process may use.
struct cpu_limit {
  std::string source;       ///< "affinity mask", "cgroup v2 quota", "SLURM_CPUS_PER_TASK", ...
  std::string found;        ///< as found, with the place
  std::optional<int> cpus;  ///< nothing: it does not limit
};

/// How many CPUs this process may use: the smallest limit. Hardware threads count as CPUs.
struct cpu_budget {
  int cpus = 1;
  std::vector<cpu_limit> limits;  ///< every source that was asked
};

/// Gives the budget of the calling thread and of those it will start: affinity mask, cgroup v1 and v2 quotas (rounded
/// up: 1.5 CPUs are 2) and the batch system's grant. Throws `error` for a bad SLURM_CPUS_PER_TASK.
MASLIN_API cpu_budget budget();

/// The number of workers that a program gets, and why.
struct worker_grant {
  int workers = 1;
  std::string reason;
};

/// Gives MASLIN_WORKERS if it is set, also beyond the budget, otherwise one worker a CPU of the budget. Throws `error`
/// if MASLIN_WORKERS is not a number from 1 to 4096.
MASLIN_API worker_grant grant_workers(const cpu_budget& budget);

// Described machines.

/// CPU cores run everything; accelerators run kernels, and hosts beside them the streams.
enum class worker_kind { cpu, accelerator };

/// What executes tasks and kernels.
struct worker_spec {
  int count = 0;
  worker_kind kind = worker_kind::cpu;  ///< cpu: the same workers run the streams' control flow, too
  double speed = 1;                     ///< a body that took t seconds where it was measured takes t / speed
  int groups = 1;                       ///< of neighbours (processors, sockets), equally large
  std::string source;
};

/// Where streams run when the workers are accelerators.
struct host_spec {
  int contexts = 0;                  ///< hardware threads
  std::optional<double> speed;       ///< as worker_spec::speed; 1, but unsaid no kernel runs there
  std::optional<double> contention;  ///< a of alpha(p) = 1 + a (p - 1), for p threads on one hardware thread
  int threads_per_core = 1;          ///< neighbouring contexts that share one core (SMT)
  std::optional<double> smt;         ///< b: a thread is 1 + b n times as slow for n other busy contexts of its core
  std::optional<double> quantum_us;  ///< the operating system's time slice
  std::optional<double> switch_us;   ///< cost of one context switch
  std::string source;
};

/// What the runtime itself takes where the workers are CPU cores.
struct dispatch_spec {
  std::optional<double> task_us;      ///< of a worker between two bodies of its own tasks
  std::optional<double> handover_us;  ///< until work, or word that it is done, is at another worker that looks for it
  std::optional<double> wake_us;      ///< that it takes longer if that worker sleeps
  std::optional<double> spin_us;      ///< for so long a worker without work looks for some before it sleeps
  std::string source;
};

/// The memory that each worker has to itself.
struct local_store_spec {
  std::int64_t bytes = 0;
  std::optional<std::int64_t> code_bytes;  ///< of one version of the kernels' code
  std::string source;
};

/// Between hosts or main memory and a worker.
struct transfer_spec {
  std::optional<double> signal_us;           ///< until a worker sees that it was given work
  std::optional<double> latency_us;          ///< of one transfer
  double bandwidth_gb_per_s = 0;             ///< of one worker
  std::optional<double> total_gb_per_s;      ///< of all workers of a group together
  std::optional<std::int64_t> packet_bytes;  ///< transfers are cut into these
  std::string source;
};

/// A cache or the main memory.
struct memory_spec {
  std::string level;  ///< "L1", ..., "memory"
  std::int64_t bytes = 0;
  int shared_by = 1;  ///< workers
  std::optional<double> latency_ns;
  std::optional<double> bandwidth_gb_per_s;  ///< of all that share it together
  std::string source;
};

/// A connection between groups of one node, or between nodes.
struct link_spec {
  /// What it connects.
  enum class ends { groups, nodes } between = ends::groups;
  double bandwidth_gb_per_s = 0;  ///< in one direction
  std::optional<double> latency_us;
  std::string source;
};

/// A described machine. Counts are those of one node.
struct machine_spec {
  std::string file;
  std::string name;
  std::string about;
  int nodes = 1;
  worker_spec workers;
  std::optional<host_spec> hosts;
  std::optional<dispatch_spec> dispatch;
  std::optional<local_store_spec> local_store;
  std::optional<transfer_spec> transfer;
  std::vector<memory_spec> memory;  ///< from the nearest
  std::vector<link_spec> links;
};

/// Gives the machine that the TOML file describes (specs/README.md says what may stand there). Throws `error` with
/// file, line and column of what cannot be read, is missing, unknown, of the wrong type or out of range.
MASLIN_API machine_spec read_spec(const std::string& path);

}  // namespace maslin::machine
