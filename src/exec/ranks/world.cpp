#include "exec/ranks/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/start_thread.hpp"
#include "exec/in_place.hpp"

namespace maslin {

namespace {

std::vector<int> all_of(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

}  // namespace

world::world(executor& exec, int count, void (*run)(void*, communicator&), void* body)
    : exec_(exec), run_(run), body_(body), states_(static_cast<std::size_t>(count)), whole_(0, all_of(count)) {
  if (exec.serial()) turns_ = std::make_unique<turns>(count);
}

world::~world() {
  for (rank_state& one : states_) {
    const base::locked held(one.lock);
    while (comm::transfer* left = one.box.take_message())
      if (left->is_copy) comm::free_copy(left);
  }
}

std::shared_ptr<rank_group> world::add_group(std::vector<int> ranks) {
  const base::locked held(groups_lock_);
  return std::make_shared<rank_group>(++groups_made_, std::move(ranks));
}

std::shared_ptr<rank_group> world::join_group(const rank_group& parent, std::vector<int> ranks, int tag, int as) {
  const auto member = static_cast<std::size_t>(as);
  const base::locked held(groups_lock_);
  // One rank may ask for a second such group before another asks for the first.
  auto one = std::find_if(forming_.begin(), forming_.end(), [&](const forming_group& f) {
    return f.parent == parent.number && f.tag == tag && f.made->ranks == ranks && !f.has_joined[member];
  });
  if (one == forming_.end()) {
    std::vector<bool> has_joined(ranks.size());
    auto made = std::make_shared<rank_group>(++groups_made_, std::move(ranks));
    forming_.push_back({parent.number, tag, std::move(made), std::move(has_joined)});
    one = std::prev(forming_.end());
  }
  std::shared_ptr<rank_group> made = one->made;
  one->has_joined[member] = true;
  if (++one->joined == made->ranks.size()) forming_.erase(one);
  return made;
}

void world::run_rank(int rank) noexcept {
  try {
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
  const base::locked held(at(rank).lock);
  at(rank).has_ended = true;
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
  for (int i = 0; i < size(); ++i) wake(i, [] {});
}

void world::let_others_run(int rank) {
  if (turns_) {
    turns_->yield(rank);
    return;
  }
  exec_.catch_up();
  exec_.let_others_run();
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
    if (!one.has_ended && !one.is_asleep) return false;
    any |= one.is_asleep;
    sleeps.push_back(one.has_ended ? 0 : one.sleeps);
  }
  return any;
}

/// Who is found in the same sleep twice has slept between the two times. So all sleep at the moment between them, and
/// only ranks wake ranks.
bool world::is_stuck() noexcept {
  try {
    std::vector<std::uint64_t> before, after;
    return all_sleep(before) && all_sleep(after) && before == after;
  } catch (const std::bad_alloc&) {
    return false;  // it is looked at again
  }
}

void world::fail_stuck() noexcept {
  try {
    throw error(who_waits_for_whom());
  } catch (...) {
    fail(0, std::current_exception());
  }
}

void world::note(int rank, const awaited_message& what) {
  rank_state& mine = at(rank);
  const base::locked held(mine.lock);
  mine.is_asleep = true;
  mine.waits_for = what;
}

std::string world::who_waits_for_whom() {
  constexpr int most_shown = 32;
  std::string text = fmt::format("all ranks of ms::ranks wait for each other:");
  std::vector<int> waits_for(static_cast<std::size_t>(size()), any_source);
  int shown = 0;
  for (int rank = 0; rank < size(); ++rank) {
    rank_state& one = at(rank);
    const base::locked held(one.lock);
    const awaited_message what = one.waits_for;
    if (!one.has_ended) waits_for[static_cast<std::size_t>(rank)] = what.rank;
    if (shown++ >= most_shown) continue;
    if (one.has_ended) {
      text += fmt::format("\n  rank {} has ended", rank);
      continue;
    }
    const std::string peer = what.rank == any_source ? "any rank" : fmt::format("rank {}", what.rank);
    const std::string tag = what.tag == any_tag ? "any tag" : fmt::format("tag {}", what.tag);
    using enum awaited_message::what;
    const std::string does = what.kind == receive   ? fmt::format("receive from {} with {}", peer, tag)
                             : what.kind == send    ? fmt::format("send to {} with {}", peer, tag)
                             : what.kind == probe   ? fmt::format("probe {} for {}", peer, tag)
                             : what.kind == several ? fmt::format("complete one of {} requests", what.tag)
                                                    : std::string("meet all ranks of its communicator");
    text += fmt::format("\n  rank {} waits to {}, at {}:{}", rank, does, what.where.file_name(), what.where.line());
  }
  if (shown > most_shown) text += fmt::format("\n  and {} more", shown - most_shown);
  // Each waits for one at most, so that a circle is found by going on from each until one comes again.
  std::vector<int> seen_from(static_cast<std::size_t>(size()), -1);
  for (int start = 0; start < size(); ++start) {
    int at = start;
    while (at != any_source && seen_from[static_cast<std::size_t>(at)] < 0) {
      seen_from[static_cast<std::size_t>(at)] = start;
      at = waits_for[static_cast<std::size_t>(at)];
    }
    if (at == any_source || seen_from[static_cast<std::size_t>(at)] != start) continue;
    text += fmt::format("\n  a cycle: rank {}", at);
    int length = 0;
    for (int next = waits_for[static_cast<std::size_t>(at)];; next = waits_for[static_cast<std::size_t>(next)]) {
      if (++length <= most_shown) text += fmt::format(" waits for rank {}", next);
      if (next == at) break;
    }
    if (length > most_shown) text += fmt::format(", and so on; {} ranks in all", length);
    break;
  }
  return text;
}

struct stuck_watch::shared {
  explicit shared(world& of)
      : thread(base::start_thread([] {},
                                  [this, &of] {
                                    using namespace std::chrono_literals;
                                    std::unique_lock held(lock);
                                    while (!ended.wait_for(held, 200ms, [this] { return is_over; })) {
                                      held.unlock();
                                      if (!of.has_failed() && of.is_stuck()) of.fail_stuck();
                                      held.lock();
                                    }
                                  })) {}

  std::mutex lock;
  std::condition_variable ended;
  bool is_over = false;
  std::thread thread;
};

stuck_watch::stuck_watch(world& of) : shared_(std::make_unique<shared>(of)) {}

stuck_watch::~stuck_watch() {
  {
    const std::lock_guard held(shared_->lock);
    shared_->is_over = true;
  }
  shared_->ended.notify_one();
  shared_->thread.join();
}

}  // namespace maslin
