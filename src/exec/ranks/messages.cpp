// What a rank sends and receives.

#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>

#include "comm/bytes_as.hpp"
#include "exec/ranks/started.hpp"
#include "exec/tracing.hpp"
#include "task/pool.hpp"

namespace maslin {

using comm::transfer;
using detail::elements;
using detail::rank_member;
using trace::event_kind;

namespace {

// A message of up to so many bytes is copied while the mailbox is locked; a longer one after it.
constexpr std::size_t copied_under_lock = 2048;
// So many places a mailbox has for messages that are kept, so that their senders go on.
constexpr int most_kept = 64;

[[noreturn, gnu::noinline]] void throw_no_rank(const rank_member& m, int rank, const char* call,
                                               const location& where) {
  throw error(fmt::format("{} at {}: there is no rank {}; expected 0 to {}", call, at_place(where), rank,
                          m.in.ranks.size() - 1));
}
void expect_rank(const rank_member& m, int rank, const char* call, const location& where) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= m.in.ranks.size()) [[unlikely]]
    throw_no_rank(m, rank, call, where);
}
[[noreturn, gnu::noinline]] void throw_wrong_tag(int tag, const char* call, const location& where) {
  throw error(fmt::format("{} at {}: tag {}; expected a number from 0", call, at_place(where), tag));
}
void expect_tag(int tag, const char* call, const location& where) {
  if (tag < 0) [[unlikely]]
    throw_wrong_tag(tag, call, where);
}

[[gnu::always_inline]] inline comm::pattern expected_pattern(const rank_member& m, int from, int tag, const char* call,
                                                             const location& where) {
  expect_call(m, call, where);
  if (from != any_source) expect_rank(m, from, call, where);
  if (tag != any_tag) expect_tag(tag, call, where);
  return {from, tag, m.in.number};
}

[[gnu::always_inline]] inline void expect_send(const rank_member& m, int to, int tag, const location& where) {
  expect_call(m, "send", where);
  expect_rank(m, to, "send", where);
  expect_tag(tag, "send", where);
}

void record_send(const rank_member& m, const elements& data, int box, int tag, bool is_synchronous) noexcept {
  m.of.record(event_kind::sends, static_cast<std::uint32_t>(box),
              trace::pack(trace::sent_as{data.extent * data.bytes, is_synchronous}));
  m.of.record(event_kind::channel, m.in.number, static_cast<std::uint64_t>(tag));
}

void fill_message(transfer& t, const rank_member& m, const elements& data, int tag, bool is_synchronous,
                  location where) {
  t.owner = m.mine();
  t.said = {m.rank, tag, m.in.number};
  t.data = data;
  t.is_synchronous = is_synchronous;
  t.where = where;
}

/// The message comes to that rank's mailbox: gives whether the sender is done with it.
bool post_message(world& of, transfer& message, int box) {
  if (!of.is_here(box)) return of.across()->send(message, box);
  over_links* const links = of.over();
  const moment at_once(of.links());
  const bool is_stand_in = message.is_elsewhere && !message.is_copy;
  rank_state& its = of.at(box);
  its.lock.lock();
  if (transfer* const receive = its.box.match_receive(message.said)) {
    if (is_stand_in) {
      its.lock.unlock();
      if (of.across()->take(&message, *receive)) of.wake(box, [&] { receive->set(transfer::state::done); });
      return true;
    }
    if (message.bytes() > copied_under_lock || links) {
      its.lock.unlock();
      comm::deliver(message, *receive);
      if (links) return links->send(message, receive, message, box);
      of.wake(box, [&] { receive->set(transfer::state::done); });
      return true;
    }
    comm::deliver(message, *receive);
    receive->set(transfer::state::done);
    waiter* const sleeper = world::take_sleeper(its);
    its.lock.unlock();
    of.resume(box, sleeper);
    return true;
  }
  const int places = of.places_of(message.bytes());
  const bool is_small =
      comm::is_eager(message.bytes(), message.is_synchronous, of.eager_bytes()) && its.kept + places <= most_kept;
  const bool may_keep = message.is_elsewhere ? message.is_copy : is_small;
  transfer* const kept = may_keep ? world::copy_of(message) : nullptr;
  if (message.is_copy && !kept) {
    its.lock.unlock();
    throw std::bad_alloc();  // its sender is done with it
  }
  if (kept && message.is_elsewhere) {
    kept->came = message.came;
    of.across()->keeps(box);
  } else if (kept) {
    of.count_kept(box, places);
    kept->came = message.came = ++its.copied;
  }
  its.box.add_message(kept ? *kept : message);
  waiter* const sleeper = its.probes ? world::take_sleeper(its) : nullptr;
  const bool looks = std::exchange(its.probes, false);
  its.lock.unlock();
  if (looks) of.resume(box, sleeper);
  if (links) return links->send(message, nullptr, kept ? *kept : message, box);
  return kept != nullptr;
}

