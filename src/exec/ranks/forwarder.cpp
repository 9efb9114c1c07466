#include "exec/ranks/forwarder.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "base/fence.hpp"
#include "base/lock.hpp"
#include "comm/between_processes.hpp"
#include "exec/node/segment.hpp"

namespace maslin {

using comm::packet;
using how = comm::ranks_found::how;
using namespace std::chrono_literals;

namespace {

// So many packets of a process are read before those of the next one, and so many parcels before packets.
constexpr int packets_in_turn = 64, parcels_in_turn = 4;
// The copies of so many ranks are looked at in one of so many rounds.
constexpr std::size_t ranks_in_turn = 64;
constexpr unsigned rounds_between = 16;
// A rank is said to be full when as many copies wait for it as its senders count, and not to be when half of them do.
constexpr std::int32_t full = node_memory::most_kept, no_longer_full = full / 2;
// How long it looks for what comes before it sleeps, if it has a CPU of its own. Nothing wakes who waits for the
// network, so it sleeps for a part of the time since something came: a message that comes then is late by so much of
// its delay.
constexpr auto spin_time = 100us;
constexpr int part_slept = 8;
constexpr std::chrono::nanoseconds least_sleep = 5us, most_sleep = 1ms;
// A job that was ended before its time does not wait longer for nodes that say nothing.
constexpr auto patience = 3s;

std::size_t rounded(std::size_t bytes) { return (bytes + 7) / 8 * 8; }
std::size_t bytes_beside(const packet& one) { return one.has_room_for_its_bytes() ? 0 : one.bytes; }

}  // namespace

forwarder::forwarder(node_network& by, const process_of_job& of, int ranks, void* memory)
    : by_(by),
      node_(of, ranks, memory),
      me_(node_.forwarder()),
      own_node_(of.node()),
      nodes_(of.nodes()),
      ranks_here_([&] {
        const std::vector<int> all = of.process_of_rank.empty() ? in_blocks(ranks, of.count) : of.process_of_rank;
        std::vector<int> here;
        for (int rank = 0; rank < ranks; ++rank)
          if (node_.is_here(all[static_cast<std::size_t>(rank)])) here.push_back(rank);
        return here;
      }()),
      is_held_(static_cast<std::size_t>(node_.processes())),
      reads_directly_(!of.copies_in_pieces),
      waiting_(static_cast<std::size_t>(node_.processes())),
      written_(static_cast<std::size_t>(node_.processes())),
      numbers_before_(static_cast<std::size_t>(node_.processes())),
      statuses_(static_cast<std::size_t>(nodes_)) {
  for (int node = 0; node < nodes_; ++node)
    if (node != own_node_) links_.push_back({node, nullptr, 0, {}, {}, std::vector<bool>(ranks_here_.size())});
  for (auto& reports : reports_) reports.resize(static_cast<std::size_t>(nodes_));
}

std::optional<std::vector<int>> forwarder::run() {
#ifdef PR_SET_TIMERSLACK
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);  // in ns: `rest` sleeps for less than the 50 us by which timers are late
#endif
  node_.tell_cores(me_, 1, INT_MAX);
  node_.at(me_).bell.begin_wait();  // whatever is written for it is to be read
  for (;;) {
    bool any = read_parcels();
    any |= say_notices();  // before there is something else to fill parcels
    any |= write_waiting();
    any |= read_rings();
    any |= send_fetched();
    if (!any || ++rounds_ % rounds_between == 0) any |= say_kept();
    any |= come_to_end();
    any |= report();
    any |= send_parcels();
    if (has_ended()) {
      std::vector<int> all;
      for (const std::optional<int>& one : statuses_) all.push_back(*one);
      return all;
    }
    if (is_early_ && has_said_bye_ && clock::now() - said_bye_at_ > patience) return std::nullopt;
    if (any)
      active_at_ = clock::now();
    else
      rest();
  }
}

void forwarder::rest() {
  const auto idle = clock::now() - active_at_;
  if (!has_cores_) has_cores_ = node_.has_cores();
  if (idle < spin_time && has_cores_.value_or(false)) return base::relax();
  comm::doorbell& bell = node_.at(me_).bell;
  const std::uint32_t rung = bell.word().load(std::memory_order_acquire);
  bell.lie_down();
  bool has_come = false;
  for (int member = 0; member < node_.processes() && !is_over_; ++member)
    has_come |= !is_held_[static_cast<std::size_t>(member)] && node_.ring(member, me_).has_some();
  if (!has_come)
    node::sleep_at(bell.word(), rung, std::clamp<std::chrono::nanoseconds>(idle / part_slept, least_sleep, most_sleep));
  bell.get_up();
}

// To other nodes.

