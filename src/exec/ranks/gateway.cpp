#include "exec/ranks/gateway.hpp"

#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/fence.hpp"
#include "base/start_thread.hpp"
#include "exec/node/segment.hpp"
#include "exec/ranks/eager.hpp"
#include "exec/ranks/world.hpp"

namespace maslin {

using comm::packet;
using comm::transfer;
using what = comm::packet::what;

namespace {

// The text of a letter of so many bytes is copied by its reader, too.
constexpr std::size_t lent_bytes = 32 << 10;
// So many packets of a process are read before those of the next one.
constexpr int read_in_turn = 64;

std::uint64_t number_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }
template <class T>
T* object_at(std::uint64_t number) noexcept {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number));
}

}  // namespace

gateway::gateway(const process_of_job& process, int ranks, void* memory)
    : process_(process),
      node_(process, ranks, memory),
      me_(node_.member_for(process.number)),
      process_of_(process.process_of_rank.empty() ? in_blocks(ranks, process.count) : process.process_of_rank),
      ranks_here_(ranks_of_process(process_of_, process.number)),
      eager_bytes_(std::min(eager_bytes_of_the_run().value_or(packets::most_bytes), packets::most_bytes)),
      waiting_(rank_waiting_of_the_run()),
      spin_time_(waiting_ == rank_waiting::automatic ? usual_spin_time : longest_rank_awake),
      out_(std::make_unique<out[]>(static_cast<std::size_t>(node_.members()))),
      copies_directly_(!process.copies_in_pieces),
      unfinished_(static_cast<std::size_t>(process.count)) {
#ifdef PR_SET_PTRACER
  prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);  // who started all members, and so these, may copy from each other
#endif
}

gateway::~gateway() { stop(); }

void gateway::stop() {
  if (!thread_.joinable()) return;
  end_receiving();
  thread_.join();
}

void gateway::end_receiving() noexcept {
  is_ending_.store(true, std::memory_order_relaxed);  // before `ring`, which releases
  ring(own_place());
}

void gateway::connect(world& of, int workers, int cpus) {
  of_ = &of;
  own_place().tried_at.store(number_of(&tried_), std::memory_order_relaxed);
  own_place().pid.store(getpid(), std::memory_order_release);  // what is before
  // Ranks that share a worker have no core of their own.
  node_.tell_cores(me_, static_cast<int>(ranks_here_.size()) <= workers ? workers : INT_MAX / 2, cpus);
}

void gateway::start_receiving() {
  thread_ = base::start_thread([] {}, [this] { receive(); });
}

bool gateway::finds_own_cores() noexcept {
  const std::optional<bool> known = node_.has_cores();
  if (known) own_cores_.store(*known ? has : has_not, std::memory_order_relaxed);
  return known.value_or(false);
}

void gateway::finish() {
  node_place& own = own_place();
  begin_wait();  // also where no rank has begun
  own.has_ended.store(1, std::memory_order_release);
  for (int member = 0; member < node_.members(); ++member) ring(node_.at(member));
  const auto all_have = [this] {
    for (int member = 0; member < node_.members(); ++member)
      if (node_.at(member).has_ended.load(std::memory_order_acquire) == 0) return false;
    return true;
  };
  for (;;) {
    const std::uint32_t rung = own.bell.word().load(std::memory_order_acquire);
    if (all_have()) return;
    node::sleep_at(own.bell.word(), rung);
  }
}

// Sleeping and waking.

void gateway::ring(node_place& of) noexcept {
  of.bell.ring();
  node::wake_sleepers(of.bell.word());
}

void gateway::rouse(int member, bool at_once) noexcept {
  if (node_.at(member).bell.is_to_be_rung(at_once)) ring(node_.at(member));
}

bool gateway::has_come() const noexcept {
  for (int member = 0; member < node_.members(); ++member)
    if (member != me_ && ring_from(member).has_some()) return true;
  return false;
}

void gateway::receive() {
  node_place& own = own_place();
  for (;;) {
    // Before it is asked whether this ends: who says so rings then.
    const std::uint32_t rung = own.bell.word().load(std::memory_order_acquire);
    if (is_ending_.load(std::memory_order_relaxed)) return;
    bool any = false;
    {
      const base::locked held(engine_);
      any = poll_locked();
    }
    if (any) continue;
    own.bell.lie_down();
    if (!has_come() && !flush_all()) node::sleep_at(own.bell.word(), rung);
    own.bell.get_up();
  }
}

