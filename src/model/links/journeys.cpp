#include "model/links/journeys.hpp"

#include <algorithm>

namespace maslin::links {

/// Gives the place of the last part of its way; `across` is one part.
std::uint8_t journeys::last_hop(const journey& m) const {
  if (is_on_one_worker(m)) return 0;
  return static_cast<std::uint8_t>(way_of(m).out.size() + way_of(m).in.size());
}

progress journeys::send(journey& m, std::int64_t now) {
  progress what;
  what.is_sent = m.is_sent = m.is_eager && (is_on_one_worker(m) || way_of(m).out.empty());
  move(m, now, what);
  return what;
}

std::int64_t journeys::ask(std::uint32_t from, std::uint32_t to, bool is_eager, std::int64_t now) {
  if (from == to) return now;
  const route& way = on_.between(from, to);
  if (!way.is_direct()) return way.in.empty() ? now : traffic_.pass_out(way.out.front(), to, descriptor_bytes, now);
  return is_eager ? now : traffic_.cross(way, to, from, descriptor_bytes, now);
}

progress journeys::receive(journey& m, std::int64_t now, std::int64_t asked_at) {
  m.is_asked = true;
  m.asked_at = asked_at;
  progress what;
  what.is_received = m.is_there;
  if (m.waits) move(m, now, what);
  return what;
}

/// It moves by one part of its way, if it can.
void journeys::move(journey& m, std::int64_t now, progress& what) {
  const bool is_here = is_on_one_worker(m);
  const route& way = way_of(m);
  const auto outs = is_here ? std::uint8_t{0} : static_cast<std::uint8_t>(way.out.size());
  const std::uint8_t last = last_hop(m);
  // Behind a host, what the receiver has not asked for stays with its host.
  const bool needs_receiver = m.hop == last && (last > 0 || !m.is_eager);
  m.waits = needs_receiver && !m.is_asked;
  if (m.waits) return;
  const std::int64_t begin = needs_receiver ? std::max(now, m.asked_at) : now;
  std::int64_t then = begin;
  if (!is_here && m.hop < outs)
    then = traffic_.pass_out(way.out[m.hop], m.from, m.bytes, begin);
  else if (!is_here && m.hop > outs)
    then = traffic_.pass_in(way.in[m.hop - outs - 1U], m.to, m.bytes, begin);
  else if (!is_here)
    then = traffic_.cross(way, m.from, m.to, m.bytes, begin);
  if (!is_here && way.is_direct()) then = traffic_.cross(way, m.from, m.to, flag_bytes, then);
  ++m.hop;
  what.next = then;
}

progress journeys::advance(journey& m, std::int64_t now) {
  progress what;
  const bool is_over = m.hop > last_hop(m);
  what.is_sent = !m.is_sent && (m.is_eager || is_over);
  m.is_sent |= what.is_sent;
  if (!is_over) {
    move(m, now, what);
    return what;
  }
  m.is_there = true;
  what.is_received = m.is_asked;
  return what;
}

}  // namespace maslin::links
