#include "model/links/traffic.hpp"

#include <algorithm>

namespace maslin::links {

namespace {

/// Gives when the message begins to pass; the next one waits until it has passed.
std::int64_t begin(std::int64_t& free, std::int64_t now, std::int64_t holds) {
  const std::int64_t at = std::max(now, free);
  free = at + holds;
  return at;
}

}  // namespace

traffic::traffic(const network& on) : on_(on) {
  for (const hop& h : on.hops) {
    out_.emplace_back((on.workers + h.shared_by - 1) / h.shared_by);
    in_.emplace_back(out_.back().size());
  }
}

std::int64_t traffic::pass(std::uint32_t hop, instances& of, std::uint32_t worker, std::int64_t bytes,
                           std::int64_t now) {
  const links::hop& h = on_.hops[hop];
  return begin(of[hop][worker / h.shared_by], now, h.holds_ps(bytes)) + h.takes_ps(bytes);
}

std::int64_t traffic::cross(const route& way, std::uint32_t from, std::uint32_t to, std::int64_t bytes,
                            std::int64_t now) {
  double slowest = 0;
  for (const std::uint32_t hop : way.across) {
    const links::hop& h = on_.hops[hop];
    const std::int64_t holds = h.holds_ps(bytes);
    now = begin(out_[hop][from / h.shared_by], now, holds);
    now = begin(in_[hop][to / h.shared_by], now, holds) + h.startup_ps;
    slowest = std::max(slowest, h.byte_ps);
  }
  return now + hop::bytes_ps(slowest, bytes);
}

}  // namespace maslin::links
