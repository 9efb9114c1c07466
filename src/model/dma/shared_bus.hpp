#pragma once
// What workers' copies share, in time that passes from event to event: DMAsim's bus in the limit of short packets,
// where transfers and what waits for them decide when others begin. A worker's transfers follow each other.
//
//     worker ─┐
//     worker ─┴─ bus, in equal parts ─┬─ memory, in equal parts
//     worker ─── bus ─────────────────┘
//
// What a worker gets is the least of what it can move by itself, its part of its bus and its part of its memory. What
// it leaves of one part, because another is less, nobody else gets.

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

namespace maslin::dma {

/// Something that neighbouring workers share.
struct shared_part {
  double bytes_per_ps = std::numeric_limits<double>::infinity();
  int workers = 1;  ///< that share one
};

struct bandwidths {
  double worker_bytes_per_ps = std::numeric_limits<double>::infinity();
  shared_part bus{}, memory{};
};

class shared_bus {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  shared_bus(int workers, const bandwidths& of);

  /// Adds a transfer that begins then, or when the worker's last one is over. `ended` is called when it is over, by
  /// `advance`. No worker's transfer begins before one of its own that was added earlier.
  void add(int worker, std::uint64_t bytes, std::int64_t start_ps, std::function<void()> ended);
  /// Gives when the next transfer begins or is over if none is added; `never` if there is none.
  std::int64_t next_ps() const;
  /// Passes time until then.
  void advance(std::int64_t to_ps);

 private:
  struct transfer {
    double bytes;
    std::int64_t start_ps;
    std::function<void()> ended;
  };
  struct worker {
    std::deque<transfer> waiting;
    bool is_active = false;  ///< the first one has begun
  };

  double rate(int worker) const;
  bool is_over(int number) const;
  void begin_what_may();
  void step(std::int64_t to_ps);

  bandwidths of_;
  std::vector<worker> workers_;
  std::vector<int> busy_;                ///< workers that have a transfer, in the order in which they came
  std::vector<int> on_bus_, at_memory_;  ///< active workers of each
  std::int64_t now_ = 0;
};

}  // namespace maslin::dma
