#pragma once
// Ranks that send and receive over a network (reverse-acceleration, "Cell Messaging Layer"). A rank is a worker and a
// state machine without a stack: `Program` says what it does next. Sends are synchronous, so a rank has one message at
// a time, and nothing is queued but at hops.
//
//   direct route:  receiver ─descriptor─▶ sender ─data, then flag─▶ receiver
//   over hosts:    sender ─out─▶ ... ─across─▶ ... ─in─▶ the receiver's host ─last of in─▶ receiver
//                  receiver ─descriptor, first of out─▶ its host, which then lets the last of in begin

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "maslin/error.hpp"
#include "model/links/network.hpp"
#include "model/links/traffic.hpp"

namespace maslin::links {

/// What a rank does next.
struct action {
  enum class kind : std::uint8_t { compute, send, receive, end } is = kind::end;
  std::uint32_t peer = 0;   ///< of a message
  std::int64_t amount = 0;  ///< picoseconds, or bytes that are sent

  static action compute(std::int64_t ps) { return {kind::compute, 0, ps}; }
  static action send(std::uint32_t to, std::int64_t bytes) { return {kind::send, to, bytes}; }
  static action receive(std::uint32_t from) { return {kind::receive, from, 0}; }
};

/// `Program::next(rank)` gives a rank's next action; after `end` it is not asked again.
template <class Program>
class ranks {
 public:
  ranks(const network& on, std::uint32_t count, Program& program)
      : on_(on), program_(program), traffic_(on), all_(count) {
    if (count > on.workers)
      throw error(
          fmt::format("{} ranks on the {} workers of '{}'; expected a worker for each", count, on.workers, on.name));
  }

  /// Gives when the last rank has ended, in picoseconds. Throws `error` if ranks wait for each other.
  std::int64_t run() {
    for (std::uint32_t rank = 0; rank < all_.size(); ++rank) go_on(rank, 0);
    while (!events_.empty()) {
      const event e = events_.top();
      events_.pop();
      ++passed_;
      if (e.of == what::goes_on)
        go_on(e.rank, e.at);
      else if (e.of == what::is_done)
        complete(e.rank, e.at);
      else
        move(e.rank, e.at);
    }
    for (std::uint32_t rank = 0; rank < all_.size(); ++rank)
      if (all_[rank].is != action::kind::end)
        throw error(fmt::format("rank {} {} rank {}, which does not answer; expected a program whose messages meet",
                                rank, all_[rank].is == action::kind::send ? "sends to" : "receives from",
                                all_[rank].peer));
    return last_;
  }

  std::uint64_t events() const { return passed_; }
  std::uint64_t messages() const { return messages_; }

 private:
  using kind = action::kind;
  enum class what : std::uint32_t { goes_on, moves, is_done };
  struct event {
    std::int64_t at;
    std::uint32_t rank;
    what of;
  };
  struct later {
    bool operator()(const event& a, const event& b) const {
      return a.at != b.at ? a.at > b.at : a.rank != b.rank ? a.rank > b.rank : a.of > b.of;
    }
  };
  struct state {
    std::int64_t asked_at = 0;  ///< when the descriptor of what it receives is in the sender's store, or with its host
    std::int64_t bytes = 0;
    std::uint32_t peer = 0;
    kind is = kind::end;
    std::uint8_t hop = 0;  ///< of the route's chain, that the message comes to next; behind the last: done
    bool waits = false;    ///< it is at the receiver's host, or at the sender; the receiver is not there
  };

  void go_on(std::uint32_t rank, std::int64_t now) {
    const action next = program_.next(rank);
    all_[rank] = {now, next.amount, next.peer, next.is, 0, false};
    if (next.is == kind::compute)
      events_.push({now + next.amount, rank, what::goes_on});
    else if (next.is == kind::send)
      move(rank, now);
    else if (next.is == kind::receive)
      receive(rank, now);
    else
      last_ = std::max(last_, now);
  }

  void receive(std::uint32_t rank, std::int64_t now) {
    const std::uint32_t sender = all_[rank].peer;
    const route& way = on_.between(sender, rank);
    all_[rank].asked_at = way.is_direct()  ? traffic_.cross(way, rank, sender, descriptor_bytes, now)
                          : way.in.empty() ? now
                                           : traffic_.pass_out(way.out.front(), rank, descriptor_bytes, now);
    if (meets(sender, rank) && all_[sender].waits) move(sender, now);
  }

  bool meets(std::uint32_t sender, std::uint32_t receiver) const {
    return all_[sender].is == kind::send && all_[sender].peer == receiver && all_[receiver].is == kind::receive &&
           all_[receiver].peer == sender;
  }

  /// The sender's message moves on by one part of its way.
  void move(std::uint32_t sender, std::int64_t now) {
    state& s = all_[sender];
    const route& way = on_.between(sender, s.peer);
    const auto outs = static_cast<std::uint8_t>(way.out.size()), ins = static_cast<std::uint8_t>(way.in.size());
    const auto last = static_cast<std::uint8_t>(outs + ins);  // `across` is one part
    s.waits = s.hop == last && !meets(sender, s.peer);
    if (s.waits) return;
    std::int64_t then = now;
    if (s.hop < outs)
      then = traffic_.pass_out(way.out[s.hop], sender, s.bytes, now);
    else if (s.hop > outs)
      then = traffic_.pass_in(way.in[s.hop - outs - 1U], s.peer, s.bytes,
                              s.hop == last ? std::max(now, all_[s.peer].asked_at) : now);
    else if (way.is_direct())
      then = put(way, sender, now);
    else
      then = traffic_.cross(way, sender, s.peer, s.bytes, now);
    const bool done = s.hop++ == last;
    events_.push({then, sender, done ? what::is_done : what::moves});
  }

  /// Gives when the flag behind the data is there.
  std::int64_t put(const route& way, std::uint32_t sender, std::int64_t now) {
    const state& s = all_[sender];
    now = traffic_.cross(way, sender, s.peer, s.bytes, std::max(now, all_[s.peer].asked_at));
    return traffic_.cross(way, sender, s.peer, flag_bytes, now);
  }

  void complete(std::uint32_t sender, std::int64_t now) {
    ++messages_;
    const std::uint32_t receiver = all_[sender].peer;
    all_[sender].is = all_[receiver].is = kind::compute;  // neither meets anybody until both have gone on
    go_on(receiver, now);
    go_on(sender, now);
  }

  const network& on_;
  Program& program_;
  traffic traffic_;
  std::vector<state> all_;
  std::priority_queue<event, std::vector<event>, later> events_;
  std::int64_t last_ = 0;
  std::uint64_t passed_ = 0, messages_ = 0;
};

}  // namespace maslin::links
