#pragma once
// How a job ends before its time.

namespace mpi {

/// Prints what all ranks have said, the text, and ends the process with that status. The first that calls it does.
[[noreturn]] void end_job(int rank, int status, const char* text);
/// Has a crash of a rank end the job with its place.
void watch_crashes();

}  // namespace mpi