/// A copy is no longer kept for that rank, whose lock the caller holds.
void let_go(world& of, const transfer& copy, int rank) MASLIN_UNCHECKED {
  if (copy.is_elsewhere)
    of.across()->keeps_no_longer(rank);
  else
    of.count_kept(rank, -of.places_of(copy.bytes()));
}

/// The rank begins to receive, from that rank of the world, or any: gives whether it has received.
bool post_receive(world& of, transfer& receive, int rank, int from) {
  over_links* const links = of.over();
  const moment at_once(of.links());
  if (links) links->ask(receive, from);
  rank_state& mine = of.at(rank);
  mine.lock.lock();
  transfer* const message = mine.box.match_message(receive.wanted);
  if (!message) {
    const bool has_memory = of.take_from_rings(rank, receive, from), is_done = receive.is_done();
    if (!is_done && has_memory) mine.box.add_receive(receive);
    mine.lock.unlock();
    if (!has_memory) throw std::bad_alloc();
    return is_done;
  }
  if (message->is_copy) let_go(of, *message, rank);
  mine.lock.unlock();
  if (message->is_elsewhere && !message->is_copy) {
    if (!of.across()->take(message, receive)) return false;
    receive.set(transfer::state::done);
    return true;
  }
  comm::deliver(*message, receive);
  const bool is_there = !links || links->receive(*message, receive);
  if (!links) receive.set(transfer::state::done);
  if (message->is_copy)
    world::free_copy(message);
  else if (!links)
    of.wake(message->owner, [&] { message->set(transfer::state::done); });
  return is_there;
}

/// Takes back what is queued in that rank's mailbox; false where it has been matched.
bool withdraw(world& of, transfer& t, bool is_send, int box) {
  if (!of.is_here(box)) return of.across()->withdraw(t, box);
  rank_state& its = of.at(box);
  const base::locked held(its.lock);
  if (!is_send) of.take_in(box);  // what was sent before is received; without memory it is not
  if (t.is.load(std::memory_order_relaxed) != transfer::state::queued) return false;
  if (is_send)
    its.box.remove_message(t);
  else
    its.box.remove_receive(t);
  if (of.over()) of.over()->withdraw(t);
  t.set(transfer::state::alone);
  return true;
}

/// The same for a message that its sender knows by that number: a copy, or one whose bytes are elsewhere.
bool withdraw_sent(world& of, int owner, std::uint64_t number, bool is_copy, int box) {
  if (is_copy) of.empty_ring(owner, box);
  rank_state& its = of.at(box);
  transfer* sent = nullptr;
  {
    const base::locked held(its.lock);
    sent = its.box.find_sent(owner, number, is_copy);
    if (!sent) return false;
    its.box.remove_message(*sent);
    if (of.over()) of.over()->withdraw(*sent);
    if (is_copy) let_go(of, *sent, box);
  }
  if (is_copy)
    world::free_copy(sent);
  else
    delete sent;
  return true;
}

int in_world(const rank_member& m, int rank) { return rank == any_source ? any_source : m.in_world(rank); }

