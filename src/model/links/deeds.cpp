#include "model/links/deeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <queue>
#include <unordered_map>
#include <utility>

#include "maslin/error.hpp"

namespace maslin::links {

/// Messages move by themselves (`journeys`), in the order of time; a worker runs one of its ranks until that waits. Who
/// waits helps: loops have all workers on which no rank computes alone, each as many as the others.
///
/// An actor is a rank, or behind all ranks a part of a call that was started, which needs no worker.
class doing::taking {
 public:
  taking(const network& on, journeys& moving, const recording& program, const ranks_on& how)
      : program_(program),
        how_(how),
        moving_(moving),
        ranks_(static_cast<std::uint32_t>(program.ranks.size())),
        actors_(program.ranks.size() + program.parts.size()) {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (how_.workers[rank] >= on.workers)
        throw error(fmt::format("rank {} on worker {} of '{}'; expected one below {}", rank, how_.workers[rank],
                                on.name, on.workers));
    for (const sent_message& m : program_.messages)
      messages_.push_back({{worker_of(m.from), worker_of(m.to), m.bytes, is_eager(m)}});
  }

  void begin(std::uint32_t rank, std::int64_t at) { events_.push({at, rank, what::computed}); }
  std::optional<std::int64_t> next() const { return events_.empty() ? std::nullopt : std::optional(events_.top().at); }
  const std::vector<std::uint32_t>& step() {
    ended_.clear();
    const event e = events_.top();
    events_.pop();
    if (e.of == what::computed)
      has_computed(e.number, e.at);
    else if (e.of == what::shared)
      has_shared(e.number, e.at);
    else
      apply(e.number, e.at, moving_.advance(messages_[e.number].way, e.at));
    return ended_;
  }

  std::int64_t run() {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank) get_ready(rank, 0);
    while (!events_.empty()) step();
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (!is_over(rank))
        throw error(fmt::format(
            "rank {} waits for what does not come; expected a recording of all its ranks, in which no message "
            "of more than {} bytes was sent before it was received",
            rank, how_.eager_bytes));
    return last_;
  }

 private:
  using kind = deed::kind;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
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
    journey way;
    bool is_received = false;
    std::uint32_t sender = nobody, receiver = nobody;  ///< actors that wait for these
  };
  struct actor_state {
    std::size_t next = 0;
    bool computes = false;           ///< alone
    std::uint32_t awaited = nobody;  ///< of a part: by that rank
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

  const std::vector<deed>& deeds_of(std::uint32_t actor) const {
    return actor < ranks_ ? program_.ranks[actor] : program_.parts[actor - ranks_];
  }
  bool is_over(std::uint32_t actor) const { return actors_[actor].next == deeds_of(actor).size(); }
  std::uint32_t worker_of(std::uint32_t rank) const { return how_.workers[rank]; }
  bool is_eager(const sent_message& m) const {
    return how_.eager_bytes > 0 && !m.is_synchronous && m.bytes <= how_.eager_bytes;
  }

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

  void go_on(std::uint32_t actor, std::int64_t now) {
    const std::vector<deed>& deeds = deeds_of(actor);
    std::size_t& next = actors_[actor].next;
    for (; next < deeds.size(); ++next) {
      const deed& d = deeds[next];
      if (d.is == kind::compute) {
        ++next;
        actors_[actor].computes = true;
        ++alone_;
        const auto ps = std::lround(static_cast<double>(d.ps) / how_.speed);
        events_.push({now + ps, actor, what::computed});
        return share_loops(now);
      }
      if (d.is == kind::loop) {
        ++next;
        loops_.push_back({actor, &program_.speedups[d.number], static_cast<double>(d.ps) / how_.speed});
        return share_loops(now);
      }
      if (d.is == kind::start_send)
        send(d.number, now);
      else if (d.is == kind::start_receive)
        receive(d.number, now);
      else if (d.is == kind::start_part)
        go_on(ranks_ + d.number, now);
      else if (must_wait(d, actor))
        break;
    }
    if (actor < ranks_) {
      if (is_over(actor)) {
        last_ = std::max(last_, now);
        ended_.push_back(actor);
      }
      return take_next(workers_[worker_of(actor)], now);
    }
    if (is_over(actor)) wake(actors_[actor].awaited, now);
  }
  /// Who waits there goes on, if there is somebody.
  void wake(std::uint32_t actor, std::int64_t now) {
    if (actor == nobody) return;
    if (actor < ranks_)
      get_ready(actor, now);
    else
      go_on(actor, now);
  }
  void has_computed(std::uint32_t rank, std::int64_t now) {
    if (std::exchange(actors_[rank].computes, false)) {
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

  bool must_wait(const deed& d, std::uint32_t actor) {
    if (d.is == kind::wait_part) {
      if (is_over(ranks_ + d.number)) return false;
      actors_[ranks_ + d.number].awaited = actor;
      return true;
    }
    message_state& m = messages_[d.number];
    const bool is_send = d.is == kind::wait_sent;
    if (is_send ? m.way.is_sent : m.is_received) return false;
    (is_send ? m.sender : m.receiver) = actor;
    return true;
  }

  void send(std::uint32_t number, std::int64_t now) { apply(number, now, moving_.send(messages_[number].way, now)); }
  void receive(std::uint32_t number, std::int64_t now) {
    apply(number, now, moving_.receive(messages_[number].way, now));
  }
  void apply(std::uint32_t number, std::int64_t now, const progress& brings) {
    if (brings.is_sent) tell_sent(number, now);
    if (brings.next) events_.push({*brings.next, number, what::advances});
    if (brings.is_received) tell_received(number, now);
  }

  void tell_sent(std::uint32_t number, std::int64_t now) { wake(messages_[number].sender, now); }
  void tell_received(std::uint32_t number, std::int64_t now) {
    message_state& m = messages_[number];
    m.is_received = true;
    wake(m.receiver, now);
  }

  const recording& program_;
  const ranks_on& how_;
  journeys& moving_;
  std::vector<message_state> messages_;
  const std::uint32_t ranks_;  ///< how many
  std::vector<actor_state> actors_;
  /// Those that have ranks: a call of few ranks is not to cost what a large machine does.
  std::unordered_map<std::uint32_t, worker_state> workers_;
  std::priority_queue<event, std::vector<event>, later> events_;
  std::vector<shared_loop> loops_;  ///< that go on
  std::uint32_t shares_ = 0;        ///< how often they were shared
  std::int64_t shared_since_ = 0;   ///< as they are now
  int alone_ = 0;                   ///< ranks that compute alone
  std::int64_t last_ = 0;
  std::vector<std::uint32_t> ended_;  ///< by this step
};

doing::doing(const network& on, journeys& moving, const recording& program, const ranks_on& how)
    : all_(std::make_unique<taking>(on, moving, program, how)) {}
doing::~doing() = default;
void doing::begin(std::uint32_t rank, std::int64_t at) { all_->begin(rank, at); }
std::optional<std::int64_t> doing::next() const { return all_->next(); }
const std::vector<std::uint32_t>& doing::step() { return all_->step(); }

double speedup::on(double workers) const {
  const auto next = std::ranges::find_if(points, [&](const point& p) { return p.workers >= workers; });
  if (next == points.end()) return points.back().times;
  if (next == points.begin()) return next->times;
  const point& before = next[-1];
  return before.times + (next->times - before.times) * (workers - before.workers) / (next->workers - before.workers);
}

std::int64_t take_on(const network& on, const recording& program, const ranks_on& how) {
  journeys moving(on);
  return doing::taking(on, moving, program, how).run();
}

}  // namespace maslin::links
