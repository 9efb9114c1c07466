#pragma once
// What happens when, in virtual time.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace maslin {

using picoseconds = std::int64_t;

struct event {
  picoseconds when;
  std::uint64_t order;  ///< of those at one time, the one that was added first comes first
  int processor;
};

/// A heap of events, the earliest first.
class event_queue {
 public:
  bool empty() const { return events_.empty(); }
  const event& next() const { return events_.front(); }
  /// Gives the event's `order`, which no other has.
  std::uint64_t add(picoseconds when, int processor) {
    events_.push_back({when, ++order_, processor});
    std::push_heap(events_.begin(), events_.end(), later);
    return order_;
  }
  void drop() {
    std::pop_heap(events_.begin(), events_.end(), later);
    events_.pop_back();
  }

 private:
  static bool later(const event& a, const event& b) { return a.when != b.when ? a.when > b.when : a.order > b.order; }
  std::vector<event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace maslin