bool forwarder::has_room(link& to, std::size_t bytes) {
  const std::size_t needed = sizeof(record) + rounded(bytes);
  if (to.room && to.used + needed > node_network::most_bytes) {
    by_.send(to.node, std::exchange(to.used, 0));
    to.room = nullptr;
  }
  if (!to.room) to.room = by_.room(to.node);
  return to.room != nullptr;
}

void forwarder::add(link& to, const record& head, const void* bytes, std::size_t size) {
  std::memcpy(to.room + to.used, &head, sizeof head);
  if (size > 0) std::memcpy(to.room + to.used + sizeof head, bytes, size);
  to.used += sizeof head + rounded(size);
}

bool forwarder::send_parcels() {
  bool any = false;
  for (link& to : links_) {
    if (to.used == 0) continue;
    by_.send(to.node, std::exchange(to.used, 0));
    to.room = nullptr;
    any = true;
  }
  return any;
}

bool forwarder::read_rings() {
  if (is_over_) return false;
  bool any = false;
  for (int member = 0; member < node_.processes(); ++member) {
    node_memory::packets& from = node_.ring(member, me_);
    bool is_to_tell = false, is_held = false;
    for (int i = 0; i < packets_in_turn; ++i) {
      const auto one = from.first();
      if (!one) break;
      comm::hears_process(&node_.ring(me_, member));
      const int node = one.peer / node_.processes();
      link& to = links_[static_cast<std::size_t>(node < own_node_ ? node : node - 1)];
      const std::size_t bytes = bytes_beside(*one.head);
      is_held = !has_room(to, bytes);
      if (is_held) break;  // what is behind it waits, too: packets keep their order
      add(to, {*one.head, node_.process_at(member), one.peer}, one.data, bytes);
      ++packets_sent_;
      is_to_tell |= from.pop();
      any = true;
    }
    is_held_[static_cast<std::size_t>(member)] = is_held;
    if (!is_to_tell) continue;
    MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `gateway::flush`
    if (from.takes_wait_back()) {
      written_[static_cast<std::size_t>(member)] = news::urgent;
      rouse_written();
    }
  }
  return any;
}

bool forwarder::say_notices() {
  bool any = false;
  for (link& to : links_)
    while (!to.notices.empty() && has_room(to, 0)) {
      record one{{}, own_node_, record::forwarder};
      std::memcpy(static_cast<void*>(&one.head), &to.notices.front(), sizeof(notice));
      add(to, one, nullptr, 0);
      to.notices.pop_front();
      any = true;
    }
  return any;
}

void forwarder::tell_all(const notice& one) {
  for (link& to : links_) to.notices.push_back(one);
}

bool forwarder::say_kept() {
  if (is_over_) return false;
  bool any = false;
  const std::size_t looked_at = std::min(ranks_in_turn, ranks_here_.size());
  for (std::size_t i = 0; i < looked_at; ++i) {
    const std::size_t place = next_rank_;
    next_rank_ = (next_rank_ + 1) % ranks_here_.size();
    const int rank = ranks_here_[place];
    const std::int32_t kept = node_.kept(rank).load(std::memory_order_relaxed);
    for (link& to : links_) {
      const bool is_full = kept >= (to.is_told_full[place] ? no_longer_full : full);
      if (is_full == to.is_told_full[place] || to.notices.size() >= ranks_in_turn) continue;  // later
      to.is_told_full[place] = is_full;
      to.notices.push_back({notice::what::kept, rank, is_full ? full : 0});
      any = true;
    }
  }
  return any;
}

bool forwarder::read_memory(int process, std::uint64_t from, std::byte* to, std::size_t bytes) noexcept {
  const auto pid = node_.at(node_.member_for(process)).pid.load(std::memory_order_relaxed);
  for (std::size_t done = 0; done < bytes;) {
    const iovec here{to + done, bytes - done};
    const iovec there{reinterpret_cast<void*>(static_cast<std::uintptr_t>(from + done)), bytes - done};
    const ssize_t some = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (some <= 0) return false;
    done += static_cast<std::size_t>(some);
  }
  return true;
}

bool forwarder::begin_fetch(const record& wanted) {
  std::byte first;
  if (!reads_directly_ || !read_memory(wanted.to, wanted.head.whole.at, &first, 1)) {
    reads_directly_ = false;  // the system does not let it
    return false;
  }
  const int node = wanted.from / node_.processes();
  links_[static_cast<std::size_t>(node < own_node_ ? node : node - 1)].fetches.push_back({wanted});
  return true;
}