awaited_one awaits(const rank_member& m, const transfer& t, bool is_send, int box) {
  using enum awaited_one::what;
  if (is_send) return {.is = send, .in = &m, .begun = t.where, .rank = box, .tag = t.said.tag};
  return {.is = receive, .in = &m, .begun = t.where, .rank = in_world(m, t.wanted.source), .tag = t.wanted.tag};
}

/// Waits for what was posted. If the world fails first, it is taken back.
void complete(world& of, transfer& t, bool is_send, int box, const awaited& what, const location& where) {
  const auto done = [&t] { return t.is_done(); };
  {
    const outside_gate others_go_on(of.at(t.owner).gate);
    if (of.look_for_messages(others_go_on, t.owner, done, t.bytes()) ||
        of.wait(others_go_on, t.owner, what, done, world::at_failure::give_up, false))
      return;
  }
  if (t.is_alone() || withdraw(of, t, is_send, box)) of.throw_given_up(t.owner, where);
  of.wait(t.owner, what, done, world::at_failure::go_on);
}

message received(const transfer& t, int rank) {
  if (!comm::are_alike(*t.came_as, *t.data.type)) throw comm::other_elements(comm::problem_with(t, rank));
  if (!comm::is_right(t)) throw error(comm::problem_with(t, rank));
  return {t.said.source, t.said.tag, t.came};
}

/// What a receive that is complete has got.
void record_received(const rank_member& m, const transfer& t) noexcept {
  m.of.record(event_kind::gets, static_cast<std::uint32_t>(m.in_world(t.said.source)), t.came * t.data.bytes);
  m.of.record(event_kind::channel, t.wanted.group, static_cast<std::uint64_t>(t.said.tag));
}

/// A send or a receive that was started.
struct started_message final : detail::started, transfer {
  using started::started;
  // They come and go in great numbers.
  static void* operator new(std::size_t size, const rank_member& m) { return m.spare.take(size); }
  static void operator delete(started_message* it, std::destroying_delete_t) noexcept {
    const rank_member& m = it->by;
    ++m.users;  // while its memory is given back
    it->~started_message();
    m.spare.give(it, sizeof(started_message));
    rank_member::leave(&m);
  }
  static std::unique_ptr<started_message> make(const rank_member& m) {
    return std::unique_ptr<started_message>(new (m) started_message(m));
  }
  ~started_message() override {
    if (is_alone()) return;
    if (!is_done()) by.of.catch_up();
    if (!is_done()) {
      if (withdraw(by.of, *this, is_send, box)) {
        record_end(1);
        return;
      }
      const auto tells = [this](rank_wait& told) {
        told.where = where;
        told.all.push_back(awaits());
      };
      by.of.wait(
          owner, awaited(tells), [this] { return is_done(); }, world::at_failure::go_on);
    }
    record_completion();  // perhaps nobody has waited for it
  }

  message wait(location place) override {
    if (!is_done()) {
      const traced_await waits(by.of);
      const auto tells = [&](rank_wait& told) {
        told.where = place;
        told.all.push_back(awaits());
      };
      complete(by.of, *this, is_send, box, awaited(tells), place);
    }
    record_completion();
    if (is_send) return {by.rank, said.tag, data.extent};
    return received(*this, by.rank);
  }
  bool test() override {
    begin_test(where);
    if (is_done()) {
      record_completion();
      if (!is_send) received(*this, by.rank);
      return true;
    }
    if (by.of.has_failed() && (is_alone() || withdraw(by.of, *this, is_send, box))) by.of.throw_given_up(owner, where);
    return false;
  }
  bool cancel() override {
    if (!take_back()) return false;
    record_end(1);
    return true;
  }
  bool end_if_well_over(message& its) noexcept override {
    if (!is_done() || trace::on() || (!is_send && !comm::is_right(*this))) return false;
    its = is_send ? message{by.rank, said.tag, data.extent} : message{said.source, said.tag, came};
    delete this;
    return true;
  }
  bool take_back() {
    if (is_send && !by.of.is_here(box)) return withdraw(by.of, *this, true, box);  // `came` may change until that
    if (is_send && came != 0) return withdraw_sent(by.of, owner, came, true, box);
    return !is_done() && withdraw(by.of, *this, is_send, box);
  }
  bool is_over() const noexcept override { return is_done(); }
  bool is_message() const noexcept override { return true; }
  std::size_t message_bytes() const noexcept override { return bytes(); }
  awaited_one awaits() const override { return maslin::awaits(by, *this, is_send, box); }

