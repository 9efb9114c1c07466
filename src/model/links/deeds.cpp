#include "model/links/deeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <utility>

#include "maslin/error.hpp"
#include "model/links/traffic.hpp"

namespace maslin::links {

namespace {

using kind = deed::kind;

/// Messages move by themselves, in the order of time; a worker runs one of its ranks until that waits. Who waits helps:
/// loops have all workers on which no rank computes alone, each as many as the others.
///
///   direct route:  receiver ─descriptor─▶ sender ─data, then flag─▶ receiver; a small message needs no descriptor
///   over hosts:    as `ranks` has it; a small message is its sender's no more when it has passed the first hop
class taking {
 public:
  taking(const network& on, const recording& program, const ranks_on& how)
      : on_(on),
        program_(program),
        how_(how),
        traffic_(on),
        messages_(program.messages.size()),
        ranks_(program.ranks.size()),
        workers_(on.workers) {}

  std::int64_t run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (how_.workers[rank] >= on_.workers)
        throw error(fmt::format("rank {} on worker {} of '{}'; expected one below {}", rank, how_.workers[rank],
                                on_.name, on_.workers));
      get_ready(rank, 0);
    }
    while (!events_.empty()) {
      const event e = events_.top();
      events_.pop();
      if (e.of == what::computed)
        has_computed(e.number, e.at);
      else if (e.of == what::shared)
        has_shared(e.number, e.at);
      else
        advance(e.number, e.at);
    }
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].next < program_.ranks[rank].size())
        throw error(fmt::format("rank {} waits for what does not come; expected a recording of all its ranks", rank));
    return last_;
  }

 private:
  enum class what : std::uint32_t { advances, computed, shared };
  struct event {
    std::int64_t at;
    std::uint32_t number;  ///< of the message, of the rank, or of how loops are shared
    what of;
  };
  struct later {
    bool operator()(const event& a, const event& b) const {
      return a.at != b.at ? a.at > b.at : a.of != b.of ? a.of > b.of : a.number > b.number;
    }
  };
  struct message_state {
    std::int64_t asked_at = 0;  ///< when the receiver's descriptor is where it is needed
    std::uint8_t hop = 0;       ///< that it comes to next
    bool is_asked = false, waits = false, is_there = false;
    bool is_sent = false, is_received = false;
    bool sender_waits = false, receiver_waits = false;
  };
  struct rank_state {
    std::size_t next = 0;
    bool computes = false;  ///< alone
  };
  struct shared_loop {
    std::uint32_t rank;
    const speedup* of;
    double left_ps;  ///< on one worker
    double times = 0;
  };
  struct worker_state {
    std::deque<std::uint32_t> ready;
    bool is_busy = false;
  };

  const sent_message& said(std::uint32_t m) const { return program_.messages[m]; }
  std::uint32_t worker_of(std::uint32_t rank) const { return how_.workers[rank]; }
  bool is_eager(std::uint32_t m) const { return !said(m).is_synchronous && said(m).bytes <= how_.eager_bytes; }

  void get_ready(std::uint32_t rank, std::int64_t now) {
    worker_state& w = workers_[worker_of(rank)];
    w.ready.push_back(rank);
    if (!w.is_busy) take_next(w, now);
  }
  void take_next(worker_state& w, std::int64_t now) {
    w.is_busy = !w.ready.empty();
    if (!w.is_busy) return;
    const std::uint32_t rank = w.ready.front();
    w.ready.pop_front();
    // By an event: ranks of a worker that wait for each other in turn would fill the stack.
    events_.push({now, rank, what::computed});
  }

  void go_on(std::uint32_t rank, std::int64_t now) {
    const std::vector<deed>& deeds = program_.ranks[rank];
    std::size_t& next = ranks_[rank].next;
    for (; next < deeds.size(); ++next) {
      const deed& d = deeds[next];
      if (d.is == kind::compute) {
        ++next;
        ranks_[rank].computes = true;
        ++alone_;
        const auto ps = std::lround(static_cast<double>(d.ps) / how_.speed);
        events_.push({now + ps, rank, what::computed});
        return share_loops(now);
      }
      if (d.is == kind::loop) {
        ++next;
        loops_.push_back({rank, &program_.speedups[d.number], static_cast<double>(d.ps) / how_.speed});
        return share_loops(now);
      }
      if (d.is == kind::start_send)
        send(d.number, now);
      else if (d.is == kind::start_receive)
        receive(d.number, now);
      else if (must_wait(d))
        return take_next(workers_[worker_of(rank)], now);
    }
    last_ = std::max(last_, now);
    take_next(workers_[worker_of(rank)], now);
  }
  void has_computed(std::uint32_t rank, std::int64_t now) {
    if (std::exchange(ranks_[rank].computes, false)) {
      --alone_;
      share_loops(now);
    }
    go_on(rank, now);
  }

  /// Loops that go on have other shares from now on.
  void share_loops(std::int64_t now) {
    const auto passed = static_cast<double>(now - std::exchange(shared_since_, now));
    if (loops_.empty()) return;
    const double each =
        std::max(1.0, (static_cast<double>(how_.sharing) - alone_) / static_cast<double>(loops_.size()));
    double first_ps = std::numeric_limits<double>::infinity();
    for (shared_loop& l : loops_) {
      l.left_ps -= passed * l.times;
      l.times = l.of->on(each);
      first_ps = std::min(first_ps, l.left_ps / l.times);
    }
    events_.push({now + std::max<std::int64_t>(0, std::llround(std::ceil(first_ps))), ++shares_, what::shared});
  }
  /// The first of the loops is over, unless they are shared otherwise since.
  void has_shared(std::uint32_t shares, std::int64_t now) {
    if (shares != shares_) return;
    share_loops(now);
    std::vector<std::uint32_t> over;
    std::erase_if(loops_, [&over](const shared_loop& l) {
      if (l.left_ps > l.times) return false;  // more than a picosecond
      over.push_back(l.rank);
      return true;
    });
    for (const std::uint32_t rank : over) go_on(rank, now);
    share_loops(now);
  }

  bool must_wait(const deed& d) {
    message_state& m = messages_[d.number];
    const bool is_send = d.is == kind::wait_sent;
    if (is_send ? m.is_sent : m.is_received) return false;
    (is_send ? m.sender_waits : m.receiver_waits) = true;
    return true;
  }

  /// The place of the last part of its way; `across` is one part.
  std::uint8_t last_hop(std::uint32_t m) const {
    return is_on_one_worker(m) ? std::uint8_t{0}
                               : static_cast<std::uint8_t>(way_of(m).out.size() + way_of(m).in.size());
  }
  const route& way_of(std::uint32_t m) const { return on_.between(worker_of(said(m).from), worker_of(said(m).to)); }
  bool is_on_one_worker(std::uint32_t m) const { return worker_of(said(m).from) == worker_of(said(m).to); }

  void send(std::uint32_t number, std::int64_t now) {
    if (is_eager(number) && (is_on_one_worker(number) || !passes_out(number))) tell_sent(number, now);
    move(number, now);
  }
  bool passes_out(std::uint32_t number) const { return !way_of(number).out.empty(); }

  void receive(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    m.is_asked = true;
    m.asked_at = now;
    if (!is_on_one_worker(number)) {
      const route& way = way_of(number);
      const std::uint32_t from = worker_of(said(number).from), to = worker_of(said(number).to);
      if (!way.is_direct() && !way.in.empty())
        m.asked_at = traffic_.pass_out(way.out.front(), to, descriptor_bytes, now);
      else if (way.is_direct() && on_.has_puts && !is_eager(number))
        m.asked_at = traffic_.cross(way, to, from, descriptor_bytes, now);
    }
    if (m.is_there) return tell_received(number, now);
    if (m.waits) move(number, now);
  }

  /// It moves by one part of its way, if it can.
  void move(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    const std::uint32_t from = worker_of(said(number).from), to = worker_of(said(number).to);
    const std::int64_t bytes = said(number).bytes;
    const bool is_here = from == to;
    const route& way = way_of(number);
    const auto outs = is_here ? std::uint8_t{0} : static_cast<std::uint8_t>(way.out.size());
    const std::uint8_t last = last_hop(number);
    // Behind a host, what the receiver has not asked for stays with its host.
    const bool needs_receiver = m.hop == last && (last > 0 || !is_eager(number));
    m.waits = needs_receiver && !m.is_asked;
    if (m.waits) return;
    const std::int64_t begin = needs_receiver ? std::max(now, m.asked_at) : now;
    std::int64_t then = begin;
    if (!is_here && m.hop < outs)
      then = traffic_.pass_out(way.out[m.hop], from, bytes, begin);
    else if (!is_here && m.hop > outs)
      then = traffic_.pass_in(way.in[m.hop - outs - 1U], to, bytes, begin);
    else if (!is_here)
      then = traffic_.cross(way, from, to, bytes, begin);
    if (!is_here && last == 0 && on_.has_puts) then = traffic_.cross(way, from, to, flag_bytes, then);
    ++m.hop;
    events_.push({then, number, what::advances});
  }
  void advance(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    if (is_eager(number) && !m.is_sent) tell_sent(number, now);
    if (m.hop <= last_hop(number)) return move(number, now);
    m.is_there = true;
    if (!m.is_sent) tell_sent(number, now);
    if (m.is_asked) tell_received(number, now);
  }

  void tell_sent(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    m.is_sent = true;
    if (m.sender_waits) get_ready(said(number).from, now);
  }
  void tell_received(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    m.is_received = true;
    if (m.receiver_waits) get_ready(said(number).to, now);
  }

  const network& on_;
  const recording& program_;
  const ranks_on& how_;
  traffic traffic_;
  std::vector<message_state> messages_;
  std::vector<rank_state> ranks_;
  std::vector<worker_state> workers_;
  std::priority_queue<event, std::vector<event>, later> events_;
  std::vector<shared_loop> loops_;  ///< that go on
  std::uint32_t shares_ = 0;        ///< how often they were shared
  std::int64_t shared_since_ = 0;   ///< as they are now
  int alone_ = 0;                   ///< ranks that compute alone
  std::int64_t last_ = 0;
};

}  // namespace

double speedup::on(double workers) const {
  const auto next = std::ranges::find_if(points, [&](const point& p) { return p.workers >= workers; });
  if (next == points.end()) return points.back().times;
  if (next == points.begin()) return next->times;
  const point& before = next[-1];
  return before.times + (next->times - before.times) * (workers - before.workers) / (next->workers - before.workers);
}

std::int64_t take_on(const network& on, const recording& program, const ranks_on& how) {
  return taking(on, program, how).run();
}

}  // namespace maslin::links
