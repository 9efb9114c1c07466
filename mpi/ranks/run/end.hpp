#pragma once
// How a job ends before its time.

namespace mpi {

struct shared_by_processes;

/// This process is one of several, that one from 0: when another ends the job, this one prints what its ranks have
/// said, and ends, too.
void join_job(shared_by_processes& shared, int process);
/// Ends the job; false where somebody has done so.
bool claim_end() noexcept;
/// Prints what all ranks have said, the text, and ends the process with that status. The first that calls it does.
[[noreturn]] void end_job(int rank, int status, const char* text);
/// Has a crash of a rank end the job with its place.
void watch_crashes();

}  // namespace mpi
