#include "exec/ranks/gateway.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <utility>

#include "base/fence.hpp"
#include "base/start_thread.hpp"
#include "exec/node/segment.hpp"
#include "exec/ranks/eager.hpp"
#include "exec/ranks/world.hpp"
#include "maslin/error.hpp"

namespace maslin {

using comm::packet;
using comm::transfer;
using what = comm::packet::what;

namespace {

// If it is not said otherwise, a message of up to so many bytes goes with its head, while fewer than so many wait for
// its receiver. A longer one is copied by the receiver, from where it is.
constexpr std::size_t usual_eager_bytes = 4096;
constexpr std::int32_t most_kept = 64;
// The text of a letter of so many bytes is copied by its reader, too.
constexpr std::size_t lent_bytes = 32 << 10;
// So many packets of a process are read before those of the next one.
constexpr int read_in_turn = 64;

std::uint64_t number_of(const void* address) noexcept { return reinterpret_cast<std::uintptr_t>(address); }
template <class T>
T* object_at(std::uint64_t number) noexcept {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(number));
}

/// Does the packet concern the other process although none of its ranks waits? What it brings to ranks alone they see
/// before they wait.
bool is_urgent(const packet& one) {
  if (one.is == what::taken || one.is == what::answered || one.is == what::brief) return false;
  if (one.is == what::returned) return one.tag != 0;
  return (one.is != what::letter && one.is != what::lent) ||
         one.tag != static_cast<std::int32_t>(letter::what::package);
}

std::size_t rounded(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

job_memory::job_memory(const process_of_job& process, std::size_t bytes, location where) : bytes_(bytes) {
  // All give it the same length, and zeros are its beginning: nobody is the first.
  void* mapped = MAP_FAILED;
  if (ftruncate(process.shared_memory, static_cast<off_t>(bytes)) == 0)
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, process.shared_memory, 0);
  if (mapped == MAP_FAILED)
    throw error(
        fmt::format("ranks at {}:{}: the system has no {} KiB of shared memory for {} processes ({}); ask for fewer",
                    where.file_name(), where.line(), bytes / 1024, process.count, std::strerror(errno)));
  memory_ = mapped;
}

job_memory::~job_memory() { munmap(memory_, bytes_); }

gateway::layout::layout(int processes, int ranks) {
  const auto count = static_cast<std::size_t>(processes);
  kept = rounded(count * sizeof(place));
  rings = (kept + static_cast<std::size_t>(ranks) * sizeof(*kept_) + 4095) / 4096 * 4096;
  end = rings + count * count * sizeof(packets);
}

std::size_t gateway::memory_bytes(int processes, int ranks) { return layout(processes, ranks).end; }

gateway::gateway(const process_of_job& process, int ranks, void* memory)
    : gateway(process, ranks, static_cast<std::byte*>(memory), layout(process.count, ranks)) {}

gateway::gateway(const process_of_job& process, int ranks, std::byte* memory, const layout& parts)
    : process_(process),
      ranks_(ranks),
      places_(reinterpret_cast<place*>(memory)),
      kept_(reinterpret_cast<std::atomic<std::int32_t>*>(memory + parts.kept)),
      rings_(reinterpret_cast<packets*>(memory + parts.rings)),
      process_of_(process.process_of_rank.empty() ? in_blocks(ranks, process.count) : process.process_of_rank),
      ranks_here_(ranks_of_process(process_of_, process.number)),
      eager_bytes_(std::min(eager_bytes_of_the_run().value_or(usual_eager_bytes), packets::most_bytes)),
      out_(std::make_unique<out[]>(static_cast<std::size_t>(process.count))),
      copies_directly_(!process.copies_in_pieces),
      unfinished_(static_cast<std::size_t>(process.count)) {
#ifdef PR_SET_PTRACER
  prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);  // who started all processes, and so these, may copy from each other
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
  ring(places_[mine()]);
}

