#pragma once
// What happens when, in virtual time.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace maslin {

using picoseconds = std::int64_t;

/// Virtual time goes no further: 9,000,000 s.
constexpr picoseconds end_of_time = 9'000'000'000'000'000'000;
/// Gives the time that comes so much later, or the end of time. Neither is negative.
constexpr picoseconds later(picoseconds when, picoseconds by) noexcept {
  return by >= end_of_time - when ? end_of_time : when + by;
}
/// Gives so many picoseconds as a whole number, up to the end of time.
constexpr picoseconds whole_picoseconds(double time) noexcept {
  return time >= static_cast<double>(end_of_time) ? end_of_time : static_cast<picoseconds>(time);
}

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
