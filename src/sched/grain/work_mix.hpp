// What streams' work consists of: what they do themselves, and each kernel. Slices catch more of one part or of
// another; a throughput is that of streams with the mix that is still to come.
#pragma once

#include <span>
#include <vector>

#include "sched/grain/throughput.hpp"

namespace maslin::grain {

/// Seconds of one worker, or shares of them: first what streams do themselves, then each kernel by its id.
using work_parts = std::vector<double>;

/// Gives what streams did in so much time of their own and in these executions.
work_parts parts_of(double own_seconds, std::span<const kernel_record> kernels, const kernel_times& times);

/// Gives each part's share of all; nothing, if nothing was done. A part below zero (one that was taken for own code
/// until it ended) counts as none.
work_parts shares_of(work_parts parts);

class work_mix {
 public:
  /// A slice has ended, in which these parts were done. Streams have done so much themselves since the phase began, and
  /// these executions. A slice with so large a share of the streams that are left says as much of what they do now. A
  /// stream takes so long from its begin to its end (0: none has ended yet): what was done longer ago counts less and
  /// less.
  void observe(const work_parts& slice, double own_so_far, std::span<const kernel_record> so_far,
               const kernel_times& times, double share, double since_last, double stream_seconds);

  /// Gives the shares of what is to come: of whole streams, if some have not begun.
  const work_parts& to_come(bool whole_streams) const { return whole_streams ? whole_ : lately_; }
  /// Gives the shares of all that was done.
  const work_parts& of_all() const { return of_all_; }

 private:
  /// Own seconds, and how often each kernel completed.
  using counts = std::vector<double>;
  static work_parts weigh(counts done, const kernel_times& times);

  counts all_;     ///< that the last slice told of
  counts recent_;  ///< what was done longer ago than a stream takes is forgotten
  work_parts whole_, of_all_, lately_;
};

}  // namespace maslin::grain