void gateway::look_once_more() {
  flush_all();  // who read meanwhile has not rung
  while (has_come())
    if (!poll()) return ring(own_place());  // another reads, and may be past it
}

// All wait.

bool gateway::has_waiting_packets() const noexcept {
  for (int member = 0; member < node_.members(); ++member)
    if (out_[static_cast<std::size_t>(member)].has_some.load(std::memory_order_relaxed)) return true;
  return false;
}

bool gateway::all_wait() {
  if (node_.has_forwarder()) return own_place().is_told_of_stop.load(std::memory_order_relaxed) != 0;
  std::vector<comm::report::seen> now(static_cast<std::size_t>(processes()));
  int first_asleep = processes();
  for (int process = processes() - 1; process >= 0; --process) {
    const auto one = node_.at(process).report.look();
    if (!one) return false;  // later
    if (one->found.are == found::moving) return before_.clear(), false;
    if (one->found.are == found::asleep) first_asleep = process;
    now[static_cast<std::size_t>(process)] = *one;
  }
  if (first_asleep != mine()) return before_.clear(), false;
  if (before_.empty()) {
    for (int from = 0; from < processes(); ++from)
      for (int to = 0; to < processes(); ++to)
        if (from != to && node_.ring(from, to).has_some()) return false;
    for (int process = 0; process < processes(); ++process)
      now[static_cast<std::size_t>(process)].number =
          node_.at(process).report.number();  // behind the look at the rings
    before_ = std::move(now);
    return false;
  }
  // Their second report after that was begun after it: who is found as before did nothing in between.
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before_[i].found != now[i].found) return before_.clear(), false;
    if (!now[i].is_well_behind(before_[i].number)) return false;
  }
  return true;
}

// Reading.

bool gateway::poll() {
  if (!engine_.try_lock()) return false;
  const base::locked held(engine_, std::adopt_lock);
  return poll_locked();
}

bool gateway::poll_locked() {
  bool any = false;
  for (int member = 0; member < node_.members(); ++member) {
    if (member == me_) continue;
    packets& from = ring_from(member);
    const bool is_forwarded = node_.has_forwarder() && member == node_.forwarder();
    bool read = false, is_to_tell = false;
    for (int i = 0; i < read_in_turn; ++i) {
      const auto one = from.first();
      if (!one) break;
      ++handled_;
      comm::hears_process(&ring_to(member));
      try {
        handle(is_forwarded ? one.peer : node_.process_at(member), *one.head, one.data);
      } catch (...) {
        of_->fail(ranks_here_.front(), std::current_exception());
      }
      is_to_tell |= from.pop();
      read = true;
    }
    if (is_to_tell) {
      MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `flush`
      if (from.takes_wait_back()) rouse(member, true);
    }
    if (out_[static_cast<std::size_t>(member)].has_some.load(std::memory_order_relaxed)) read |= flush(member);
    any |= read;
  }
  return any;
}

void gateway::handle(int from, const packet& one, const std::byte* data) {
  switch (one.is) {
    case what::small:
    case what::offered: {
      const bool small = one.is == what::small;
      transfer here;
      transfer& message = small ? here : *new transfer;  // the mailbox's
      message.is_elsewhere = true;
      message.is_copy = small;
      message.owner = one.owner;
      message.said = {one.source, one.tag, one.group};
      message.data = {small ? const_cast<std::byte*>(data) : object_at<void>(one.whole.address),
                      small ? one.bytes : one.whole.extent, 1, &comm::type_numbered(one.type)};
      message.came = one.id;
      return post_from_elsewhere(*of_, message, one.to);
    }
    case what::taken: {
      auto* const sent = object_at<transfer>(one.id);
      return of_->wake(sent->owner, [&] { sent->set(transfer::state::done); });
    }
    case what::wanted: {
      packet head;
      head.is = what::piece;
      head.whole.address = one.whole.address;
      return post({from, head, {}, object_at<transfer>(one.id)});
    }
    case what::piece: {
      auto* const receive = object_at<transfer>(one.whole.address);
      std::memcpy(static_cast<std::byte*>(receive->data.data) + one.whole.at, data, one.bytes);
      if (one.whole.at + one.bytes < one.whole.extent) return;
      return of_->wake(receive->owner, [&] { receive->set(transfer::state::done); });
    }
    case what::asked:
      return answer(from, one.whole.address, withdraw_from_elsewhere(*of_, one.owner, one.id, one.tag != 0, one.to));
    case what::brief:
      return of_->read_brief(from, one, {data, one.bytes});
    case what::letter:
      return handle_letter(from, one, data);
    case what::lent:
      return copy_letter(from, one);
    case what::returned:
      return take_letter_back(from, one);
    case what::answered: {
      auto* const asked = object_at<question>(one.whole.address);
      return of_->wake(asked->rank, [&] {
        asked->answer = one.id;
        asked->is_answered = true;
      });
    }
    case what::woken:
      for (const int rank : ranks_here_)
        if (one.id >> rank & 1) of_->wake(rank, [] {});
      return;
  }
}

