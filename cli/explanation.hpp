#pragma once
// What the runtime decided in a run, from its trace or its report.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "maslin/trace.hpp"

/// A phase: what it ran in, and what that was decided by.
struct phase_decisions {
  struct choice {
    maslin::configuration what;
    double expected = 0;  ///< throughput, when it was chosen; 0: nothing was known
  };
  std::string name;
  std::uint64_t streams = 0;
  std::int64_t ns = 0;
  std::vector<maslin::phase_estimate> estimates;  ///< as in `maslin::phase_report`
  std::vector<choice> choices;                    ///< one after the other; what repeats the one before is left out
  std::optional<maslin::configuration> chosen;    ///< or pinned
  std::string pinned_by;                          ///< e.g. "MASLIN_PIN"; empty where right-sizing decided
  std::string policy;     ///< that decided, as MASLIN_GRAIN names it; empty where a trace does not say it
  std::string unit;       ///< what throughputs count
  bool in_place = false;  ///< one stream after the other
  std::string waiting;    ///< how its workers waited at last; empty where nothing was recorded of that
  std::string waiting_reason;
  std::optional<std::int64_t> cpu_ns;  ///< CPU time of the process meanwhile

  // Known from reports only.
  bool running = false;           ///< when the report was written
  std::int64_t done = 0;          ///< streams
  std::int64_t times = 1;         ///< that a phase of this name has run; this is the last one
  maslin::configuration current;  ///< at the time
  std::string loop_master;        ///< on a described machine: who was chosen to give out kernels' loops
};

/// The loops of one call site.
struct loop_decisions {
  std::uint64_t loops = 0;
  std::uint64_t blocks = 0;
  std::uint64_t alone = 0;    ///< began with their caller alone: too small to share
  std::int64_t alone_ns = 0;  ///< from begin to end
  std::uint64_t shared = 0;
  std::int64_t shared_ns = 0;
  int width = 1;  ///< the largest team
};

/// The tasks of one call site.
struct task_decisions {
  std::uint64_t handed_over = 0;
  std::int64_t handed_over_ns = 0;
  std::uint64_t at_once = 0;  ///< run by their creators: small, or very many were in flight
  std::int64_t at_once_ns = 0;
};

/// A kernel, and where it ran.
struct kernel_decisions {
  std::uint64_t off_loaded = 0;
  std::int64_t off_loaded_ns = 0;
  std::uint64_t on_host = 0;  ///< too small to be off-loaded, or pinned there
  std::int64_t on_host_ns = 0;
};

/// A library with threads of its own.
struct library_limit {
  std::string name;
  bool process_wide = false;
};

/// What MASLIN_PLACE=auto found.
struct place_decision {
  std::string now;          ///< the policy in force
  bool is_decided = false;  ///< otherwise dbs and locality take turns
  int pairs = 0;            ///< comparisons, earlier runs' with them
  double ratio = 0;         ///< what tasks take under locality over what they take under dbs; 0: nothing was compared
  std::optional<double> error;  ///< half of the interval that holds it in 99 cases of 100
};

/// The process that a report is of.
struct process_state {
  enum class life : std::uint8_t {
    ended,
    killed,   ///< it is not there any more and has not said that it ended
    runs,     ///< and may write more
    unknown,  ///< it is a process of another host, or container
  };
  std::int64_t process = 0;
  std::string host;
  std::string machine;
  bool described = false;  ///< the machine; times are virtual
  life is = life::unknown;
  std::string signal;  ///< that ended it, "SIGTERM"; empty where none did
  double began = 0;    ///< seconds since 1970
  double written = 0;  ///< the report
};

struct explanation {
  std::string program;
  int workers = 0;
  double seconds = 0;
  std::optional<process_state> report_of;  ///< not from a trace but from a report: no tasks and loops
  bool only_streams = false;               ///< from a trace without them
  std::vector<library_limit> libraries;
  std::optional<place_decision> place;  ///< from reports only
  std::vector<phase_decisions> phases;
  std::map<std::string, task_decisions> tasks;  ///< by call site
  std::map<std::string, loop_decisions> loops;  ///< by call site
  std::map<std::string, kernel_decisions> kernels;
};

/// Reads the whole trace.
explanation explain(const maslin::trace::file& trace);

std::string explanation_text(const explanation& e);
std::string explanation_json(const explanation& e);
/// Gives the word for it: "ended", "killed", "runs" or "unknown".
const char* name_of(process_state::life is);
/// Gives a time of the wall clock, in seconds since 1970, as people here write it.
std::string wall_clock(double seconds);
