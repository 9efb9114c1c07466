#pragma once
// The CPU quotas of the control groups that this process is in.

#include <filesystem>
#include <vector>

#include "maslin/machine.hpp"

namespace maslin::machine {

/// Gives a limit for every quota on the way from this process's control group to the top of what is mounted, for cgroup
/// v2 (cpu.max) and v1 (cpu.cfs_quota_us, cpu.cfs_period_us), rounded up to whole CPUs; if there is none, one entry
/// that says so and does not limit. `root` is the folder that holds proc/ and sys/.
std::vector<cpu_limit> cgroup_limits(const std::filesystem::path& root);

}  // namespace maslin::machine
