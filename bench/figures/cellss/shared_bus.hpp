#pragma once
// A bus that workers share in equal parts, in time that passes from event to event: DMAsim's in the limit of short
// packets, where transfers and what waits for them decide when others begin. A worker's transfers follow each other.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <vector>

namespace cellss {

class shared_bus {
 public:
  shared_bus(int workers, double bytes_per_ns)
      : waiting_(static_cast<std::size_t>(workers)), bytes_per_ns_(bytes_per_ns) {}

  /// Begins a transfer now. `ended` is called when it is over, by `advance`.
  void add(int worker, double bytes, std::function<void()> ended) {
    auto& queue = waiting_[static_cast<std::size_t>(worker)];
    active_ += queue.empty();
    queue.push_back({bytes, std::move(ended)});
  }

  /// Gives when the next transfer is over if no other begins; infinity if there is none.
  double next_end() const {
    if (active_ == 0) return std::numeric_limits<double>::infinity();
    double least = std::numeric_limits<double>::infinity();
    for (const auto& queue : waiting_)
      if (!queue.empty()) least = std::min(least, queue.front().bytes);
    return now_ + least * active_ / bytes_per_ns_;
  }

  /// Passes time until then, which is not behind `next_end()`. What is over then has ended.
  void advance(double to) {
    const double moved = active_ > 0 ? (to - now_) * bytes_per_ns_ / active_ : 0;
    const bool at_end = to >= next_end();
    now_ = to;
    double least = std::numeric_limits<double>::infinity();
    for (auto& queue : waiting_)
      if (!queue.empty()) least = std::min(least, queue.front().bytes -= moved);
    if (!at_end) return;
    std::vector<std::function<void()>> over;
    for (auto& queue : waiting_)
      if (!queue.empty() && queue.front().bytes <= least + rounding_bytes) {
        over.push_back(std::move(queue.front().ended));
        queue.pop_front();
        active_ -= queue.empty();
      }
    for (const auto& ended : over) ended();
  }

 private:
  static constexpr double rounding_bytes = 1e-6;
  struct transfer {
    double bytes;
    std::function<void()> ended;
  };
  std::vector<std::deque<transfer>> waiting_;  ///< by worker
  double bytes_per_ns_;
  double now_ = 0;
  int active_ = 0;  ///< workers that transfer
};

}  // namespace cellss