  void record_started() const noexcept { by.of.record(event_kind::starts, 0, traced_number(this)); }
  /// `how`: 1 if it was taken back.
  void record_end(std::uint32_t how) noexcept {
    is_recorded = true;
    by.of.record(event_kind::completes, how, traced_number(this));
  }
  void record_completion() noexcept {
    if (is_recorded || !trace::on(event_kind::completes)) return;
    record_end(0);
    if (!is_send) record_received(by, *this);
  }

  bool is_send = false;
  bool is_recorded = false;  ///< its end
  int box = 0;               ///< the rank in whose mailbox it is queued
};

std::unique_ptr<started_message> begin_to_receive(const rank_member& m, const comm::pattern& wanted,
                                                  const elements& into, const location& where) {
  auto started = started_message::make(m);
  started->wanted = wanted;
  started->owner = started->box = m.mine();
  started->data = into;
  started->where = where;
  m.of.record(event_kind::receives);
  post_receive(m.of, *started, started->owner, in_world(m, wanted.source));
  started->record_started();
  return started;
}

}  // namespace

transfer* world::copy_of(const transfer& message) noexcept try {
  return comm::copy_into(pool::take(comm::size_of_copy(message.bytes())), message);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void world::free_copy(transfer* copy) noexcept {
  const std::size_t size = comm::size_of_copy(copy->bytes());
  copy->~transfer();
  pool::give(copy, size);
}
void world::count_kept(int rank, int places) noexcept MASLIN_UNCHECKED {
  int& kept = at(rank).kept;
  kept += places;
  if (rings_) rings_->set_full(rank, kept >= most_kept);
}

namespace {

/// Takes what lies in a ring, of that rank, to the mailbox whose lock the caller holds: to the receives that wait for
/// it; to `wanted`, behind these, and then no more; the rest is kept. False where there is no memory for that. Gives
/// who is to be resumed, if somebody is.
bool take_out(world& of, comm::message_ring& ring, int from, int rank, transfer* wanted,
              waiter*& sleeper) noexcept MASLIN_UNCHECKED {
  rank_state& its = of.at(rank);
  for (comm::message_ring::head one; ring.first(one); ring.pop(one.bytes())) {
    transfer* receive = its.box.match_receive(one.said);
    if (!receive && wanted && wanted->wanted.takes(one.said)) receive = wanted;
    if (receive) {
      if (comm::say(one.said, one.data, *receive)) ring.copy_to(receive->data.data, one.bytes());
      receive->set(transfer::state::done);
      if (receive == wanted) return ring.pop(one.bytes()), true;
      if (waiter* const woken = world::take_sleeper(its)) sleeper = woken;
      continue;
    }
    void* memory = nullptr;
    try {
      memory = pool::take(comm::size_of_copy(one.bytes()));
    } catch (const std::bad_alloc&) {
      return false;
    }
    transfer* const kept = comm::make_copy(memory, one.said, one.data, from);
    ring.copy_to(kept->data.data, one.bytes());
    kept->came = one.number;
    of.count_kept(rank, of.places_of(one.bytes()));
    its.box.add_message(*kept);
    if (std::exchange(its.probes, false))
      if (waiter* const woken = world::take_sleeper(its)) sleeper = woken;
  }
  return true;
}

}  // namespace

std::uint64_t world::put(int from, int to, const comm::envelope& said, const elements& data, bool is_synchronous) {
  const bool is_small = comm::is_eager(data.extent * data.bytes, is_synchronous, eager_bytes_);
  const message_rings::put is = is_small ? rings_->send(from, to, said, data) : message_rings::put::refused;
  if (is != message_rings::put::done) empty_ring(from, to);
  return is == message_rings::put::refused ? 0 : rings_->between(from, to)->number();
}

void world::empty_ring(int from, int to) MASLIN_UNCHECKED {
  comm::message_ring* const ring = rings_ ? rings_->between(from, to) : nullptr;
  if (!ring || ring->is_read()) return;
  waiter* sleeper = nullptr;
  rank_state& its = at(to);
  its.lock.lock();
  const bool has_memory = take_out(*this, *ring, from, to, nullptr, sleeper);
  its.lock.unlock();
  resume(to, sleeper);
  if (has_memory) return;
  // The receiver may sleep beside the message.
  if (!has_failed()) fail(from, std::make_exception_ptr(std::bad_alloc()));
  throw std::bad_alloc();
}

bool world::take_out_of_rings(int rank, transfer* receive, int from) noexcept MASLIN_UNCHECKED {
  waiter* nobody = nullptr;  // who would sleep takes it out
  if (from != any_source) {
    comm::message_ring* const ring = rings_->read_from(from, rank);
    return !ring || take_out(*this, *ring, from, rank, receive, nobody);
  }
  std::size_t& first = at(rank).first_ring;
  return rings_->each_of(rank, first, [&](comm::message_ring& one, int its) MASLIN_UNCHECKED {
    if (receive && receive->is_done()) return true;
    const bool has_memory = take_out(*this, one, its, rank, receive, nobody);
    if (receive && receive->is_done()) first = static_cast<std::size_t>(its) + 1;
    return has_memory;
  });
}

void post_from_elsewhere(world& of, transfer& message, int box) { post_message(of, message, box); }
bool withdraw_from_elsewhere(world& of, int owner, std::uint64_t id, bool is_copy, int box) {
  return withdraw_sent(of, owner, id, is_copy, box);
}

void rank_member::expect_own_thread(const char* call, const location& where) const {
  const context& caller = current_context();
  if (caller.is_root && of.at(mine()).gate) return;
  throw error(fmt::format(
      "{} at {}: called by {} of rank {}; expected the rank's own code, which alone sends and receives", call,
      at_place(where), caller.is_root ? "another thread" : "a task, a stream or a loop's body", rank));
}

communicator::communicator(std::shared_ptr<const rank_member> member) noexcept : member_(std::move(member)) {}
communicator::communicator(communicator&& from) noexcept = default;
communicator::~communicator() = default;
int communicator::rank() const noexcept { return member_->rank; }
int communicator::size() const noexcept { return static_cast<int>(member_->in.ranks.size()); }

void communicator::send_elements(const elements& data, int to, int tag, bool is_synchronous, location where) {
  const rank_member& m = *member_;
  expect_send(m, to, tag, where);
  const int box = m.in_world(to);
  record_send(m, data, box, tag, is_synchronous);
  if (m.of.put_into_ring(m.mine(), box, {m.rank, tag, m.in.number}, data, is_synchronous) == 0) {
    transfer mine;
    fill_message(mine, m, data, tag, is_synchronous, where);
    if (!post_message(m.of, mine, box)) {
      const auto tells = [&](rank_wait& told) {
        told.where = where;
        told.all.push_back(awaits(m, mine, true, box));
      };
      complete(m.of, mine, true, box, awaited(tells), where);
    }
  }
  m.of.record(event_kind::completes);
}

message communicator::receive_elements(const elements& into, int from, int tag, location where) {
  const rank_member& m = *member_;
  transfer mine;
  mine.wanted = expected_pattern(m, from, tag, "receive", where);
  mine.owner = m.mine();
  mine.data = into;
  mine.where = where;
  m.of.record(event_kind::receives);
  if (!post_receive(m.of, mine, mine.owner, in_world(m, from))) {
    const auto tells = [&](rank_wait& told) {
      told.where = where;
      told.all.push_back(awaits(m, mine, false, mine.owner));
    };
    complete(m.of, mine, false, mine.owner, awaited(tells), where);
  }
  m.of.record(event_kind::completes);
  record_received(m, mine);
  return received(mine, m.rank);
}

request communicator::start_send_elements(const elements& data, int to, int tag, bool is_synchronous, location where) {
  const rank_member& m = *member_;
  auto started = started_message::make(m);
  expect_send(m, to, tag, where);
  fill_message(*started, m, data, tag, is_synchronous, where);
  started->is_send = true;
  started->box = m.in_world(to);
  record_send(m, data, started->box, tag, is_synchronous);
  started->came = m.of.put_into_ring(started->owner, started->box, started->said, data, is_synchronous);
  if (started->came != 0 || post_message(m.of, *started, started->box)) started->set(transfer::state::done);
  started->record_started();
  return request(std::move(started));
}

request communicator::start_receive_elements(const elements& into, int from, int tag, location where) {
  return request(begin_to_receive(*member_, expected_pattern(*member_, from, tag, "receive", where), into, where));
}

std::uint64_t detail::send_at_once(communicator& in, const elements& data, int to, int tag, location where) {
  const rank_member& m = rank_member::of_communicator(in);
  if (!m.of.may_put(data.extent * data.bytes) || trace::on()) return 0;
  expect_send(m, to, tag, where);
  return m.of.put_into_ring(m.mine(), m.in_world(to), {m.rank, tag, m.in.number}, data, false);
}

bool detail::take_back(communicator& in, int to, std::uint64_t number, location where) {
  const rank_member& m = rank_member::of_communicator(in);
  m.expect_own_code("take_back", where);
  return withdraw_sent(m.of, m.mine(), number, true, m.in_world(to));
}

std::optional<request> detail::receive_if_there(communicator& in, const elements& into, int from, int tag,
                                                location where, message& came) MASLIN_UNCHECKED {
  const rank_member& m = rank_member::of_communicator(in);
  const comm::pattern wanted = expected_pattern(m, from, tag, "receive", where);
  const int rank = m.mine();
  comm::message_ring* const ring = from != any_source ? m.of.ring_into(rank, m.in_world(from)) : nullptr;
  if (ring && ring->has_some() && !trace::on()) {
    rank_state& mine = m.of.at(rank);
    const base::locked held(mine.lock);
    comm::message_ring::head one;
    // Nothing came before it, and nobody waits for it.
    if (mine.box.empty() && ring->first(one) && wanted.takes(one.said) &&
        comm::is_right(one.data.extent, *one.data.type, into)) {
      ring->copy_to(into.data, one.bytes());
      ring->pop(one.bytes());
      came = {one.said.source, one.said.tag, one.data.extent};
      return std::nullopt;
    }
  }
  return started::as_request(begin_to_receive(m, wanted, into, where));
}

bool detail::take_complete(request& one, message& came) noexcept { return started::take(one, came); }

message communicator::probe(int from, int tag, location where) {
  const rank_member& m = *member_;
  const comm::pattern wanted = expected_pattern(m, from, tag, "probe", where);
  rank_state& mine = m.of.at(m.mine());
  message found;
  const traced_await waits(m.of);
  const auto tells = [&](rank_wait& told) {
    told.where = where;
    told.all.push_back(
        {.is = awaited_one::what::probe, .in = &m, .begun = where, .rank = in_world(m, from), .tag = tag});
  };
  const bool came = m.of.wait(m.mine(), awaited(tells), [&]() MASLIN_REQUIRES(mine.lock) {
    const transfer* const first = mine.box.find_message(wanted);
    if (!first) mine.probes = true;
    if (first) found = {first->said.source, first->said.tag, first->data.extent};
    return first != nullptr;
  });
  if (!came) m.of.throw_given_up(m.mine(), where);
  return found;
}

std::optional<message> communicator::look(int from, int tag, location where) {
  const rank_member& m = *member_;
  const comm::pattern wanted = expected_pattern(m, from, tag, "look", where);
  m.of.let_others_run(m.mine());
  rank_state& mine = m.of.at(m.mine());
  const base::locked held(mine.lock);
  const transfer* const first = mine.box.find_message(wanted);
  if (!first) return std::nullopt;
  return message{first->said.source, first->said.tag, first->data.extent};
}

}  // namespace maslin
