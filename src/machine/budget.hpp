#pragma once
// The CPU budget of this process and the number of workers that follows from it. include/maslin/machine.hpp declares
// the rest of this room's face.

#include <filesystem>
#include <optional>
#include <string>

#include "maslin/machine.hpp"

namespace maslin::machine {

/// Gives the number of workers of this process: `grant_workers` of the budget, or of the workers of a described
/// machine. Throws its errors.
int worker_count(const std::optional<machine_spec>& described = std::nullopt);

/// Are there more workers than CPUs in the budget? Then a waiting worker must not spin.
bool oversubscribed(int workers);

/// Gives the machine that MASLIN_MACHINE describes, if it names one. Throws `error` for what is wrong with the file.
std::optional<machine_spec> described_machine();

/// What the budget is decided from. Tests hand in folders that were recorded elsewhere.
struct surroundings {
  std::filesystem::path root = "/";  ///< where proc/ and sys/ lie
  int allowed_cpus = 1;              ///< in the affinity mask
  int online_cpus = 1;
  std::optional<std::string> slurm_cpus_per_task;
};

/// Gives the surroundings of the calling thread.
surroundings this_process();

cpu_budget budget(const surroundings& around);

/// The rule behind grant_workers; `asked` is MASLIN_WORKERS, if set.
worker_grant grant_workers(const cpu_budget& budget, std::optional<int> asked);

}  // namespace maslin::machine