void gateway::connect(world& of, int workers, int cpus) {
  of_ = &of;
  place& own = places_[mine()];
  own.pid.store(getpid(), std::memory_order_relaxed);
  std::uint64_t bits[cpu_words] = {};
  const bool is_known = sched_getaffinity(0, sizeof bits, reinterpret_cast<cpu_set_t*>(bits)) == 0;
  for (std::size_t i = 0; i < cpu_words; ++i) own.cpus[i].store(bits[i], std::memory_order_relaxed);
  own.most_cpus.store(is_known ? cpus : 0, std::memory_order_relaxed);
  own.workers.store(static_cast<int>(ranks_here_.size()) <= workers ? workers : INT_MAX / 2, std::memory_order_release);
}

void gateway::start_receiving() {
  thread_ = base::start_thread([] {}, [this] { receive(); });
}

bool gateway::finds_own_cores() noexcept {
  std::uint64_t all[cpu_words] = {};
  std::int64_t workers = 0, granted = INT_MAX;
  bool has_own = true;
  for (int process = 0; process < processes(); ++process) {
    const place& its = places_[process];
    const int its_workers = its.workers.load(std::memory_order_acquire);
    if (its_workers == 0) return false;  // it has not begun
    int own = 0;
    for (std::size_t i = 0; i < cpu_words; ++i) {
      const std::uint64_t bits = its.cpus[i].load(std::memory_order_relaxed);
      all[i] |= bits;
      own += std::popcount(bits);
    }
    has_own &= its_workers <= own;
    workers += its_workers;
    granted = std::min<std::int64_t>(granted, its.most_cpus.load(std::memory_order_relaxed));
  }
  std::int64_t cpus = 0;
  for (const std::uint64_t bits : all) cpus += std::popcount(bits);
  has_own &= workers <= std::min(cpus, granted);
  own_cores_.store(has_own ? has : has_not, std::memory_order_relaxed);
  return has_own;
}

void gateway::finish() {
  place& own = places_[mine()];
  begin_wait();  // also where no rank has begun
  own.has_ended.store(1, std::memory_order_release);
  for (int process = 0; process < processes(); ++process) ring(places_[process]);
  const auto all_have = [this] {
    for (int process = 0; process < processes(); ++process)
      if (places_[process].has_ended.load(std::memory_order_acquire) == 0) return false;
    return true;
  };
  for (;;) {
    const std::uint32_t rung = own.bell.word().load(std::memory_order_acquire);
    if (all_have()) return;
    node::sleep_at(own.bell.word(), rung);
  }
}

// Sleeping and waking.

void gateway::ring(place& of) noexcept {
  of.bell.ring();
  node::wake_sleepers(of.bell.word());
}

void gateway::rouse(int process, bool at_once) noexcept {
  if (places_[process].bell.is_to_be_rung(at_once)) ring(places_[process]);
}

bool gateway::has_come() const noexcept {
  for (int process = 0; process < processes(); ++process)
    if (process != mine() && ring_from(process).has_some()) return true;
  return false;
}

void gateway::receive() {
  place& own = places_[mine()];
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
    if (!poll()) return ring(places_[mine()]);  // another reads, and may be past it
}

// All wait.

bool gateway::has_waiting_packets() const noexcept {
  for (int process = 0; process < processes(); ++process)
    if (out_[static_cast<std::size_t>(process)].has_some.load(std::memory_order_relaxed)) return true;
  return false;
}

gateway::seen gateway::look_at(int process) const noexcept {
  const place& its = places_[process];
  seen report;
  // In this order, so that a report that is counted twice later was begun after all this.
  report.are = its.are.load(std::memory_order_acquire);
  report.sleeps = its.sleeps.load(std::memory_order_acquire);
  report.handled = its.handled.load(std::memory_order_acquire);
  report.reports = its.reports.load(std::memory_order_acquire);
  return report;
}

