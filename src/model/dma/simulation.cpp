#include "model/dma/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "maslin/error.hpp"

namespace maslin::dma {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr int most_banks = 1 << 20;
constexpr std::uint64_t most_lines = std::uint64_t{1} << 24;  // the simulation itself keeps about 40 bytes of each

parameters checked(const parameters& p) {
  const auto refuse = [](const std::string& what) { throw error("DMA simulation: " + what); };
  if (p.workers < 1) refuse(fmt::format("{} workers; there must be one at least", p.workers));
  if (p.clusters < 1 || p.clusters > p.workers)
    refuse(fmt::format("{} clusters of {} workers; there must be between 1 and {}", p.clusters, p.workers, p.workers));
  if (p.cycle_ps < 1) refuse(fmt::format("a cycle of {} ps; it must last 1 ps at least", p.cycle_ps));
  if (!std::has_single_bit(p.packet_bytes))
    refuse(fmt::format("packets of {} bytes; their length must be a power of two", p.packet_bytes));
  if (p.cache_bytes % p.packet_bytes != 0 || p.cache_bytes / p.packet_bytes > most_lines)
    refuse(fmt::format("an SL1 of {} bytes; it must hold a whole number of lines of {} bytes, {} at most",
                       p.cache_bytes, p.packet_bytes, most_lines));
  if (p.banks < 1 || p.banks > most_banks)
    refuse(fmt::format("{} banks; there must be between 1 and {}", p.banks, most_banks));
  if (p.banks_by == interleaving::permuted && !std::has_single_bit(static_cast<unsigned>(p.banks)))
    refuse(fmt::format("{} permuted banks; their number must be a power of two", p.banks));
  if (p.page_bytes == 0 || p.page_bytes % p.packet_bytes != 0)
    refuse(fmt::format("pages of {} bytes; their length must be a multiple of a packet's {} bytes", p.page_bytes,
                       p.packet_bytes));
  return p;
}

}  // namespace

simulation::simulation(const parameters& machine)
    : machine_(checked(machine)),
      line_bits_(std::countr_zero(machine.packet_bytes)),
      memory_(machine_),
      streams_(static_cast<std::size_t>(machine.workers)) {
  for (int i = 0; i < machine_.clusters; ++i) clusters_.emplace_back(machine_.cache_bytes / machine_.packet_bytes);
  for (int w = 0; w < machine_.workers; ++w) clusters_[static_cast<std::size_t>(cluster_of(w, machine_))].last = w + 1;
  for (std::size_t i = 1; i < clusters_.size(); ++i) clusters_[i].first = clusters_[i - 1].last;
}

void simulation::add(const operation& o) {
  const auto refuse = [&](const std::string& what) { throw error(fmt::format("DMA operation {}: {}", added_, what)); };
  if (o.worker < 0 || o.worker >= machine_.workers)
    refuse(fmt::format("worker {}; there are {}", o.worker, machine_.workers));
  if (o.start_ps < 0) refuse(fmt::format("a start at {} ps; time begins at 0", o.start_ps));
  if (o.bytes == 0) refuse("0 bytes; there must be one at least");
  constexpr std::uint64_t beyond = std::uint64_t{1} << 63;
  if (o.bytes > beyond || o.address > beyond - o.bytes)
    refuse(fmt::format("{} bytes from address {:#x}; they must end before address {:#x}", o.bytes, o.address, beyond));
  stream& s = streams_[static_cast<std::size_t>(o.worker)];
  const std::int64_t start = o.start_ps / machine_.cycle_ps + (o.start_ps % machine_.cycle_ps != 0);
  if (!s.done() && o.start_ps < s.waiting.back().start_ps) s.sorted = false;
  s.waiting.push_back({start, o.start_ps, o.address, o.address + o.bytes, added_++, o.way});
}

/// Gives the last one whose time is a number of picoseconds.
std::int64_t simulation::last_cycle() const { return never / machine_.cycle_ps; }

/// The token finds the operations of a worker in the order of their starts.
void simulation::order(stream& s) {
  if (s.sorted) return;
  std::stable_sort(s.waiting.begin() + static_cast<std::ptrdiff_t>(s.at), s.waiting.end(),
                   [](const queued& a, const queued& b) { return a.start_ps < b.start_ps; });
  s.sorted = true;
}

/// Finds the workers of a cluster whose oldest operation is active.
void simulation::admit(cluster_state& c) {
  c.active.clear();
  c.next_start = never;
  for (int w = c.first; w < c.last; ++w) {
    const stream& s = streams_[static_cast<std::size_t>(w)];
    if (s.done()) continue;
    const std::int64_t start = s.waiting[s.at].start;
    if (start <= cycle_)
      c.active.push_back(w);
    else
      c.next_start = std::min(c.next_start, start);
  }
  const auto at = std::lower_bound(c.active.begin(), c.active.end(), c.turn);
  c.token = at == c.active.end() ? 0 : static_cast<std::size_t>(at - c.active.begin());
}

