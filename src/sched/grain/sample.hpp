#pragma once
// What a policy is told of a phase: slices of its work, measured, and off-loads that departed.

#include <cstdint>
#include <limits>
#include <vector>

#include "maslin/phase.hpp"
#include "sched/grain/throughput.hpp"

namespace maslin::grain {

/// How far a slice (one sample's stretch of real work under one configuration) has come.
struct progress {
  double seconds = 0;        ///< since the slice began
  std::int64_t kernels = 0;  ///< completed in it, all streams together
  std::int64_t units = 0;    ///< streams finished in it
  int streams = 1;           ///< that are running at a time
};

/// When a slice begins and ends.
struct sample_rule {
  double seconds = 0.025;          ///< a slice lasts at least this
  std::int64_t kernels = 50;       ///< and completes at least this many kernels per running stream
  double patience_seconds = 0.25;  ///< how long a slice waits for its streams' first off-loads
  bool units_suffice = true;       ///< as many finished streams as run at a time end a slice, however short it is
  double at_most_seconds = std::numeric_limits<double>::infinity();  ///< then it says enough that nothing moves

  /// Is the configuration in force, so that a slice may begin? Each running stream must have off-loaded once since the
  /// configuration was set (`off_loaded` of `streams` have): one that is still getting started would speak against it.
  /// Streams that do not off-load are waited for only as long as the patience lasts.
  bool settled(int streams, int off_loaded, double seconds_since_set) const {
    return off_loaded >= streams || seconds_since_set >= patience_seconds;
  }

  /// Is the slice long enough to say something? Also when as many streams have finished in it as run at a time: the
  /// paper's unit, for streams that off-load little or nothing.
  bool complete(const progress& p) const {
    const bool finished = p.units >= p.streams;
    return (p.seconds >= seconds && (p.kernels >= kernels * p.streams || finished)) || (units_suffice && finished) ||
           p.seconds >= at_most_seconds;
  }
};

/// A finished slice.
struct sample {
  configuration under;
  double seconds = 0;
  double at = 0;                       ///< when it ended: seconds since the phase began
  std::vector<kernel_record> kernels;  ///< what completed in it, by kernel id
  std::int64_t units = 0;              ///< streams finished in it
  int silent = 0;                      ///< streams that run at its end and have not off-loaded since they began
  /// What streams did themselves in it, all together: what is no off-load, no loop and no wait, and those off-loads and
  /// loops that were not timed. It takes as long at any width.
  double own_seconds = 0;
  /// For which share of their time workers wanted a CPU and had none, because others had it.
  double without_cpu = 0;
  // The same since the phase began.
  std::vector<kernel_record> kernels_so_far = {};
  double own_so_far = 0;  ///< in seconds
};

/// Off-loads that have departed (their kernels completed) since the last that a policy was told of.
struct departures {
  std::int64_t count = 0;
  /// Summed over them: how many off-loads arrived while the departing one ran, itself included. A stream has one
  /// worker to off-load to, so no more count than streams run.
  std::int64_t on_workers = 0;
};

}  // namespace maslin::grain
