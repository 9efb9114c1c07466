#include "exec/virtual/described_links.hpp"

#include <algorithm>
#include <utility>

#include "exec/virtual/monitor_guard.hpp"
#include "task/context.hpp"

namespace maslin {

namespace {

// So long a look takes whose time is not measured.
constexpr picoseconds look_ps = 100'000;

}  // namespace

described_links::described_links(virtual_executor& exec, int number, links::network on)
    : message_links(std::move(on)), processor(number), exec_(exec) {}

int described_links::worker_apart(int place, int count) const {
  const virtual_executor::monitor_guard calling(exec_, false);
  return exec_.worker_apart(place, count);
}

// Ranks are fibers, so they are inside in any case.
bool described_links::begin_moment() { return exec_.enter(false).ran; }
void described_links::end_moment(bool passed) noexcept { exec_.leave({true, passed}); }

void described_links::look() {
  const virtual_executor::monitor_guard calling(exec_, false);
  if (!exec_.times_.only_declared && !current_context().declares) return;
  processor& p = *exec_.here();
  p.clock = later(p.clock, look_ps);
}

std::int64_t described_links::now() const { return exec_.here()->clock; }

void described_links::expect(link_event& what, std::int64_t at_ps) {
  events_.emplace(at_ps, &what);
  exec_.expect(*this, events_.begin()->first, true);
}

void described_links::forget(link_event& what) {
  const virtual_executor::monitor_guard calling(exec_, false);
  std::erase_if(events_, [&what](const auto& one) { return one.second == &what; });
  if (events_.empty()) expected = 0;  // nobody waits for that moment
}

/// Lets everything happen whose time has come.
virtual_fiber* described_links::choose() {
  processor* const before = std::exchange(exec_.current_, this);
  came_at = clock;
  while (!events_.empty() && events_.begin()->first <= clock) {
    link_event& next = *events_.begin()->second;
    events_.erase(events_.begin());
    next.happens(clock);
  }
  exec_.current_ = before;
  if (!events_.empty()) exec_.expect(*this, events_.begin()->first, true);
  return nullptr;
}

}  // namespace maslin