void gateway::handle_letter(int from, const packet& one, const std::byte* data) {
  letter& whole = unfinished_[static_cast<std::size_t>(from)];
  if (one.whole.at == 0) {
    whole = {static_cast<letter::what>(one.tag), one.group, one.source, one.id, {}};
    whole.text.reserve(one.whole.extent);
  }
  whole.text.insert(whole.text.end(), data, data + one.bytes);
  if (whole.text.size() == one.whole.extent) of_->read_letter(from, std::exchange(whole, {}));
}

void gateway::copy_letter(int from, const packet& one) {
  letter whole{static_cast<letter::what>(one.tag), one.group, one.source, one.id, {}};
  whole.text.resize(one.whole.extent);
  const bool is_copied = copy_from(from, object_at<void>(one.whole.address), whole.text.data(), whole.text.size());
  packet head;
  head.is = what::returned;
  head.id = one.whole.at;
  head.tag = is_copied ? 0 : 1;
  post({from, head, {}, nullptr});
  if (is_copied) of_->read_letter(from, std::move(whole));
}

void gateway::take_letter_back(int from, const packet& one) {
  letter whole;
  {
    const base::locked held(lent_lock_);
    const auto its = lent_.find(one.id);
    whole = std::move(its->second);
    lent_.erase(its);
  }
  if (one.tag != 0) send_in_pieces(from, std::move(whole));
}

// Writing.

bool gateway::write(int member, transfer& message) {
  packets& to = ring_to(member);
  const bool small = message.came != 0;
  const std::size_t bytes = small ? message.bytes() : 0;
  const auto room = to.room(small ? what::small : what::offered, bytes, process_of(message.wanted.source));
  if (!room) return false;
  packet& head = *room.head;
  head.type = comm::number_of(*message.data.type);
  head.to = message.wanted.source;
  head.owner = message.owner;
  head.source = message.said.source;
  head.tag = message.said.tag;
  head.group = message.said.group;
  head.id = small ? message.came : number_of(&message);
  if (!small) head.whole = {message.bytes(), number_of(message.data.data), 0};
  if (bytes > 0) std::memcpy(room.data, message.data.data, bytes);
  message.set(transfer::state::matched);  // before the receiver knows of it
  to.publish();
  return true;
}

bool gateway::send(transfer& message, int to) {
  message.wanted.source = to;  // which a send has no use for
  const bool small = comm::is_eager(message.bytes(), message.is_synchronous, eager_bytes_) && may_keep(to);
  const int member = node_.member_for(process_of(to));
  out& of = out_[static_cast<std::size_t>(member)];
  of.lock.lock();
  message.came = small ? ++of.numbered : 0;
  const bool written = of.messages.empty() && write(member, message);
  if (!written) {
    of.messages.add(message);
    of.has_some.store(true, std::memory_order_relaxed);
  }
  of.lock.unlock();
  if (written)
    rouse(member, !small);
  else
    flush(member);
  return written && small;
}

void gateway::post(outgoing&& one) {
  const int member = node_.member_for(one.process);
  out& of = out_[static_cast<std::size_t>(member)];
  bool at_once = one.head.is_urgent();
  {
    const base::locked held(of.lock);
    at_once |= of.has_some.load(std::memory_order_relaxed);
    of.others.push_back(std::move(one));
    of.has_some.store(true, std::memory_order_relaxed);
  }
  flush(member, at_once);
}

bool gateway::write_some(int member, out& of, transfer*& done, bool& any) {
  packets& to = ring_to(member);
  while (!of.others.empty()) {
    outgoing& one = of.others.front();
    const std::size_t bytes = std::min(one.bytes() - one.sent, packets::most_bytes);
    const auto room = to.room(one.head.is, bytes, one.process);
    if (!room) return false;
    *room.head = one.head;
    room.head->bytes = static_cast<std::uint16_t>(bytes);
    if (one.bytes() > 0) {
      room.head->whole.extent = one.bytes();
      room.head->whole.at = one.sent;
    }
    if (bytes > 0) std::memcpy(room.data, one.data() + one.sent, bytes);
    to.publish();
    any = true;
    one.sent += bytes;
    if (one.sent < one.bytes()) continue;
    if (one.message) one.message->before = std::exchange(done, one.message);
    of.others.pop_front();
  }
  while (transfer* const message = of.messages.first()) {
    if (!may_keep(message->wanted.source)) message->came = 0;  // its receiver has got others since it was sent
    const bool small = message->came != 0;
    if (!to.room(small ? what::small : what::offered, small ? message->bytes() : 0)) return false;
    of.messages.remove(*message);
    write(member, *message);
    any = true;
    if (small) message->before = std::exchange(done, message);
  }
  of.has_some.store(false, std::memory_order_relaxed);
  return true;
}

