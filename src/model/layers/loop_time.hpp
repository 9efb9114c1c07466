#pragma once
// What a team takes for a loop, from its caller's call to its return.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
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
  double wake = 0;      ///< that a signal takes longer to a worker that sleeps
  double spin = 0;      ///< how long a worker without work is awake
  double idle = 0;      ///< how long the team has had no work when the loop is called
};

/// Gives the seconds that the loop takes on a team of `width`. The caller takes its even share; one worker wakes the
/// next, which takes half of what it finds, wakes the next, and begins. Who sleeps by then comes later. Who is done
/// takes what is left. If the caller is not the last, it waits for a signal. In whole blocks this is the equations'
/// Tp/l, with l·Ooff. `comes` says when each worker of the team comes by itself, in seconds after the call, because a
/// signal from elsewhere is on its way to it: nobody wakes it. Where that is 0 or less, or is not said, it waits to be
/// woken.
inline double loop_time(const shared_loop& l, int width, const sharing_costs& c, std::span<const double> comes = {}) {
  if (width <= 1 || l.blocks <= 1 || l.seconds <= 0) return l.seconds;
  const double block = l.seconds / static_cast<double>(l.blocks);
  const auto share = [&](std::int64_t of) { return (of + width - 1) / width; };
  const auto takers = static_cast<std::size_t>(std::min<std::int64_t>(width, l.blocks));

  struct arrival {
    double when;
    int worker;
  };
  std::vector<arrival> on_the_way{{0, 0}};  // the latest first
  const auto add = [&](arrival a) {
    const auto later = [](const arrival& one, const arrival& other) { return one.when > other.when; };
    on_the_way.insert(std::upper_bound(on_the_way.begin(), on_the_way.end(), a, later), a);
  };
  const auto comes_alone = [&](int worker) {
    const auto at = static_cast<std::size_t>(worker);
    return worker > 0 && at < comes.size() && comes[at] > 0;
  };
  for (int worker = 1; worker < width; ++worker)
    if (comes_alone(worker)) add({comes[static_cast<std::size_t>(worker)], worker});
  int asleep = 0;
  const auto next_asleep = [&] {
    do ++asleep;
    while (asleep < width && comes_alone(asleep));
  };

  std::vector<double> free;  // when each of those who come has done its first share
  std::vector<int> who;
  std::int64_t left = l.blocks;
  std::int64_t others_find = l.blocks;  // in the caller's queue
  next_asleep();
  // Each worker of the team is on the way once at most, so there are `width` rounds at most.
  while (!on_the_way.empty() && free.size() < takers) {
    const arrival here = on_the_way.back();
    on_the_way.pop_back();
    double now = here.when;
    std::int64_t first = share(l.blocks);
    if (here.worker == 0) {
      others_find -= first;
    } else {
      // Is there something left, or have those before it taken it?
      double taken = 0;
      for (const double f : free) taken += std::max(0.0, std::ceil((now - f) / block));
      if (static_cast<double>(left) <= taken) break;
      now += c.steal;
      others_find = std::min(others_find, left - static_cast<std::int64_t>(taken));
      const std::int64_t half = (others_find + 1) / 2;
      others_find -= half;
      first = std::max<std::int64_t>(1, share(half));
    }
    first = std::min(first, left);
    left -= first;
    if (free.size() + 1 < takers && left > 0 && asleep < width) {
      now += c.signal + ((here.worker < c.near) != (asleep < c.near) ? c.crossing : 0);
      add({now + (c.idle + now > c.spin ? c.wake : 0), asleep});
      next_asleep();
    }
    free.push_back(now + static_cast<double>(first) * block);
    who.push_back(here.worker);
  }

  // What is left goes to who is done first: where an even flow would end, in whole blocks.
  std::vector<double> ends = free;
  while (left > 0) {  // each round gives away one block at least
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
  const double awakes = *last - ends.front() > c.spin ? c.wake : 0;
  return *last + c.signal + awakes + (who[static_cast<std::size_t>(last - ends.begin())] >= c.near ? c.crossing : 0);
}

}  // namespace maslin::layers
