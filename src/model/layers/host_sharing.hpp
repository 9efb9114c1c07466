#pragma once
// How long threads that share one hardware thread take from off-load to off-load: the waiting that the equations leave
// out (ps3-cluster, 4.1, assumes ideal co-scheduling).

#include <algorithm>

namespace maslin::layers {

/// What a thread does between two off-loads.
struct turn {
  double service = 0;    ///< it needs the host
  double away = 0;       ///< its kernel runs
  double variation = 0;  ///< standard deviation of these / their mean
  double poll = 0;       ///< from one look whether kernels are done to the next; 0: who is done goes on at once
};

/// Gives the mean time from off-load to off-load of one of `threads` threads. With equal lengths the host is the bound,
/// or the kernel is: max(threads·service, service + away). With lengths that vary, threads queue: mean value analysis
/// of a closed network of one server and a delay is exact for exponential lengths. In between it goes by the standard
/// deviation, as the mean of the larger of two sums does that are about equal.
inline double turn_time(const turn& t, int threads) {
  const double alone = t.service + t.away;
  if (threads <= 1) return alone;
  double response = t.service, queued = 0;
  for (int n = 1; n <= threads; ++n) {
    response = t.service * (1 + queued);
    queued = n * response / (response + t.away);
  }
  // Who looks in turn sees the end of its kernel half a round later, unless the host is busy all the time.
  const double busy = std::min(1.0, threads * t.service / alone);
  const double polled = t.poll * threads / 2 * (1 - busy);
  const double equal = std::max(threads * t.service, alone + polled);
  const double exponential = response + t.away + polled;
  return equal + std::min(1.0, t.variation) * std::max(0.0, exponential - equal);
}

}  // namespace maslin::layers
