// How ranks come to a call of all, share its work, and are told of its end. README.md states the protocol.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <span>
#include <typeinfo>

#include "comm/meeting.hpp"
#include "exec/ranks/shared_sum.hpp"
#include "exec/ranks/started.hpp"

namespace maslin {

using detail::rank_member;
using state = rank_arrival::state;

namespace {

/// The type of what a rank brings, as compilers write it.
const char* type_of(const rank_arrival& one) { return one.is_called ? one.is_called : typeid(*one.brings).name(); }

/// Gives the first rank whose call is of another kind than rank 0's; 0 where all are of one.
std::size_t first_other(const rank_meeting& at) {
  const auto is_same = [](const rank_arrival& one, const rank_arrival& other) {
    if (!one.is_called && !other.is_called) return typeid(*one.brings) == typeid(*other.brings);
    return std::strcmp(type_of(one), type_of(other)) == 0;
  };
  const rank_arrival& first = *at.arrivals[0];
  for (std::size_t i = 1; i < at.arrivals.size(); ++i) {
    const rank_arrival& one = *at.arrivals[i];
    if (one.is_of_library != first.is_of_library) return i;
    if (!(one.is_of_library && at.packages.empty()) && !is_same(one, first)) return i;
  }
  return 0;
}

std::string described(std::size_t rank, const rank_arrival& one) {
  return fmt::format("rank {} calls {} ({}:{})", rank,
                     one.is_of_library ? std::string("one that ms::communicator has")
                                       : "together with a " + comm::name_of(type_of(one)),
                     one.where.file_name(), one.where.line());
}

void record_meeting(const rank_member& m, const joint_call& mine) noexcept {
  using trace::event_kind;
  const auto number = [](int of) { return static_cast<std::uint32_t>(of); };
  m.of.record(event_kind::meets, m.in.number,
              trace::pack(trace::met_as{number(m.in.ranks[0]), number(m.rank), number(m.in.size())}));
  const auto* const told = dynamic_cast<const told_call*>(&mine);
  if (!told) return;
  m.of.record(event_kind::moves, 0, trace::pack(told->moved()));
  for (std::size_t i = 0; i < told->neighbour_parts().value_or(0); ++i) {
    const auto [to, bytes] = told->neighbour_part(i);
    m.of.record(event_kind::gives, number(m.in_world(to)), bytes);
  }
}

}  // namespace

rank_call::rank_call(const rank_member& m, joint_call& mine, location where, kind is) : m_(m), mine_(mine, where) {
  mine_.is_of_library = is == kind::of_library;
  m.of.throw_dropped(m.mine());
  if (trace::on(trace::event_kind::meets)) [[unlikely]]
    record_meeting(m, mine);
  if (m.in.slots && meet_in_slots(is == kind::started)) {
    mine_.set(state::over);
    return;
  }
  const moment at_once(m.of.links());
  const bool is_last = m.in.come(m.rank, mine_);
  if (m.of.over()) m.of.over()->come(m.in, *mine_.at, m.rank, mine);
  if (!is_last) return;
  bool all_have = true;
  if (!m.in.other_processes.empty()) try {
      all_have = m.of.gather(m.in, *mine_.at);
    } catch (...) {
      give_up(std::current_exception());
    }
  if (all_have) meet();
}

bool rank_call::meet_in_slots(bool is_started) {
  call_slots& slots = *m_.in.slots;
  if (!is_started && slots.may_be_brief(m_.rank)) {
    brief_call* const brief = m_.in.as_brief(static_cast<std::size_t>(m_.rank), *mine_.brings);
    if (const std::uint64_t its_kind = brief ? brief->kind() : 0)
      if (const auto gives = brief->gives(); gives.size() <= call_slots::most_bytes)
        return meet_in_slots(*brief, its_kind, gives);
    const auto* const combined = is_across() ? dynamic_cast<const combined_call*>(mine_.brings) : nullptr;
    if (const std::uint64_t its_kind = combined ? combined->combined_kind() : 0)
      if (m_.of.across()->reaches(m_.in.other_processes)) return meet_in_slots(*combined, its_kind);
  }
  slots.come_otherwise(m_.rank, is_started);
  rouse_in_slots();
  return false;
}

bool rank_call::meet_in_slots(brief_call& brings, std::uint64_t its_kind, std::span<const std::byte> gives) {
  using others = call_slots::others;
  call_slots& slots = *m_.in.slots;
  const std::uint64_t number = slots.come(m_.rank, its_kind, gives);
  const others seen = await_in_slots(number, world::at_failure::give_up);
  if (seen == others::missing) m_.of.throw_given_up(m_.mine(), mine_.where);
  if (seen == others::differ) return false;
  std::array<std::byte, call_slots::most_ranks * call_slots::most_bytes> given;
  std::size_t bytes = 0;
  for (int rank = 0; rank < m_.in.size(); ++rank) {  // where one rank gives, the others give nothing
    const std::span<const std::byte> its = slots.given(rank, number);
    if (its.empty()) continue;
    std::memcpy(given.data() + bytes, its.data(), its.size());
    bytes += its.size();
  }
  std::array<joint_call*, call_slots::most_ranks> all{};
  all[static_cast<std::size_t>(m_.rank)] = mine_.brings;
  brings.make({given.data(), bytes}, {all.data(), m_.in.ranks.size()}, std::span(&m_.rank, 1));
  return true;
}

bool rank_call::meet_in_slots(const combined_call& brings, std::uint64_t its_kind) {
  using others = call_slots::others;
  call_slots& slots = *m_.in.slots;
  shared_sum sum(m_.of, m_.in, m_.rank, brings);
  combined_call::places mine = brings.lie_at();
  const std::uint64_t number = slots.come(m_.rank, its_kind, std::as_bytes(std::span(&mine, 1)));
  const others seen = await_in_slots(number, world::at_failure::give_up);
  if (seen == others::differ) return false;
  if (!slots.decide(number, seen == others::agree)) {
    if (seen == others::missing) m_.of.throw_given_up(m_.mine(), mine_.where);
    return false;  // who has given it up does not come to a meeting either
  }
  // From here on all ranks go on, since each needs the others' memory.
  if (seen == others::missing) await_in_slots(number, world::at_failure::go_on);
  std::array<combined_call::places, call_slots::most_ranks> all;
  for (int rank = 0; rank < m_.in.size(); ++rank)
    std::memcpy(&all[static_cast<std::size_t>(rank)], slots.given(rank, number).data(), sizeof mine);
  const std::byte is_made{sum.make_share(all)};
  const std::uint64_t second = slots.come(m_.rank, its_kind, std::span(&is_made, 1));
  await_in_slots(second, world::at_failure::go_on);
  int made = 0;
  while (made < m_.in.size() && slots.given(made, second)[0] != std::byte{0}) ++made;
  if (made == m_.in.size()) return true;
  const auto why = std::make_exception_ptr(error(
      fmt::format("rank {} in a call of all ranks at {}: rank {} cannot copy what ranks of other processes give, or to "
                  "where they want the result; expected places as long as the call says, and a system that allows "
                  "process_vm_readv and process_vm_writev to the end, or never",
                  m_.mine(), at_place(mine_.where), m_.in_world(made))));
  m_.of.fail(m_.mine(), why);
  std::rethrow_exception(why);
}

call_slots::others rank_call::await_in_slots(std::uint64_t number, world::at_failure then) {
  using others = call_slots::others;
  call_slots& slots = *m_.in.slots;
  others seen = slots.look(m_.rank, number);
  if (seen != others::missing) {
    rouse_in_slots();
    return seen;
  }
  const auto have_come = [&] { return (seen = slots.look(m_.rank, number)) != others::missing; };
  const outside_gate others_go_on(m_.of.at(m_.mine()).gate);
  if (m_.of.look_in_memory(others_go_on, have_come) || (m_.of.across() && m_.of.look(others_go_on, have_come)))
    return seen;
  slots.lie_down(m_.rank);
  const auto tells = [&](rank_wait& into) {
    into.where = mine_.where;
    into.all.push_back(awaits());
    into.all.back().number = number;
    into.all.back().is_in_slots = true;
  };
  const bool is_told = m_.of.wait(others_go_on, m_.mine(), awaited(tells), have_come, then, false);
  slots.get_up(m_.rank);
  if (!is_told) have_come();  // all may have come before another rank failed behind the call
  return seen;
}

void rank_call::rouse_in_slots() {
  std::uint64_t elsewhere = 0;
  m_.in.slots->rouse(m_.rank, [&](int other) {
    const int rank = m_.in_world(other);
    if (m_.of.is_here(rank))
      m_.of.wake(rank, [] {});
    else
      elsewhere |= std::uint64_t{1} << rank;
  });
  if (elsewhere != 0) m_.of.across()->wake_elsewhere(elsewhere);
}

rank_call::~rank_call() {
  if (is_taken_back_) return;
  if (!is_over() && take_back()) {
    if (!m_.of.has_failed()) drop();
  } else {
    await(mine_.where, world::at_failure::go_on);
  }
  if (!is_taken_back_ && mine_.has_parts && mine_.at->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
    m_.in.give_back(*mine_.at);
}

/// The others would wait for it, or meet for another call in its place. Who throws tells them by that, unless the rank
/// catches it and goes on.
void rank_call::drop() noexcept {
  std::exception_ptr why;
  try {
    throw error(fmt::format(
        "rank {} dropped a call of all ranks, started at {}, before all had come to it; wait for its request", m_.rank,
        at_place(mine_.where)));
  } catch (...) {  // or there is no memory for that
    why = std::current_exception();
  }
  if (std::uncaught_exceptions() == exceptions_)
    m_.of.fail(m_.mine(), why);
  else
    m_.of.at(m_.mine()).dropped = why;
}

void rank_call::meet_across() {
  rank_meeting& at = *mine_.at;
  // Acquire: what has come from the others. Who takes the number is the only one to go on.
  const auto take = [this](MASLIN_ATOMIC<std::uint64_t>& from) {
    std::uint64_t number = mine_.number;
    return from.load(std::memory_order_relaxed) == number &&
           from.compare_exchange_strong(number, 0, std::memory_order_acquire, std::memory_order_relaxed);
  };
  if (take(at.ready)) return meet();
  if (!take(at.needs_package)) return;
  bool all_have = false;
  try {
    all_have = m_.of.gather_packages(m_.in, at, mine_.number);
  } catch (...) {
    give_up(std::current_exception());
  }
  if (all_have) meet();
}

/// Nothing has come but what the calls of one kind give.
void rank_call::meet_briefly() {
  rank_meeting& at = *mine_.at;
  try {
    m_.of.lay_out(m_.in, at);
    static_cast<brief_call&>(*mine_.brings).make(at.given, at.calls, m_.in.places_here);
  } catch (...) {
    give_up(std::current_exception());
  }
  end();
  m_.in.give_back(at);
}

/// All have come. The others sleep, or will see how far the call is.
void rank_call::meet() {
  rank_meeting& at = *mine_.at;
  if (is_across() && at.is_brief) return meet_briefly();
  const std::size_t n = at.arrivals.size();
  bool has_parts = false;
  over_links* const links = m_.of.over();
  try {
    if (links) links->all_have_come(at);
    if (is_across()) read_packages(at, *mine_.brings);
    if (const std::size_t other = first_other(at)) {
      const auto problem = std::make_exception_ptr(
          error(fmt::format("the ranks' calls do not go together: {}; {}", described(0, *at.arrivals[0]),
                            described(other, *at.arrivals[other]))));
      each_here([&](rank_arrival& one, int) { one.problem = problem; });
    } else {
      has_parts = mine_.brings->meet(at.calls);
    }
  } catch (...) {
    give_up(std::current_exception());
  }
  m_.of.catch_up();  // what `meet` has done is told at its end
  if (!has_parts) {
    if (links) return links->complete(at);
    end();
    m_.in.give_back(at);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) at.is_claimed[i].store(false, std::memory_order_relaxed);
  at.next_part.store(0, std::memory_order_relaxed);
  at.parts_left.store(n + 1, std::memory_order_relaxed);  // one is that all are told of the parts
  at.users.store(static_cast<std::size_t>(m_.in.size_here()), std::memory_order_relaxed);
  if (links)
    links->share(at, [this] { share(); });
  else
    share();
}

/// Tells the ranks of the parts.
void rank_call::share() {
  // The locks of `tell` publish what they need. Over links the last rank waits for it, too.
  each_here([&](rank_arrival& one, int rank) {
    one.has_parts = true;
    if (&one != &mine_ || m_.of.over()) m_.of.tell(rank, one, state::shared);
  });
  mine_.set(state::shared);
  a_part_is_done();
}

void rank_call::give_up(const std::exception_ptr& thrown) {
  rank_meeting& at = *mine_.at;
  each_here([](rank_arrival& one, int) { one.is_given_up = true; });
  m_.of.fail(m_.mine(), thrown);  // before the others are told
  m_.of.catch_up();
  end();
  m_.in.give_back(at);
  std::rethrow_exception(thrown);
}

/// Tells the ranks that the call is over. The caller is the last to use what they brought.
void rank_call::end() {
  rank_meeting& at = *mine_.at;
  if (is_across()) {
    // Before others go on: a stand-in's code is in the copy of the program that its rank runs.
    at.stand_ins.clear();
    at.others.clear();
    at.packages.clear();
    at.briefs.clear();
  }
  each_here([&](rank_arrival& one, int rank) {
    if (&one != &mine_) m_.of.tell(rank, one, state::over);
  });
  mine_.set(state::over);
}

void rank_call::do_part(std::size_t rank) {
  rank_meeting& at = *mine_.at;
  m_.of.catch_up();  // a part is its own rank's if that is here by then
  // Relaxed: what the part needs the caller has seen when its own arrival was shared.
  if (at.is_claimed[rank].exchange(true, std::memory_order_relaxed)) return;
  const moment at_once(m_.of.links());
  try {
    mine_.brings->do_part(at.calls, static_cast<int>(rank));
  } catch (...) {
    at.arrivals[rank]->problem = std::current_exception();
  }
  m_.of.catch_up();
  a_part_is_done();
}

void rank_call::a_part_is_done() {
  // Release: what was done; acquire: what others have done.
  if (mine_.at->parts_left.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
  if (over_links* const links = m_.of.over())
    links->complete(*mine_.at);
  else
    end();
}

bool rank_call::has_moved() noexcept {
  mine_.is_awaited = true;
  const state now = mine_.is();
  if (now != state::come) return now == state::over || !has_helped_;
  const rank_meeting& at = *mine_.at;
  return is_across() && (at.ready.load(std::memory_order_relaxed) == mine_.number ||
                         at.needs_package.load(std::memory_order_relaxed) == mine_.number ||
                         at.is_cut_off.load(std::memory_order_relaxed) ||
                         (m_.of.has_failed() && at.is_open.load(std::memory_order_relaxed)));
}

void rank_call::advance() {
  if (is_across() && mine_.is() == state::come) meet_across();
  if (has_helped_ || mine_.is() != state::shared) return;
  rank_meeting& at = *mine_.at;
  do_part(static_cast<std::size_t>(m_.rank));
  for (;;) {
    const std::size_t next = at.next_part.fetch_add(1, std::memory_order_relaxed);
    if (next >= at.arrivals.size()) break;
    do_part(next);
  }
  has_helped_ = true;
}

bool rank_call::take_back() {
  is_taken_back_ = is_taken_back_ || m_.in.take_back(m_.rank, mine_) ||
                   (is_across() && m_.of.has_failed() && mine_.is() == state::come && m_.of.cut_off(m_.in, mine_));
  return is_taken_back_;
}

awaited_one rank_call::awaits() const {
  const auto* const one = dynamic_cast<const comm::arrival*>(mine_.brings);
  return {.is = awaited_one::what::call_of_all,
          .in = &m_,
          .begun = mine_.where,
          .number = mine_.number,
          .name = one ? comm::name_of(one->brings) : nullptr};
}

/// Suspends the caller until it is over or taken back, and does what it can do for it.
void rank_call::await(location where, world::at_failure then) {
  const auto tells = [&](rank_wait& into) {
    into.where = where;
    into.all.push_back(awaits());
  };
  while (!is_over()) {
    {
      const outside_gate others_go_on(m_.of.at(m_.mine()).gate);
      if (!is_across())  // where a packet may make it go on, `wait` looks
        m_.of.look(others_go_on,
                   [this] { return mine_.is() == state::over || (mine_.is() == state::shared && !has_helped_); });
      const auto moved = [this] { return has_moved(); };
      // Where it cannot leave, others are at work on what is left.
      if (!m_.of.wait(others_go_on, m_.mine(), awaited(tells), moved, then, is_across()))
        then = world::at_failure::go_on;
    }
    if (m_.of.has_failed() && take_back()) return;
    advance();
    if (m_.of.has_failed() && is_across()) m_.of.let_others_run(m_.mine());  // another may be sending the package
  }
}

void rank_call::wait(location where, std::uint64_t number) {
  await_end(where);
  m_.of.record(trace::event_kind::completes, 0, number);
}

void rank_call::await_end(location where) {
  if (is_over()) return tell_problem(where);
  await(where, world::at_failure::give_up);
  if (is_taken_back_) m_.of.throw_given_up(m_.mine(), where);
  tell_problem(where);
}

void rank_call::tell_problem(location where) const {
  if (mine_.is_given_up) m_.of.throw_given_up(m_.mine(), where);
  if (mine_.problem) std::rethrow_exception(mine_.problem);
}

}  // namespace maslin
