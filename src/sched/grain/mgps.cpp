#include "sched/grain/mgps.hpp"

#include <algorithm>
#include <utility>

namespace maslin::grain {

mgps::mgps(const situation& begin) : workers_(0), left_(std::max<std::int64_t>(begin.streams, 1)) {
  mgps::resize(begin.workers);
}

void mgps::resize(int workers) {
  workers_ = std::max(workers, 1);
  const int width = std::min(width_, workers_);
  current_ = {static_cast<int>(std::min<std::int64_t>(workers_ / width, left_)), width};
  epoch_ = {};  // what other workers did says nothing of these
}

void mgps::departed(const departures& off_loads) {
  if (hybrid()) return;
  epoch_.count += off_loads.count;
  epoch_.on_workers += off_loads.on_workers;
  if (epoch_.count < epoch_off_loads) return;
  const departures seen = std::exchange(epoch_, {});

  if (2 * seen.on_workers >= seen.count * workers_) return;  // 50 % is not under 50 %
  const std::int64_t busy = (seen.on_workers + seen.count - 1) / seen.count;
  const std::int64_t idle = workers_ - busy;
  const std::int64_t active = std::clamp<std::int64_t>(left_, 1, current_.streams);
  // A stream that has not off-loaded keeps its worker all the same, so no more can be given away than have no stream.
  const std::int64_t width = std::min(1 + idle / active, workers_ / active);
  if (width == 1) return;
  width_ = static_cast<int>(width);
  current_ = {static_cast<int>(active), width_};
}

}  // namespace maslin::grain
