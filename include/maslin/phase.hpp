#pragma once
// Phases: a named region whose independent streams Maslin sizes: how many at a time, and how many workers each.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maslin/api.hpp"
#include "maslin/body.hpp"
#include "maslin/location.hpp"

namespace maslin {

/// (streams at a time × workers of each one's team).
struct configuration {
  int streams = 1;
  int width = 1;
  int wider = 0;  ///< so many of the teams, fewer than `streams`, have one worker more
  bool operator==(const configuration&) const = default;
};

/// One measured stretch of a phase under one configuration.
struct phase_sample {
  configuration under;
  double work = 0;  ///< C: completed kernels, each counted with its mean one-worker time, and with `auto` what streams
                    ///< did between them; seconds
  double seconds = 0;                                                     ///< T: how long that took
  double throughput() const { return seconds > 0 ? work / seconds : 0; }  ///< W = C/T (S-MGPS)
};

/// What a policy expects of a configuration.
struct phase_estimate {
  configuration under;
  double throughput = 0;        ///< of what `phase_report::unit` says, per second
  std::optional<double> error;  ///< relative standard deviation; unset where it is not known, as of a single sample
  int samples = 0;              ///< that it rests on; 0: it is known from an earlier run
};

/// What right-sizing did with a phase, while it runs or after it.
struct phase_report {
  std::string name;
  std::int64_t streams = 0;  ///< of the whole phase
  std::int64_t done = 0;
  bool running = false;
  configuration current;              ///< in use now, or at the end
  std::vector<phase_sample> samples;  ///< in the order in which they were taken
  /// What the policy knew at its last decision that confirmed the choice, or at its last one where nothing is chosen;
  /// the largest throughput comes first. Empty where nothing was sampled.
  std::vector<phase_estimate> estimates;
  std::string unit;                     ///< what estimates count: "worker-seconds of work", "off-loads" or "streams"
  std::optional<configuration> chosen;  ///< unset while sampling
  std::string pinned_by;                ///< e.g. "MASLIN_PIN"; empty when right-sizing decided
  std::string policy;                   ///< that decided, as MASLIN_GRAIN names it; empty when pinned or run in place
  double work = 0;     ///< of the whole phase so far: completed kernels, each with its mean one-worker time
  double seconds = 0;  ///< since the phase began, to its end
  std::optional<double> cpu_seconds;  ///< of the process meanwhile; unset inside another phase and in virtual time
  std::string waiting;         ///< how its workers waited: spin, yield, adaptive or park; empty where none had to
  std::string waiting_reason;  ///< who chose that, and why: "auto: lengths vary by 80 %, a wake-up costs 45 us"
};

/// Gives the report of the latest phase of that name in this process; nothing before there was one. May be called from
/// any thread while the phase runs.
MASLIN_API std::optional<phase_report> report(std::string_view phase);

namespace detail {
struct phase {
  const char* name;
  std::int64_t streams;
  void (*run)(void* env, std::int64_t index);
  void* env;
  location where;
};
MASLIN_API void run_phase(const phase& p);
}  // namespace detail

/// Runs `body(i)` for i in [0, streams) as streams of the phase `name` and returns when all are done. Streams off-load
/// kernels and run loops; Maslin chooses the configuration, from measured throughput unless MASLIN_GRAIN names another
/// policy. If streams throw, the others still run, and the exception of the lowest index is rethrown. `name` must
/// outlive the program (a literal). Throws `error` for a name that is null, for less than 0 streams and for an empty
/// body.
template <class Body>
void phase(const char* name, std::int64_t streams, Body&& body, location where = location::current()) {
  detail::expect_body(body, "phase", where);
  auto run = [](void* env, std::int64_t i) { detail::body_at<std::remove_reference_t<Body>>(env)(i); };
  detail::run_phase({name, streams, run, detail::address_of(body), where});
}

}  // namespace maslin
