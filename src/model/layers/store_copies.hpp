#pragma once
// What copies between memory and local stores take that computing does not hide: TDMA of equation (5), of tasks with
// data, and of loops that are bound by communication (ps3-cluster, 4.3).

#include <algorithm>
#include <limits>

namespace maslin::layers {

/// The copy engines of workers that have local stores, and what these share.
struct copy_engines {
  double latency = 0;                                    ///< before a block's data begin to come, or to go
  double worker = 0;                                     ///< bytes per second of one; 0: there are no stores
  int of_a_bus = 1;                                      ///< workers that share a bus,
  double bus = std::numeric_limits<double>::infinity();  ///< which moves so much in all
  int of_a_memory = 1;
  double memory = std::numeric_limits<double>::infinity();

  /// Gives the bytes per second that one of a team's workers moves, which all copy at a time, while so many others do
  /// for that share of their time.
  double rate(int team, int others, double share) const {
    const auto part = [&](double whole, int of_one) {
      const int own = std::min(team, of_one);
      return whole / (own + (std::min(team + others, of_one) - own) * share);
    };
    return std::min({worker, part(bus, of_a_bus), part(memory, of_a_memory)});
  }
};

/// Tasks whose data are copied.
struct copied_blocks {
  double count = 0;        ///< that a worker runs, one after the other
  double seconds = 0;      ///< that one computes
  double in = 0, out = 0;  ///< bytes of one
};

/// Gives the seconds that a team takes longer because of the copies, with double buffering, when `workers` in all do
/// the same. Nothing hides the first fetch and the last put. In between a worker takes what its engine or its computing
/// takes, whichever is longer. As long as somebody of the team has no work, nobody fetches ahead (exec/virtual): in
/// teams of more than two, which come and go one by one, that puts the copies of two blocks into the open.
inline double not_hidden(const copy_engines& e, const copied_blocks& b, int width, int workers) {
  if (e.worker <= 0 || b.in + b.out <= 0 || b.count <= 0) return 0;
  double longer = 0, share = 0;
  constexpr int enough = 20;
  for (int i = 0; i < enough; ++i) {  // more copy at a time if they take longer
    const double rate = e.rate(1, workers - 1, share);
    const double fetch = b.in > 0 ? e.latency + b.in / rate : 0, put = b.out > 0 ? e.latency + b.out / rate : 0;
    const double each = fetch + put, computes = b.count * b.seconds;
    const double blocks_in_the_open = 1 + (width > 2 ? std::min(2.0, b.count - 1) : 0);
    longer = blocks_in_the_open * each + std::max(0.0, (b.count - 1) * each - computes);
    share = std::min(1.0, b.count * each / (computes + longer));
  }
  return longer;
}

/// A block of a loop that says what it moves.
struct moving_block {
  double seconds = 0;  ///< that it computes
  double bytes = 0;
};

/// What a worker takes for such blocks, one after the other.
struct paced_blocks {
  double each = 0;
  double last = 0;   ///< that the last one takes longer
  double moves = 0;  ///< how long the engine is busy with one
};

/// Gives that where an engine moves `rate` bytes per second. While a worker computes its engine moves what this block
/// and the one before it have asked for: two start-ups at a time. The data of the last block are waited for, too.
inline paced_blocks paced(const copy_engines& e, const moving_block& b, double rate) {
  const double moves = b.bytes / rate;
  const double each = std::max({b.seconds, moves, (e.latency + moves) / 2});
  return {each, std::max(0.0, e.latency + moves - each), moves};
}

}  // namespace maslin::layers
