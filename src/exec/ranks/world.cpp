#include "exec/ranks/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "base/start_thread.hpp"
#include "exec/in_place.hpp"
#include "exec/ranks/deadlock.hpp"
#include "exec/ranks/eager.hpp"

namespace maslin {

namespace {

constexpr std::size_t usual_place_bytes = std::size_t{4} << 10;
std::optional<std::size_t> eager_bytes;
rank_waiting waiting = rank_waiting::automatic;

std::vector<int> all_of(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

std::optional<std::size_t> eager_bytes_of_the_run() noexcept { return eager_bytes; }
void set_eager_bytes(std::optional<std::size_t> bytes) noexcept { eager_bytes = bytes; }
rank_waiting rank_waiting_of_the_run() noexcept { return waiting; }
void set_rank_waiting(rank_waiting how) noexcept { waiting = how; }

world::world(executor& exec, int count, void (*run)(void*, communicator&), void* body, gateway* across)
    : exec_(exec),
      run_(run),
      body_(body),
      across_(across),
      eager_bytes_(eager_bytes_of_the_run().value_or(eager_bytes_in_a_process)),
      place_bytes_(std::max(eager_bytes_of_the_run().value_or(0), usual_place_bytes)),
      here_(across ? across->ranks_here() : all_of(count)),
      have_workers_(!exec.serial() && !exec.is_described() && here_.size() <= static_cast<std::size_t>(exec.workers())),
      waiting_(have_workers_ ? rank_waiting_of_the_run() : rank_waiting::automatic),
      stays_awake_(!across && (waiting_ == rank_waiting::spin || waiting_ == rank_waiting::yield)),
      looks_(have_workers_ && waiting_ != rank_waiting::park ? MASLIN_RANK_LOOKS : 0),
      places_(across ? static_cast<std::size_t>(count) : 0),
      states_(here_.size()),
      rings_(!across && have_workers_ && eager_bytes_ > 0 && count > 1 && here_.size() <= message_rings::most_ranks
                 ? std::make_unique<message_rings>(here_.size())
                 : nullptr),
      whole_(0, all_of(count), other_processes(all_of(count)), ranks_here(all_of(count)),
             most_in_a_process(all_of(count)), slots_for(all_of(count), across ? across->slots_of_all() : nullptr)) {
  for (std::size_t place = 0; !places_.empty() && place < here_.size(); ++place)
    places_[static_cast<std::size_t>(here_[place])] = static_cast<int>(place);
  if (exec.serial()) turns_ = std::make_unique<turns>(count);
}

void world::go_over(message_links& links, std::span<const int> worker_of_rank, location where) {
  const links::network& its = links.network();
  if (static_cast<std::uint32_t>(exec_.workers()) > its.workers)
    throw error(
        fmt::format("ranks at {}:{}: '{}' says what messages take between {} workers, and the run has {}; set "
                    "MASLIN_WORKERS to fewer",
                    where.file_name(), where.line(), its.name, its.workers, exec_.workers()));
  std::vector<std::uint32_t> workers;
  for (int rank = 0; rank < size(); ++rank)
    workers.push_back(static_cast<std::uint32_t>(
        worker_of_rank.empty() ? links.worker_apart(rank, size())
                               : links.worker_apart(worker_of_rank[static_cast<std::size_t>(rank)], exec_.workers())));
  over_ = std::make_unique<over_links>(*this, links, std::move(workers));
}

world::~world() {
  leave_host();
  for (rank_state& one : states_) {
    const base::locked held(one.lock);
    while (comm::transfer* left = one.box.take_message())
      if (left->is_copy)
        free_copy(left);
      else if (left->is_elsewhere)
        delete left;
  }
}

void world::run_rank(int rank) noexcept {
  const auto its = static_cast<std::uint32_t>(rank);
  record(trace::event_kind::rank_begin, its, static_cast<std::uint64_t>(size()));
  try {
    rank_state& state = at(rank);
    state.own = current_context().children;
    {
      const base::locked held(state.lock);
      state.worker = exec_.track();
    }
    communicator mine = detail::rank_member::make(*this, whole(), rank);
    run_(body_, mine);
    // Tasks may use what the rank gave them.
    context& here = current_context();
    await_tasks(exec_, here);
    if (here.children->has_errors()) rethrow_first(here.children->take_errors());
    throw_dropped(rank);
  } catch (...) {
    if (!has_given_up(rank)) fail(rank, std::current_exception());
  }
  record(trace::event_kind::rank_end, its, static_cast<std::uint64_t>(size()));
  {
    const base::locked held(at(rank).lock);
    at(rank).has_ended = true;
  }
  if (across_) across_->begin_wait();
}

void world::run_in_turn() {
  std::vector<std::thread> threads;
  threads.reserve(states_.size());
  const auto run = [this](int rank) {
    turns_->begin(rank);
    run_rank(rank);
    if (turns_->end(rank)) return;
    fail_stuck();
    turns_->start();
  };
  try {
    for (int rank = 0; rank < size(); ++rank) threads.push_back(base::start_thread([] {}, [&, rank] { run(rank); }));
  } catch (const std::exception& e) {
    // Those that were started find that the world has failed; the others are not there.
    const int missing = static_cast<int>(threads.size());
    try {
      throw error(fmt::format(
          "ranks: the system has no thread for rank {} of {} ({}); ask for fewer ranks, or allow more threads "
          "(ulimit -u)",
          missing, size(), e.what()));
    } catch (...) {
      fail(missing, std::current_exception());
    }
    for (int rank = static_cast<int>(threads.size()); rank < size(); ++rank) turns_->leave_out(rank);
  }
  turns_->start();
  for (std::thread& one : threads) one.join();
}

void world::fail(int rank, std::exception_ptr why) noexcept {
  {
    const base::locked held(cause_lock_);
    if (!cause_ || rank < failed_rank_) {
      cause_ = std::move(why);
      failed_rank_ = rank;
    }
  }
  failed_.store(true, std::memory_order_release);
  for (const int one : here_) {
    rank_state& its = at(one);
    wake(one, [&]() MASLIN_UNCHECKED { its.changes = 0; });  // under its lock, which wake takes
  }
}

bool detail::let_threads_call(communicator& of, rank_gate& by) {
  const rank_member& m = rank_member::of_communicator(of);
  return m.of.let_threads_call(m.mine(), by);
}

bool world::let_threads_call(int rank, rank_gate& by) {
  if (turns_ || exec_.is_described()) return false;
  std::vector<int> workers;
  for (rank_state& one : states_) {
    const base::locked held(one.lock);
    workers.push_back(one.worker);
  }
  std::sort(workers.begin(), workers.end());
  if (std::adjacent_find(workers.begin(), workers.end()) != workers.end()) return false;
  take_turns(rank, by);
  return true;
}

void world::take_turns(int rank, rank_gate& by) {
  const base::locked held(at(rank).lock);
  if (rings_) {
    rings_->lie_down(rank);
    if (!take_in(rank)) throw std::bad_alloc();
  }
  at(rank).gate = &by;
}

void world::let_others_run(int rank) {
  rank_gate* const gate = at(rank).gate;
  const outside_gate others_go_on(gate);
  if (across_) across_->read();
  if (turns_) {
    turns_->yield(rank);
    return;
  }
  if (gate) std::this_thread::yield();  // to those who wait for their turn
  if (gate && exec_.is_foreign_thread()) return;
  if (over_) over_->links().look();
  exec_.catch_up();
  exec_.let_others_run();
  if (!has_rings(rank) || !rings_->has_some(rank)) return;
  const base::locked held(at(rank).lock);
  take_in(rank);  // what there is no memory for comes later
}

void world::throw_given_up(int rank, location where) {
  {
    const base::locked held(at(rank).lock);
    at(rank).gave_up = true;
  }
  std::string why;
  std::exception_ptr cause;
  {
    const base::locked held(cause_lock_);
    cause = cause_;
  }
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& e) {
    why = std::string(": ") + e.what();
  } catch (...) {
  }
  throw error(fmt::format("rank {} gave its wait at {}:{} up, since another rank has failed{}", rank, where.file_name(),
                          where.line(), why));
}

void world::rethrow() {
  std::exception_ptr cause;
  {
    const base::locked held(cause_lock_);
    cause = std::move(cause_);
  }
  if (cause) std::rethrow_exception(std::move(cause));
}

bool world::all_sleep(std::vector<std::uint64_t>& sleeps) {
  sleeps.clear();
  bool any = false;
  for (rank_state& one : states_) {
    const base::locked held(one.lock);
    // What its other threads do is not known.
    if (!one.has_ended && (!one.is_asleep || one.gate)) return false;
    if (one.is_asleep && !one.waits_for) return false;  // its host wakes it
    any |= one.is_asleep;
    sleeps.push_back(one.has_ended ? 0 : one.sleeps);
  }
  return any;
}

/// Who is found in the same sleep twice has slept between the two times. So all sleep at the moment between them, and
/// only ranks wake ranks; who waits for a host is not found asleep.
bool world::is_stuck() noexcept {
  try {
    if (across_) return is_stuck_across();
    std::vector<std::uint64_t> before, after;
    // A message that is under way wakes somebody, too.
    return all_sleep(before) && !(over_ && over_->go_on()) && all_sleep(after) && before == after;
  } catch (const std::bad_alloc&) {
    return false;  // it is looked at again
  }
}

bool world::is_stuck_across() {
  if (asks_) return false;
  across_->report([this](std::uint64_t& all) {
    std::vector<std::uint64_t> sleeps;
    const bool sleep = all_sleep(sleeps);
    for (const std::uint64_t one : sleeps) all += one;
    if (sleep) return gateway::found::asleep;
    return sleeps.size() == states_.size() ? gateway::found::ended : gateway::found::moving;
  });
  return across_->all_wait();
}

void world::fail_stuck() noexcept {
  if (!across_) return tell_stuck();
  asks_ = true;
  try {
    for (int process = 0; process < across_->processes(); ++process)
      if (process != across_->mine()) across_->send_letter(process, {letter::what::waits_asked, 0, 0, 0, {}});
  } catch (...) {
    fail(here_.front(), std::current_exception());
  }
  // `read_letter` goes on when they have answered.
}

void world::tell_stuck() noexcept {
  try {
    std::vector<std::vector<std::byte>> told;
    {
      const base::locked held(waits_lock_);
      told = waits_;
    }
    told.push_back(packed_waits());
    throw error(who_waits_for_whom(size(), told));
  } catch (...) {
    fail(0, std::current_exception());
  }
}

void world::note(int rank, const awaited& what) {
  rank_state& mine = at(rank);
  const base::locked held(mine.lock);
  mine.is_asleep = true;
  mine.waits_for = what;
}

std::vector<std::byte> world::packed_waits() {
  told_waits told;
  for (const int rank : here_) {
    rank_state& its = at(rank);
    // Until it is released the rank stays asleep, and what it waits for, and its communicators, stay.
    const base::locked held(its.lock);
    if (its.has_ended) {
      told.add_ended(rank);
      continue;
    }
    rank_wait waits;
    if (its.is_asleep && its.waits_for) its.waits_for.tell(waits);
    told.add_sleeping(rank, waits);
    for (const detail::rank_member* one = its.is_asleep ? its.members : nullptr; one; one = one->next)
      told.add_calls(rank, one->in, one->in.next_call(one->rank), one->in.slots ? one->in.slots->calls(one->rank) : 0);
  }
  return told.as_bytes();
}

void detail::name_communicator(communicator& of, std::string name) {
  rank_member::of_communicator(of).name = std::move(name);
}

struct stuck_watch::shared {
  explicit shared(world& of)
      : thread(base::start_thread([] {},
                                  [this, &of] {
                                    using namespace std::chrono_literals;
                                    // Ranks that get stuck mostly do so soon, and then it is told soon.
                                    constexpr auto longest = 200ms;
                                    auto until_next = 20ms;
                                    lock.lock();
                                    while (!ended.wait_for(lock,
                                                           std::exchange(until_next, std::min(2 * until_next, longest)),
                                                           [this]() MASLIN_REQUIRES(lock) { return is_over; })) {
                                      lock.unlock();
                                      if (!of.has_failed() && of.is_stuck()) of.fail_stuck();
                                      lock.lock();
                                    }
                                    lock.unlock();
                                  })) {}

  base::mutex lock;
  base::condition ended;
  bool is_over MASLIN_GUARDED_BY(lock) = false;
  std::thread thread;
};

stuck_watch::stuck_watch(world& of) : shared_(std::make_unique<shared>(of)) {}

stuck_watch::~stuck_watch() {
  {
    const base::locked held(shared_->lock);
    shared_->is_over = true;
  }
  shared_->ended.notify_one();
  shared_->thread.join();
}

}  // namespace maslin
