#pragma once
// What a team takes for a loop, from its caller's call to its return.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

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
};

/// Gives the seconds that the loop takes on a team of `width`. The caller takes its even share; one worker wakes the
/// next, which takes half of what it finds, wakes the next, and begins. Who is done takes what is left. If the caller
/// is not the last, it waits for a signal. In whole blocks this is the equations' Tp/l, with l·Ooff.
inline double loop_time(const shared_loop& l, int width, const sharing_costs& c) {
  if (width <= 1 || l.blocks <= 1) return l.seconds;
  const double block = l.seconds / static_cast<double>(l.blocks);
  const auto share = [&](std::int64_t of) { return (of + width - 1) / width; };
  const int takers = static_cast<int>(std::min<std::int64_t>(width, l.blocks));

  std::vector<double> free;  // when each of those who come has done its first share
  std::int64_t left = l.blocks;
  std::int64_t others_find = l.blocks;  // in the caller's queue
  double now = 0;                       // when the next one comes
  for (int i = 0; i < takers; ++i) {
    if (i > 0) {
      // Is there something left, or have those before it taken it?
      double taken = 0;
      for (const double f : free) taken += std::max(0.0, std::ceil((now - f) / block));
      if (static_cast<double>(left) <= taken) break;
      now += c.steal;
    }
    std::int64_t first = share(l.blocks);
    if (i == 0) {
      others_find -= first;
    } else {
      const std::int64_t half = (others_find + 1) / 2;
      others_find -= half;
      first = std::max<std::int64_t>(1, share(half));
    }
    first = std::min(first, left);
    left -= first;
    const bool calls = i + 1 < takers && left > 0;
    if (calls) now += c.signal + (i + 1 == c.near ? c.crossing : 0);
    free.push_back(now + static_cast<double>(first) * block);
  }

  // What is left goes to who is done first: where an even flow would end, in whole blocks.
  std::vector<double> ends = free;
  while (left > 0) {
    std::vector<std::size_t> order(ends.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ends[a] < ends[b]; });
    std::size_t come = order.size();
    double even = 0;
    for (;; --come) {
      double sum = static_cast<double>(left) * block;
      for (std::size_t i = 0; i < come; ++i) sum += ends[order[i]];
      even = sum / static_cast<double>(come);
      if (come == 1 || ends[order[come - 1]] < even) break;
    }
    std::int64_t given = 0;
    for (std::size_t i = 0; i < come; ++i) {
      const auto whole = static_cast<std::int64_t>(std::floor((even - ends[order[i]]) / block * (1 + 1e-12)));
      ends[order[i]] += static_cast<double>(whole) * block;
      given += whole;
    }
    if (given == 0) {  // one each for those who are done first
      ends[order[0]] += block;
      given = 1;
    }
    left -= given;
  }
  const auto last = std::max_element(ends.begin(), ends.end());
  if (last == ends.begin() || *last <= ends.front() * (1 + 1e-12)) return *last;
  return *last + c.signal + (last - ends.begin() >= c.near ? c.crossing : 0);
}

}  // namespace maslin::layers