bool gateway::all_wait() {
  std::vector<seen> now;
  int first_asleep = processes();
  for (int process = processes() - 1; process >= 0; --process) {
    now.push_back(look_at(process));
    if (now.back().are == found::moving || now.back().reports == 0) return before_.clear(), false;
    if (now.back().are == found::asleep) first_asleep = process;
  }
  if (first_asleep != mine()) return before_.clear(), false;
  if (before_.empty()) {
    for (int from = 0; from < processes(); ++from)
      for (int to = 0; to < processes(); ++to)
        if (from != to && rings_[from * processes() + to].has_some()) return false;
    before_ = std::move(now);
    return false;
  }
  // Their second report after that was begun after it: who is found as before did nothing in between.
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!before_[i].is_like(now[i])) return before_.clear(), false;
    if (now[i].reports < before_[i].reports + 2) return false;
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
  for (int process = 0; process < processes(); ++process) {
    if (process == mine()) continue;
    packets& from = ring_from(process);
    bool read = false, is_to_tell = false;
    for (int i = 0; i < read_in_turn; ++i) {
      const auto one = from.first();
      if (!one) break;
      ++handled_;
      comm::hears_process(&ring_to(process));
      try {
        handle(process, *one.head, one.data);
      } catch (...) {
        of_->fail(ranks_here_.front(), std::current_exception());
      }
      is_to_tell |= from.pop();
      read = true;
    }
    if (is_to_tell) {
      MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `flush`
      if (from.takes_wait_back()) rouse(process, true);
    }
    if (out_[static_cast<std::size_t>(process)].has_some.load(std::memory_order_relaxed)) read |= flush(process);
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
      return post(from, {head, {}, object_at<transfer>(one.id)});
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
        asked->answer = one.group;
        asked->is_answered = true;
      });
    }
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
  post(from, {head, {}, nullptr});
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

bool gateway::write(int process, transfer& message) {
  packets& to = ring_to(process);
  const bool small = message.came != 0;
  const std::size_t bytes = small ? message.bytes() : 0;
  const auto room = to.room(small ? what::small : what::offered, bytes);
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
  const int process = process_of(to);
  message.wanted.source = to;  // which a send has no use for
  const bool small = comm::is_eager(message, eager_bytes_) && kept(to).load(std::memory_order_relaxed) < most_kept;
  out& of = out_[static_cast<std::size_t>(process)];
  of.lock.lock();
  message.came = small ? ++of.numbered : 0;
  const bool written = of.messages.empty() && write(process, message);
  if (!written) {
    of.messages.add(message);
    of.has_some.store(true, std::memory_order_relaxed);
  }
  of.lock.unlock();
  if (written)
    rouse(process, !small);
  else
    flush(process);
  return written && small;
}

void gateway::post(int process, outgoing&& one) {
  out& of = out_[static_cast<std::size_t>(process)];
  bool at_once = is_urgent(one.head);
  {
    const base::locked held(of.lock);
    at_once |= of.has_some.load(std::memory_order_relaxed);
    of.others.push_back(std::move(one));
    of.has_some.store(true, std::memory_order_relaxed);
  }
  flush(process, at_once);
}

bool gateway::write_some(int process, out& of, transfer*& done, bool& any) {
  packets& to = ring_to(process);
  while (!of.others.empty()) {
    outgoing& one = of.others.front();
    const std::size_t bytes = std::min(one.bytes() - one.sent, packets::most_bytes);
    const auto room = to.room(one.head.is, bytes);
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
    const bool small = message->came != 0;
    if (!to.room(small ? what::small : what::offered, small ? message->bytes() : 0)) return false;
    of.messages.remove(*message);
    write(process, *message);
    any = true;
    if (small) message->before = std::exchange(done, message);
  }
  of.has_some.store(false, std::memory_order_relaxed);
  return true;
}

bool gateway::flush(int process, bool at_once) {
  out& of = out_[static_cast<std::size_t>(process)];
  transfer* done = nullptr;
  bool any = false, is_full = false;
  {
    const base::locked held(of.lock);
    if (!write_some(process, of, done, any)) {
      ring_to(process).await_room();
      MASLIN_FENCE(std::memory_order_seq_cst);  // pairs with that of `poll_locked`
      is_full = !write_some(process, of, done, any);
    }
  }
  // What waits for room waits until somebody reads, although nobody may wait for what fills the ring.
  if (any || is_full) rouse(process, at_once || is_full);
  tell_done(done);
  return any;
}

