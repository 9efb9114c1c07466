#pragma once
// What runs leave behind: each process that runs phases keeps a small file of what right-sizing did with them, while it
// runs and after (MASLIN_REPORT). `maslin explain` reads it; docs/explain.md says what for.

#include <cstdint>
#include <string>

#include "maslin/api.hpp"

namespace maslin {

/// Gives the folder in which processes of this user keep their reports unless MASLIN_REPORT names a file: JSON, one
/// file a process. Empty where the user has no folder for such things.
MASLIN_API std::string run_reports_folder();

/// Gives the report of this process so far, whatever MASLIN_REPORT says: JSON, as in those files. Empty while no
/// runtime runs. May be called from any thread.
MASLIN_API std::string run_report_json();

/// Where a process is known by its number.
struct process_space {
  std::string host;
  std::string numbers;  ///< two processes of a host with the same text here mean the same by a number; may be empty
};
/// Gives that of the calling process.
MASLIN_API process_space this_process_space();

/// Gives when a process began, in clock ticks since the machine did; 0 when there is no such process (any more). Two
/// processes that have the same number one after the other differ in it.
MASLIN_API std::uint64_t process_start(std::int64_t process);

}  // namespace maslin