simulation::packet simulation::next_packet(const cluster_state& c) const {
  const stream& s = streams_[static_cast<std::size_t>(c.active[c.token])];
  const queued& q = s.waiting[s.at];
  const std::uint64_t line = q.address >> line_bits_;
  const std::uint64_t end = std::min(q.end, (line + 1) << line_bits_);
  return {line, end, q.way == direction::put, end - q.address == machine_.packet_bytes};
}

bool simulation::needs_memory(const cluster_state& c, const packet& p) const {
  if (c.cache.capacity() == 0) return true;
  if (c.cache.find(p.line) != lru_lines::absent) return false;
  return !p.put || !p.whole || (c.cache.full() && c.cache.oldest_is_dirty());
}

/// A packet reaches SL1.
void simulation::pass(cluster_state& c, const packet& p) {
  counts& n = c.happened;
  ++(p.put ? n.puts : n.gets);
  if (c.cache.capacity() == 0) {
    ++(p.put ? n.writes : n.reads);
    memory_.access(p.line);
    return;
  }
  if (const auto place = c.cache.find(p.line); place != lru_lines::absent) {
    ++n.hits;
    c.cache.touch(place, p.put);
    return;
  }
  const auto out = c.cache.insert(p.line, p.put);
  if (out.dirty) {
    ++n.writes;
    memory_.access(out.line);
  }
  if (!p.put || !p.whole) {
    ++n.reads;
    memory_.access(p.line);
  }
}

/// The holder of the token has sent its packet, and gives the token away at the end of this cycle.
void simulation::advance(cluster_state& c, const packet& p) {
  c.turn = c.active[c.token] + 1;
  stream& s = streams_[static_cast<std::size_t>(c.active[c.token])];
  ++s.packets;
  queued& q = s.waiting[s.at];
  q.address = p.end;
  bool stays = true;
  if (q.address == q.end) {
    if (notes_ends_) ends_[q.number] = cycle_ < last_cycle() ? (cycle_ + 1) * machine_.cycle_ps : never;
    ++s.at;
    if (s.done() || s.waiting[s.at].start > cycle_ + 1) {
      stays = false;
      if (!s.done()) c.next_start = std::min(c.next_start, s.waiting[s.at].start);
    }
  }
  if (stays)
    ++c.token;
  else
    c.active.erase(c.active.begin() + static_cast<std::ptrdiff_t>(c.token));
  if (c.token >= c.active.size()) c.token = 0;
}

void simulation::run_alone(cluster_state& c) {
  for (;;) {
    if (c.next_start <= cycle_) admit(c);
    if (c.active.empty()) {
      if (c.next_start == never) return;
      cycle_ = c.next_start;
      continue;
    }
    const packet p = next_packet(c);
    pass(c, p);
    advance(c, p);
    ++cycle_;
  }
}

void simulation::run_together() {
  const std::size_t n = clusters_.size();
  for (;;) {
    std::int64_t next = never;
    bool any = false;
    for (cluster_state& c : clusters_) {
      if (c.next_start <= cycle_) admit(c);
      any |= !c.active.empty();
      next = std::min(next, c.next_start);
    }
    if (!any) {
      if (next == never) return;
      cycle_ = next;
      continue;
    }
    bool memory_is_used = false;
    const std::size_t asked_first = machine_.memory_goes_to == priority::rotating ? memory_token_ : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t number = (asked_first + i) % n;
      cluster_state& c = clusters_[number];
      if (c.active.empty()) continue;
      const packet p = next_packet(c);
      if (needs_memory(c, p)) {
        if (memory_is_used) {
          ++c.happened.stalls;
          continue;
        }
        memory_is_used = true;
        memory_token_ = (number + 1) % n;
      }
      pass(c, p);
      advance(c, p);
    }
    ++cycle_;
  }
}

void simulation::run() {
  if (notes_ends_) ends_.resize(added_, 0);
  for (stream& s : streams_) order(s);
  for (cluster_state& c : clusters_) {
    c.active.clear();
    c.next_start = 0;
  }
  if (clusters_.size() == 1)
    run_alone(clusters_[0]);
  else
    run_together();
  if (cycle_ > last_cycle())
    throw error(fmt::format(
        "DMA simulation: the last packet arrives in cycle {} of {} ps, after more than 106 days; expected a "
        "faster bus or fewer bytes",
        cycle_, machine_.cycle_ps));
  for (stream& s : streams_) {
    s.waiting.clear();
    s.at = 0;
  }
}

std::uint64_t simulation::packets_of(int worker) const { return streams_[static_cast<std::size_t>(worker)].packets; }

counts simulation::total() const {
  counts sum;
  for (const cluster_state& c : clusters_) sum += c.happened;
  return sum;
}

std::uint64_t simulation::dirty() const {
  std::uint64_t sum = 0;
  for (const cluster_state& c : clusters_) sum += c.cache.dirty();
  return sum;
}

}  // namespace maslin::dma
