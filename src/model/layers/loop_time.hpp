#pragma once
// What a team takes for a loop, from its caller's call to its return.

#include <cstdint>
#include <functional>
#include <limits>

namespace maslin::layers {

/// A loop of equal blocks under dynamic bisectioning.
struct shared_loop {
  double seconds = 0;  ///< all blocks, one after the other
  std::int64_t blocks = 1;
};

/// What sharing it costs.
struct sharing_costs {
  double signal = 0;    ///< waking one worker takes the one that does it, and the one that is woken comes as much later
  double steal = 0;     ///< taking work from another
  double crossing = 0;  ///< that a signal takes longer to a worker elsewhere
  int near = 1;         ///< workers of the team up to the first that is elsewhere; the team's width if there is none
  double wake = 0;      ///< that a signal takes longer to a worker that sleeps
  double spin = 0;      ///< how long a worker without work is awake
  double idle = 0;      ///< how long the team has had no work when the loop is called
};

/// Workers of a team that come to a loop by themselves, because a signal from elsewhere is on its way to them: all from
/// `first` on. `when` gives how many seconds after the call the worker of that number comes; those behind it come no
/// earlier.
struct coming_workers {
  int first = std::numeric_limits<int>::max();
  std::function<double(int)> when = {};
};

/// Gives the seconds that the loop takes on a team of `width`. The caller takes its even share; one worker wakes the
/// next, which takes half of what it finds, wakes the next, and begins. Who sleeps by then comes later. Who is done
/// takes what is left. If the caller is not the last, it waits for a signal. In whole blocks this is the equations'
/// Tp/l, with l·Ooff. Nobody wakes who comes by itself.
double loop_time(const shared_loop& l, int width, const sharing_costs& c, const coming_workers& comes = {});

/// When a host that gives out a loop has told the team's workers, and when it has word that they are done; in seconds
/// after the loop's call.
struct given_out {
  double told = 0;
  double done = 0;
};

/// The same where a host gives out the loop: it tells one worker after the other, all have even parts, and who is done
/// takes blocks of others'. The host waits until each worker has come, also one that finds nothing left.
given_out host_gives_out(const shared_loop& l, int width, const sharing_costs& c, const coming_workers& comes = {});

}  // namespace maslin::layers