bool gateway::flush(int member, bool at_once) {
  out& of = out_[static_cast<std::size_t>(member)];
  transfer* done = nullptr;
  bool any = false, is_full = false;
  {
    const base::locked held(of.lock);
    if (!write_some(member, of, done, any)) {
      ring_to(member).await_room();
      MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `poll_locked`
      is_full = !write_some(member, of, done, any);
    }
  }
  // What waits for room waits until somebody reads, although nobody may wait for what fills the ring.
  if (any || is_full) rouse(member, at_once || is_full);
  tell_done(done);
  return any;
}

bool gateway::flush_all() {
  bool any = false;
  for (int member = 0; member < node_.members(); ++member)
    if (out_[static_cast<std::size_t>(member)].has_some.load(std::memory_order_relaxed)) any |= flush(member);
  return any;
}

void gateway::tell_done(transfer* done) {
  while (done) {
    transfer* const one = std::exchange(done, done->before);
    of_->wake(one->owner, [&] { one->set(transfer::state::done); });
  }
}

// Messages whose bytes are elsewhere.

template <class Copy>
bool gateway::copy_directly(int process, std::byte* here, std::byte* there, std::size_t bytes, Copy&& copy) noexcept {
  if (!copies_directly_.load(std::memory_order_relaxed) || !node_.is_here(process)) return false;
  const auto pid = node_.at(node_.member_for(process)).pid.load(std::memory_order_relaxed);
  for (std::size_t done = 0; done < bytes;) {
    const iovec ours{here + done, bytes - done}, theirs{there + done, bytes - done};
    const ssize_t some = copy(pid, &ours, 1, &theirs, 1, 0);
    // A process that is gone ends its job, and with it this one: what it would tell meanwhile would be wrong.
    const bool is_gone = some < 0 && errno == ESRCH;
    while (is_gone) pause();
    if (some <= 0) {  // the system does not let it
      copies_directly_.store(false, std::memory_order_relaxed);
      return false;
    }
    done += static_cast<std::size_t>(some);
  }
  return true;
}

bool gateway::copy_from(int process, const void* from, void* to, std::size_t bytes) noexcept {
  return copy_directly(process, static_cast<std::byte*>(to), static_cast<std::byte*>(const_cast<void*>(from)), bytes,
                       process_vm_readv);
}
bool gateway::copy_to(int process, const void* from, void* to, std::size_t bytes) noexcept {
  return copy_directly(process, static_cast<std::byte*>(const_cast<void*>(from)), static_cast<std::byte*>(to), bytes,
                       process_vm_writev);
}

bool gateway::reaches(const std::vector<int>& processes) noexcept {
  static_assert(most_processes <= 64);
  for (const int process : processes) {
    const std::uint64_t bit = std::uint64_t{1} << process;
    if (reached_.load(std::memory_order_relaxed) & bit) continue;
    if (!node_.is_here(process)) return false;
    const node_place& its = node_.at(node_.member_for(process));
    if (its.pid.load(std::memory_order_acquire) == 0) return false;
    auto* const there = object_at<void>(its.tried_at.load(std::memory_order_relaxed));
    std::uint64_t number = 0;
    if (!copy_from(process, there, &number, sizeof number) || !copy_to(process, &number, there, sizeof number))
      return false;
    reached_.fetch_or(bit, std::memory_order_relaxed);
  }
  return copies_directly_.load(std::memory_order_relaxed);
}

bool gateway::take(transfer* stand_in, transfer& receive) {
  const std::unique_ptr<transfer> message(stand_in);
  const int process = process_of(message->owner);
  packet head;
  head.is = what::taken;
  head.id = message->came;
  receive.set(transfer::state::matched);  // it cannot be taken back any more
  const bool fits = comm::say(*message, receive);
  bool complete = true;
  if (fits && message->bytes() > 0 && !copy_from(process, message->data.data, receive.data.data, message->bytes())) {
    head.is = what::wanted;
    head.whole = {message->bytes(), number_of(&receive), number_of(message->data.data)};
    complete = false;
  }
  post({process, head, {}, nullptr});
  return complete;
}

