#pragma once
// The launchers of other MPIs, as what they start sees them.

#include <cstdlib>

namespace mpi {

/// How many processes the launcher that has started this one says it has started; 1 where there is none, or it says
/// nothing. A batch script has SLURM_NTASKS, too, so that says nothing.
inline int started_by_launcher() {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* const said = std::getenv(name)) return std::atoi(said);
  return 1;
}

}  // namespace mpi
