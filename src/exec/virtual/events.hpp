#pragma once
// What happens when, in virtual time.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace maslin {

using picoseconds = std::int64_t;

struct event {
  picoseconds when;
  std::uint64_t order;  ///< of those at one time, the one that was scheduled first comes first
  int worker;
};

/// A heap of events, the earliest first.
class event_queue {
 public:
  bool empty() const { return events_.empty(); }
  picoseconds next() const { return events_.front().when; }
  void add(picoseconds when, int worker) {
    events_.push_back({when, ++order_, worker});
    std::push_heap(events_.begin(), events_.end(), later);
  }
  event take() {
    std::pop_heap(events_.begin(), events_.end(), later);
    const event first = events_.back();
    events_.pop_back();
    return first;
  }

 private:
  static bool later(const event& a, const event& b) { return a.when != b.when ? a.when > b.when : a.order > b.order; }
  std::vector<event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace maslin