bool gateway::withdraw(transfer& message, int to) {
  out& of = out_for(process_of(to));
  {
    const base::locked held(of.lock);
    if (message.is.load(std::memory_order_relaxed) == transfer::state::queued) {
      of.messages.remove(message);
      message.set(transfer::state::alone);
      return true;
    }
  }
  const bool copy = message.came != 0;
  if (!copy && message.is_done()) return false;
  packet about;
  about.is = what::asked;
  about.to = to;
  about.owner = message.owner;
  about.tag = copy;
  about.id = copy ? message.came : number_of(&message);
  if (ask(process_of(to), about, message.owner, message.where) == 0) return false;
  message.set(transfer::state::alone);
  return true;
}

// Questions and letters.

std::uint64_t gateway::ask(int process, const packet& what_about, int rank, location where) {
  question mine;
  mine.rank = rank;
  packet about = what_about;
  about.whole.address = number_of(&mine);
  post({process, about, {}, nullptr});
  return await_answer(mine, where);
}

std::uint64_t gateway::ask(int process, letter one, int rank, location where) {
  question mine;
  mine.rank = rank;
  one.id = number_of(&mine);
  send_letter(process, std::move(one));
  return await_answer(mine, where);
}

std::uint64_t gateway::await_answer(const question& asked, location where) {
  const auto tells = [&](rank_wait& into) {
    into.where = where;
    into.all.push_back({.begun = where});
  };
  of_->wait(
      asked.rank, awaited(tells), [&] { return asked.is_answered; }, world::at_failure::go_on);
  return asked.answer;
}

void gateway::answer(int process, std::uint64_t question, std::uint64_t with) {
  packet head;
  head.is = what::answered;
  head.whole.address = question;
  head.id = with;
  post({process, head, {}, nullptr});
}

void gateway::wake_elsewhere(std::uint64_t ranks) {
  static_assert(call_slots::most_ranks <= 64);
  for (int process = 0; process < processes(); ++process) {
    packet head;
    head.is = what::woken;
    for (int rank = 0; rank < static_cast<int>(call_slots::most_ranks); ++rank)
      if (ranks >> rank & 1 && process_of(rank) == process) head.id |= std::uint64_t{1} << rank;
    if (head.id != 0) post({process, head, {}, nullptr});
  }
}

void gateway::send_brief(int process, std::uint32_t group, int first, std::uint64_t number, std::uint64_t kind,
                         std::span<const std::byte> bytes) {
  packet head;
  head.is = what::brief;
  head.group = group;
  head.source = first;
  head.id = number;
  head.set_kind(kind);
  head.bytes = static_cast<std::uint16_t>(bytes.size());
  const int member = node_.member_for(process);
  out& of = out_[static_cast<std::size_t>(member)];
  bool written = false;
  {
    const base::locked held(of.lock);
    packets& to = ring_to(member);
    if (!of.has_some.load(std::memory_order_relaxed))
      if (const auto room = to.room(head.is, bytes.size(), process)) {
        *room.head = head;
        if (!bytes.empty()) std::memcpy(room.data, bytes.data(), bytes.size());
        to.publish();
        written = true;
      }
  }
  if (written) return rouse(member, false);
  post({process, head, {bytes.begin(), bytes.end()}, nullptr});
}

namespace {

packet head_of(const letter& one, what is) {
  packet head;
  head.is = is;
  head.tag = static_cast<std::int32_t>(one.is);
  head.group = one.group;
  head.source = one.first;
  head.id = one.id;
  return head;
}

}  // namespace

void gateway::send_letter(int process, letter one) {
  if (one.text.size() >= lent_bytes && node_.is_here(process) && copies_directly_.load(std::memory_order_relaxed))
    lend(process, std::move(one));
  else
    send_in_pieces(process, std::move(one));
}

void gateway::send_in_pieces(int process, letter&& one) {
  post({process, head_of(one, what::letter), std::move(one.text), nullptr});
}

void gateway::lend(int process, letter&& one) {
  packet head = head_of(one, what::lent);
  head.whole = {one.text.size(), number_of(one.text.data()), 0};
  {
    const base::locked held(lent_lock_);
    head.whole.at = ++lent_letters_;
    lent_.emplace(head.whole.at, std::move(one));
  }
  post({process, head, {}, nullptr});
}

}  // namespace maslin