bool gateway::flush_all() {
  bool any = false;
  for (int process = 0; process < processes(); ++process)
    if (out_[static_cast<std::size_t>(process)].has_some.load(std::memory_order_relaxed)) any |= flush(process);
  return any;
}

void gateway::tell_done(transfer* done) {
  while (done) {
    transfer* const one = std::exchange(done, done->before);
    of_->wake(one->owner, [&] { one->set(transfer::state::done); });
  }
}

// Messages whose bytes are elsewhere.

bool gateway::copy_from(int process, const void* from, void* to, std::size_t bytes) noexcept {
  if (!copies_directly_.load(std::memory_order_relaxed)) return false;
  const auto pid = places_[process].pid.load(std::memory_order_relaxed);
  for (std::size_t done = 0; done < bytes;) {
    const iovec here{static_cast<std::byte*>(to) + done, bytes - done};
    const iovec there{const_cast<std::byte*>(static_cast<const std::byte*>(from)) + done, bytes - done};
    const ssize_t some = process_vm_readv(pid, &here, 1, &there, 1, 0);
    if (some <= 0) {  // the system does not let it
      copies_directly_.store(false, std::memory_order_relaxed);
      return false;
    }
    done += static_cast<std::size_t>(some);
  }
  return true;
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
    head.whole.address = number_of(&receive);
    complete = false;
  }
  post(process, {head, {}, nullptr});
  return complete;
}

bool gateway::withdraw(transfer& message, int to) {
  out& of = out_[static_cast<std::size_t>(process_of(to))];
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

std::uint32_t gateway::ask(int process, const packet& what_about, int rank, location where) {
  question mine;
  mine.rank = rank;
  packet about = what_about;
  about.whole.address = number_of(&mine);
  post(process, {about, {}, nullptr});
  return await_answer(mine, where);
}

std::uint32_t gateway::ask(int process, letter one, int rank, location where) {
  question mine;
  mine.rank = rank;
  one.id = number_of(&mine);
  send_letter(process, std::move(one));
  return await_answer(mine, where);
}

std::uint32_t gateway::await_answer(const question& asked, location where) {
  of_->wait(
      asked.rank, {awaited_message::what::several, any_source, 1, where}, [&] { return asked.is_answered; },
      world::at_failure::go_on);
  return asked.answer;
}

void gateway::answer(int process, std::uint64_t question, std::uint32_t with) {
  packet head;
  head.is = what::answered;
  head.whole.address = question;
  head.group = with;
  post(process, {head, {}, nullptr});
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
  out& of = out_[static_cast<std::size_t>(process)];
  bool written = false;
  {
    const base::locked held(of.lock);
    if (!of.has_some.load(std::memory_order_relaxed))
      if (const auto room = ring_to(process).room(head.is, bytes.size())) {
        *room.head = head;
        if (!bytes.empty()) std::memcpy(room.data, bytes.data(), bytes.size());
        ring_to(process).publish();
        written = true;
      }
  }
  if (written) return rouse(process, false);
  post(process, {head, {bytes.begin(), bytes.end()}, nullptr});
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
  if (one.text.size() >= lent_bytes && copies_directly_.load(std::memory_order_relaxed))
    lend(process, std::move(one));
  else
    send_in_pieces(process, std::move(one));
}

void gateway::send_in_pieces(int process, letter&& one) {
  post(process, {head_of(one, what::letter), std::move(one.text), nullptr});
}

void gateway::lend(int process, letter&& one) {
  packet head = head_of(one, what::lent);
  head.whole = {one.text.size(), number_of(one.text.data()), 0};
  {
    const base::locked held(lent_lock_);
    head.whole.at = ++lent_letters_;
    lent_.emplace(head.whole.at, std::move(one));
  }
  post(process, {head, {}, nullptr});
}

}  // namespace maslin
