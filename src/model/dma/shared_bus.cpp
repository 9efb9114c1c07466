#include "model/dma/shared_bus.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace maslin::dma {

namespace {

constexpr double rounding_ps = 1e-3;  // times are whole picoseconds: what is left for less than that is over

std::size_t count(int workers, const shared_part& part) {
  return static_cast<std::size_t>((workers + part.workers - 1) / part.workers);
}
int& of(std::vector<int>& active, int worker, const shared_part& part) {
  return active[static_cast<std::size_t>(worker / part.workers)];
}

}  // namespace

shared_bus::shared_bus(int workers, const bandwidths& of)
    : of_(of),
      workers_(static_cast<std::size_t>(workers)),
      on_bus_(count(workers, of.bus)),
      at_memory_(count(workers, of.memory)) {}

void shared_bus::add(int number, std::uint64_t bytes, std::int64_t start_ps, std::function<void()> ended) {
  worker& w = workers_[static_cast<std::size_t>(number)];
  if (w.waiting.empty()) busy_.push_back(number);
  w.waiting.push_back({static_cast<double>(bytes), std::max(start_ps, now_), std::move(ended)});
  begin_what_may();
}

double shared_bus::rate(int number) const {
  const auto part = [&](const std::vector<int>& active, const shared_part& p) {
    return p.bytes_per_ps / std::max(1, active[static_cast<std::size_t>(number / p.workers)]);
  };
  return std::min({of_.worker_bytes_per_ps, part(on_bus_, of_.bus), part(at_memory_, of_.memory)});
}

bool shared_bus::is_over(int number) const {
  const worker& w = workers_[static_cast<std::size_t>(number)];
  return w.is_active && w.waiting.front().bytes <= 2 * rounding_ps * rate(number);
}

void shared_bus::begin_what_may() {
  for (const int number : busy_) {
    worker& w = workers_[static_cast<std::size_t>(number)];
    if (w.is_active || w.waiting.front().start_ps > now_) continue;
    w.is_active = true;
    ++of(on_bus_, number, of_.bus);
    ++of(at_memory_, number, of_.memory);
  }
}

std::int64_t shared_bus::next_ps() const {
  std::int64_t next = never;
  for (const int number : busy_) {
    const worker& w = workers_[static_cast<std::size_t>(number)];
    const transfer& first = w.waiting.front();
    if (!w.is_active) {
      next = std::min(next, first.start_ps);
      continue;
    }
    const double left = std::ceil(std::max(0.0, first.bytes / rate(number) - rounding_ps));
    next = std::min(next, left < static_cast<double>(never - now_) ? now_ + static_cast<std::int64_t>(left) : never);
  }
  return next;
}

/// Nothing begins or is over before that time.
void shared_bus::step(std::int64_t to_ps) {
  const auto passed = static_cast<double>(to_ps - now_);
  if (passed > 0)
    for (const int number : busy_)
      if (worker& w = workers_[static_cast<std::size_t>(number)]; w.is_active)
        w.waiting.front().bytes -= std::min(w.waiting.front().bytes, passed * rate(number));
  now_ = to_ps;
  std::vector<std::function<void()>> over;
  std::vector<int> ended;
  std::ranges::copy_if(busy_, std::back_inserter(ended), [&](int number) { return is_over(number); });
  for (const int number : ended) {
    worker& w = workers_[static_cast<std::size_t>(number)];
    over.push_back(std::move(w.waiting.front().ended));
    w.waiting.pop_front();
    w.is_active = false;
    --of(on_bus_, number, of_.bus);
    --of(at_memory_, number, of_.memory);
  }
  std::erase_if(busy_, [&](int number) { return workers_[static_cast<std::size_t>(number)].waiting.empty(); });
  begin_what_may();
  for (const auto& tell : over) tell();
}

void shared_bus::advance(std::int64_t to_ps) {
  for (std::int64_t next = next_ps(); next <= to_ps && next != never; next = next_ps()) step(std::max(next, now_));
  if (to_ps > now_) step(to_ps);
}

}  // namespace maslin::dma
