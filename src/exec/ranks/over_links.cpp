#include "exec/ranks/over_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "exec/ranks/world.hpp"
#include "maslin/error.hpp"
#include "model/links/deeds.hpp"

namespace maslin {

using comm::transfer;

/// What goes on beside ranks, and is there until they have been told of its end.
struct over_links::going_on : link_event {
  explicit going_on(over_links& its) : by(its) {}
  ~going_on() override {
    if (!is_expected) return;
    by.by_.forget(*this);
    by.expected_.fetch_sub(1, std::memory_order_relaxed);
  }

  /// It goes on then, and not when it was expected before.
  void expect(std::int64_t at_ps) {
    if (is_expected)
      by.by_.forget(*this);
    else
      by.expected_.fetch_add(1, std::memory_order_relaxed);
    is_expected = true;
    by.by_.expect(*this, at_ps);
  }
  void happens(std::int64_t now_ps) final {
    over_links& its = by;
    is_expected = false;
    go_on(now_ps);  // it may be gone then
    // Release: who sees that nothing goes on sees who has been woken.
    its.expected_.fetch_sub(1, std::memory_order_release);
  }
  virtual void go_on(std::int64_t now_ps) = 0;

  over_links& by;
  bool is_expected = false;
};

/// A message between two ranks.
struct over_links::under_way final : going_on {
  under_way(over_links& its, const links::journey& begun) : going_on(its), way(begun) {}
  void go_on(std::int64_t now_ps) override { by.follow(*this, by.by_.moving().advance(way, now_ps)); }

  links::journey way;
  transfer* sender = nullptr;    ///< that waits
  transfer* receiver = nullptr;  ///< null until it is known
  bool is_withdrawn = false;
  std::list<under_way>::iterator place;
};

/// A call of all ranks of a group, as the messages that would do it.
struct over_links::call_under_way final : going_on {
  call_under_way(over_links& its, rank_group& group, rank_meeting& meeting);
  void come(std::size_t place, const joint_call& brings);
  void all_have_come();
  void go_on(std::int64_t now_ps) override;

  rank_group& in;
  rank_meeting& at;
  links::call_of_ranks call;
  std::vector<std::int64_t> came_ps;  ///< by place
  bool is_complete = false;           ///< it has been carried out
  std::function<void()> shares;       ///< what tells of its parts, until it has
  std::vector<std::uint32_t> ended;   ///< places of ranks that have had their messages, and are not told
  std::size_t left;                   ///< ranks that have not been told
  links::recording program;
  links::ranks_on how;
  std::optional<links::doing> does;
  std::list<call_under_way>::iterator place_in_list;

