#pragma once
// What happens when, in virtual time.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace maslin {

using picoseconds = std::int64_t;

/// Of those at one time, code that goes on comes before who looks around for something; among equals, the one that was
/// added first.
struct event {
  picoseconds when;
  bool goes_on;
  std::uint64_t order;
  int processor;
};

/// A heap of events, the earliest first.
class event_queue {
 public:
  bool empty() const { return events_.empty(); }
  const event& next() const { return events_.front(); }
  /// Gives the event's `order`, which no other has.
  std::uint64_t add(picoseconds when, int processor, bool goes_on = false) {
    events_.push_back({when, goes_on, ++order_, processor});
    std::push_heap(events_.begin(), events_.end(), later);
    return order_;
  }
  void drop() {
    std::pop_heap(events_.begin(), events_.end(), later);
    events_.pop_back();
  }

 private:
  static bool later(const event& a, const event& b) {
    if (a.when != b.when) return a.when > b.when;
    return a.goes_on != b.goes_on ? b.goes_on : a.order > b.order;
  }
  std::vector<event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace maslin