bool forwarder::send_piece(link& to) {
  fetch& one = to.fetches.front();
  const packet& wanted = one.wanted.head;
  const std::size_t bytes = std::min<std::size_t>(wanted.whole.extent - one.sent, node_memory::packets::most_bytes);
  if (!has_room(to, bytes)) return false;
  std::byte* const at = to.room + to.used;
  packet told;
  told.is = packet::what::taken;
  if (read_memory(one.wanted.to, wanted.whole.at + one.sent, at + sizeof(record), bytes)) {
    record head{{}, one.wanted.to, one.wanted.from};
    head.head.is = packet::what::piece;
    head.head.bytes = static_cast<std::uint16_t>(bytes);
    head.head.whole = {wanted.whole.extent, wanted.whole.address, one.sent};
    std::memcpy(at, &head, sizeof head);
    to.used += sizeof head + rounded(bytes);
    one.sent += bytes;
    ++packets_sent_;
    if (one.sent < wanted.whole.extent) return true;
    told.id = wanted.id;
  } else {
    told = wanted;  // the process is to do it, from the beginning
  }
  waiting_[static_cast<std::size_t>(node_.member_for(one.wanted.to))].push_back({told, one.wanted.from});
  to.fetches.pop_front();
  return true;
}

bool forwarder::send_fetched() {
  if (is_over_) return false;
  bool any = false;
  for (link& to : links_)
    while (!to.fetches.empty() && send_piece(to)) any = true;
  return any;
}

// From other nodes.

bool forwarder::write(int member, const packet& head, int from, const std::byte* bytes) {
  node_memory::packets& to = node_.ring(me_, member);
  const auto room = to.room(head.is, head.bytes, from);
  if (!room) return false;
  *room.head = head;
  if (const std::size_t beside = bytes_beside(head)) std::memcpy(room.data, bytes, beside);
  to.publish();
  news& its = written_[static_cast<std::size_t>(member)];
  its = std::max(its, head.is_urgent() ? news::urgent : news::some);
  return true;
}

bool forwarder::write_or_wait(int member, const packet& head, int from, const std::byte* bytes) {
  if (write(member, head, from, bytes)) return true;
  node_.ring(me_, member).await_room();
  MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `gateway::poll_locked`
  if (write(member, head, from, bytes)) return true;
  written_[static_cast<std::size_t>(member)] = news::urgent;  // it waits until somebody reads
  return false;
}

void forwarder::rouse_written() {
  for (int member = 0; member < node_.processes(); ++member) {
    const news its = std::exchange(written_[static_cast<std::size_t>(member)], news::none);
    comm::doorbell& bell = node_.at(member).bell;
    if (its == news::none || !bell.is_to_be_rung(its == news::urgent)) continue;
    bell.ring();
    node::wake_sleepers(bell.word());
  }
}

bool forwarder::write_waiting() {
  bool any = false;
  for (int member = 0; member < node_.processes(); ++member) {
    std::deque<short_one>& its = waiting_[static_cast<std::size_t>(member)];
    if (is_over_) its.clear();
    while (!its.empty() && write_or_wait(member, its.front().head, its.front().from, nullptr)) {
      its.pop_front();
      any = true;
    }
  }
  rouse_written();
  return any;
}

bool forwarder::read_parcels() {
  bool any = false;
  for (int i = 0; i < parcels_in_turn; ++i) {
    if (parcel_.empty()) {
      parcel_ = by_.first();
      parcel_read_ = 0;
    }
    if (parcel_.empty()) break;
    const std::size_t before = parcel_read_;
    const bool is_read = read_parcel();
    any |= is_read || parcel_read_ != before;
    if (!is_read) break;
    parcel_ = {};
    by_.pop();
  }
  rouse_written();
  return any;
}

bool forwarder::read_parcel() {
  while (parcel_read_ < parcel_.size()) {
    record one;
    const std::byte* const at = parcel_.data() + parcel_read_;
    std::memcpy(static_cast<void*>(&one), at, sizeof one);
    if (one.to == record::forwarder) {
      notice told;
      std::memcpy(static_cast<void*>(&told), &one.head, sizeof told);
      hear(one.from, told);
      parcel_read_ += sizeof one;
      continue;
    }
    if (!is_over_) {
      const bool is_fetched = one.head.is == packet::what::wanted && begin_fetch(one);
      if (!is_fetched && !write_or_wait(node_.member_for(one.to), one.head, one.from, at + sizeof one)) return false;
      ++packets_received_;
    }
    parcel_read_ += sizeof one + rounded(bytes_beside(one.head));
  }
  return true;
}

void forwarder::hear(int node, const notice& one) {
  switch (one.is) {
    case notice::what::kept:
      return node_.kept(one.number).store(one.value, std::memory_order_relaxed);
    case notice::what::report:
      return add_report(node, one);
    case notice::what::ended:
      ++ended_;
      return;
    case notice::what::early:
      if (!std::exchange(is_early_, true)) by_.end_here();
      return;
    case notice::what::bye:
      statuses_[static_cast<std::size_t>(node)] = one.value;
  }
}