 private:
  bool is_too_long() const { return links::is_long(call) && came_ps.size() > links::most_ranks_of_a_long_call; }
  void plan();
};

over_links::over_links(world& of, message_links& by, std::vector<std::uint32_t> workers)
    : of_(of), by_(by), workers_(std::move(workers)) {}

over_links::~over_links() = default;

links::progress over_links::answer(under_way& m, transfer& receive) {
  const question asked = questions_.extract(&receive).mapped();
  m.receiver = &receive;
  const bool is_told = asked.told_at && (m.way.is_eager || !asked.is_eager);
  return by_.moving().receive(
      m.way, by_.now(),
      is_told ? *asked.told_at : by_.moving().ask(m.way.from, m.way.to, m.way.is_eager, asked.begun_at));
}

bool over_links::send(transfer& message, transfer* receive, const transfer& queued, int to) noexcept {
  const std::int64_t now = by_.now();
  const bool is_eager =
      receive ? comm::is_eager(message.bytes(), message.is_synchronous, of_.eager_bytes()) : queued.is_copy;
  under_way& m = all_.emplace_back(*this, links::journey{worker_of(message.owner), worker_of(to),
                                                         static_cast<std::int64_t>(message.bytes()), is_eager});
  m.place = std::prev(all_.end());
  if (receive)
    answer(m, *receive);
  else
    queued_[&queued] = m.place;
  const links::progress brings = by_.moving().send(m.way, now);
  if (!brings.is_sent) m.sender = &message;
  if (!brings.is_sent && message.is_alone()) message.set(transfer::state::matched);  // nobody takes it back
  if (brings.next) m.expect(*brings.next);
  return brings.is_sent;
}

bool over_links::receive(const transfer& queued, transfer& receive) noexcept {
  under_way& m = *queued_.extract(&queued).mapped();
  const links::progress brings = answer(m, receive);
  if (brings.next) m.expect(*brings.next);
  receive.set(brings.is_received ? transfer::state::done : transfer::state::matched);
  if (brings.is_received) all_.erase(m.place);  // what is there has been sent
  return brings.is_received;
}

void over_links::ask(const transfer& receive, int from) {
  question& asked = questions_[&receive];
  asked = {by_.now(), {}, comm::is_eager(receive.bytes(), false, of_.eager_bytes())};
  if (from == any_source) return;
  const std::uint32_t there = worker_of(from), here = worker_of(receive.owner);
  asked.told_at = by_.moving().ask(there, here, asked.is_eager, asked.begun_at);
  // Where hosts forward, they are told in any case.
  if (!by_.network().between(there, here).is_direct()) asked.is_eager = false;
}

void over_links::withdraw(const transfer& queued) {
  questions_.erase(&queued);
  const auto found = queued_.extract(&queued);
  if (found.empty()) return;
  under_way& m = *found.mapped();
  m.is_withdrawn = true;
  if (m.sender == &queued) m.sender = nullptr;
  if (!m.is_expected) all_.erase(m.place);
}

void over_links::follow(under_way& m, const links::progress& brings) {
  if (brings.is_sent && m.sender) tell(*std::exchange(m.sender, nullptr));
  if (brings.is_received) tell(*m.receiver);
  // What is withdrawn and still somebody's goes on until that one is told.
  if (brings.next && !(m.is_withdrawn && !m.sender)) return m.expect(*brings.next);
  if (brings.is_received || m.is_withdrawn) all_.erase(m.place);
}

void over_links::tell(transfer& its) {
  of_.wake(its.owner, [&its] { its.set(transfer::state::done); });
}

namespace {

/// Do all ranks of such a call bring as much? Then the first to come says all of it.
bool is_told_by_one(links::call_of_ranks::pattern of) {
  using enum links::call_of_ranks::pattern;
  return of == meet || of == broadcast || of == reduce || of == reduce_to_all;
}

}  // namespace

over_links::call_under_way::call_under_way(over_links& its, rank_group& group, rank_meeting& meeting)
    : going_on(its), in(group), at(meeting), came_ps(group.ranks.size()), left(group.ranks.size()) {
  call.ranks.resize(left);
  std::iota(call.ranks.begin(), call.ranks.end(), 0U);
  call.bytes.resize(left);
}

void over_links::call_under_way::plan() {
  for (const int rank : in.ranks) how.workers.push_back(by.worker_of(rank));
  how.eager_bytes = static_cast<std::int64_t>(by.of_.eager_bytes());
  // In an order that does not depend on who came first.
  std::ranges::stable_sort(call.edges, {}, &links::call_of_ranks::edge::from);
  program.ranks = links::carried_out(call, program);
  does.emplace(by.by_.network(), by.by_.moving(), program, how);
}

void over_links::call_under_way::come(std::size_t place, const joint_call& brings) {
  came_ps[place] = by.by_.now();
  if (const auto* const told = dynamic_cast<const told_call*>(&brings)) {
    call.add(place, told->moved());
    if (told->neighbour_parts()) call.is = links::call_of_ranks::pattern::neighbours;
    for (std::size_t i = 0; i < told->neighbour_parts().value_or(0); ++i) {
      const auto [to, bytes] = told->neighbour_part(i);
      call.edges.push_back(
          {static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(to), static_cast<std::int64_t>(bytes)});
    }
  }
  if (!does && is_told_by_one(call.is)) {
    std::fill(call.bytes.begin(), call.bytes.end(), call.bytes[place]);
    if (!is_too_long()) plan();
  }
  if (!does) return;
  does->begin(static_cast<std::uint32_t>(place), came_ps[place]);
  expect(*does->next());
}

void over_links::call_under_way::all_have_come() {
  if (does) return;
  if (is_too_long())
    throw error(
        fmt::format("a call of {} ranks in which each gives to each is too many messages on a described "
                    "machine; the most are {}",
                    left, links::most_ranks_of_a_long_call));
  plan();
  for (std::size_t i = 0; i < left; ++i) does->begin(static_cast<std::uint32_t>(i), came_ps[i]);
  expect(by.by_.now());
}

void over_links::call_under_way::go_on(std::int64_t now_ps) {
  if (shares) std::exchange(shares, {})();
  auto next = does->next();
  for (; next && *next <= now_ps; next = does->next())
    for (const std::uint32_t one : does->step()) ended.push_back(one);
  if (is_complete)  // before, nobody leaves
    for (const std::uint32_t one : std::exchange(ended, {})) {
      rank_arrival& its = *at.arrivals[one];
      if (--left == 0) {
        by.call_at_.erase(&at);
        if (!its.has_parts) in.give_back(at);  // who is told does not run yet
      }
      by.of_.tell(in.ranks[one], its, rank_arrival::state::over);
    }
  if (left == 0)
    by.calls_.erase(place_in_list);
  else if (next)
    expect(*next);
}

void over_links::come(rank_group& in, rank_meeting& at, int place, const joint_call& brings) noexcept {
  auto [found, is_first] = call_at_.try_emplace(&at);
  if (is_first) {
    found->second = calls_.emplace(calls_.end(), *this, in, at);
    found->second->place_in_list = found->second;
  }
  found->second->come(static_cast<std::size_t>(place), brings);
}

void over_links::all_have_come(const rank_meeting& at) { call_at_.at(&at)->all_have_come(); }

void over_links::share(const rank_meeting& at, std::function<void()> tell) {
  call_under_way& call = *call_at_.at(&at);
  call.shares = std::move(tell);
  call.expect(by_.now());
}

void over_links::complete(const rank_meeting& at) {
  call_under_way& call = *call_at_.at(&at);
  call.is_complete = true;
  call.expect(by_.now());
}

}  // namespace maslin