// Do all ranks wait for each other?

std::optional<forwarder::notice> forwarder::own_report() const {
  notice made{notice::what::report, report_, INT_MAX};
  made.found.are = how::ended;
  bool is_moving = !parcel_.empty();
  for (int member = 0; member < node_.processes(); ++member) {
    const auto its = node_.at(member).report.look();
    if (!its || !its->is_well_behind(numbers_before_[static_cast<std::size_t>(member)])) return {};
    is_moving |= its->found.are == how::moving || !waiting_[static_cast<std::size_t>(member)].empty();
    if (its->found.are == how::asleep) {
      made.found.are = how::asleep;
      made.value = std::min(made.value, node_.process_at(member));
    }
    made.found.sleeps += its->found.sleeps;
    made.found.handled += its->found.handled;
  }
  for (int from = 0; from < node_.members(); ++from)
    for (int to = 0; to < node_.members(); ++to) is_moving |= from != to && node_.ring(from, to).has_some();
  for (const link& to : links_) is_moving |= !to.fetches.empty();
  if (is_moving) made.found.are = how::moving;
  made.sent = packets_sent_;
  made.received = packets_received_;
  return made;
}

void forwarder::add_report(int node, const notice& one) {
  reports_[one.number % 2][static_cast<std::size_t>(node)] = one;
}

bool forwarder::report() {
  if (is_over_) return false;
  bool any = false;
  if (!has_reported_)
    if (const std::optional<notice> own = own_report()) {
      add_report(own_node_, *own);
      tell_all(*own);
      has_reported_ = any = true;
    }
  auto& all = reports_[report_ % 2];
  if (!has_reported_ || std::any_of(all.begin(), all.end(), [](const auto& one) { return !one; })) return any;
  compare_reports();
  before_ = std::exchange(all, std::vector<std::optional<notice>>(all.size()));
  for (int member = 0; member < node_.processes(); ++member)
    numbers_before_[static_cast<std::size_t>(member)] = node_.at(member).report.number();
  ++report_;
  has_reported_ = false;
  return true;
}

void forwarder::compare_reports() {
  const auto& now = reports_[report_ % 2];
  std::uint64_t sent = 0, received = 0;
  int first_asleep = INT_MAX;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i]->found.are == how::moving || before_.empty() || !before_[i]->is_like(*now[i])) return;
    sent += now[i]->sent;
    received += now[i]->received;
    first_asleep = std::min(first_asleep, now[i]->value);
  }
  if (sent != received || first_asleep == INT_MAX || !node_.is_here(first_asleep)) return;
  node_.at(node_.member_for(first_asleep)).is_told_of_stop.store(1, std::memory_order_relaxed);
}

// The end.

bool forwarder::come_to_end() {
  bool any = false;
  if (!is_early_ && by_.is_ended_here()) {
    is_early_ = any = true;
    tell_all({notice::what::early});
  }
  const auto is_there = [this](int member) { return node_.at(member).has_ended.load(std::memory_order_acquire) != 0; };
  if (!has_ended_) {
    bool all_have = true;
    for (int member = 0; member < node_.processes(); ++member) all_have &= is_there(member);
    if (all_have) {
      has_ended_ = any = true;
      ++ended_;
      tell_all({notice::what::ended});
    }
  }
  if (ended_ == nodes_ && !is_there(me_)) {
    node_.at(me_).has_ended.store(1, std::memory_order_release);
    for (int member = 0; member < node_.processes(); ++member) {
      node_.at(member).bell.ring();
      node::wake_sleepers(node_.at(member).bell.word());
    }
    is_over_ = any = true;
  }
  is_over_ |= is_early_;
  if (!has_said_bye_)
    if (const std::optional<int> status = by_.status_here()) {
      statuses_[static_cast<std::size_t>(own_node_)] = *status;
      tell_all({notice::what::bye, 0, *status});
      said_bye_at_ = clock::now();
      is_over_ = has_said_bye_ = any = true;
    }
  return any;
}

bool forwarder::has_ended() const {
  if (!has_said_bye_) return false;
  const bool all_said =
      std::all_of(links_.begin(), links_.end(), [](const link& to) { return to.notices.empty() && to.used == 0; });
  const auto has_said = [](const std::optional<int>& one) { return one.has_value(); };
  return all_said && std::all_of(statuses_.begin(), statuses_.end(), has_said) && by_.has_sent_all();
}

namespace detail {

std::optional<std::vector<int>> forward_between_nodes(node_network& by, const process_of_job& of, int ranks,
                                                      location where) {
  const job_memory memory(of, ranks, where);
  return forwarder(by, of, ranks, memory.begin()).run();
}

}  // namespace detail

}  // namespace maslin
