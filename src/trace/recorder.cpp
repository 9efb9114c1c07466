#include "trace/recorder.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <new>

#include "base/mutex.hpp"
#include "base/no_leak.hpp"
#include "base/settings.hpp"
#include "maslin/error.hpp"
#include "trace/drainer.hpp"
#include "trace/names.hpp"

namespace maslin::trace {

namespace internal {

std::atomic<std::uint64_t> recorded_kinds{0};
ring* worker_rings = nullptr;

namespace {

/// What one trace owns.
struct session {
  std::unique_ptr<ring[]> rings;  // one a worker, then the foreign threads'
  ring* foreign = nullptr;
  std::unique_ptr<drainer> drain;
};

/// Never destroyed: foreign threads may record while the process exits.
struct shared {
  base::mutex lock;  // also of the foreign threads' ring
  session now MASLIN_GUARDED_BY(lock);
  pid_t forked = 0;  // set in a forked child: its own number
};
shared& state() {
  static shared* const the = new shared;
  return *the;
}

/// Gives the cells of each ring: as many as memory allows for so many workers, for the drainer may have to wait for a
/// core.
std::size_t capacity_for(std::size_t workers) {
  constexpr std::size_t bytes_for_all = std::size_t{1} << 26;  // 64 MiB
  const std::size_t fair = std::bit_floor(bytes_for_all / sizeof(cell) / (workers + 1));
  return std::clamp(fair, ring::least_capacity, ring::most_capacity);
}

/// Gives the kinds that are recorded at all; detail `streams` makes nothing of the others.
std::uint64_t kinds_of(detail_level detail) {
  std::uint64_t kinds = ~std::uint64_t{0};
  if (detail == detail_level::streams) {
    using enum event_kind;
    for (const event_kind unused :
         {task_create, accessed, member, group_end, foreign_caller, piece, loop_begin, loop_end, wait_begin, wait_end,
          steal, traffic, transfer_task, transfer_time, transfer})
      kinds &= ~(std::uint64_t{1} << static_cast<unsigned>(unused));
  }
  return kinds;
}

std::string expand(std::string path) {
  for (auto at = path.find("%p"); at != std::string::npos; at = path.find("%p", at))
    path.replace(at, 2, std::to_string(getpid()));
  return path;
}

}  // namespace

void record_foreign(event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept {
  // Before the lock: to read a described machine's time takes its lock, and its holder may record something, too.
  const std::uint64_t now = ticks();
  shared& s = state();
  const base::locked held(s.lock);
  if (on() && s.now.foreign) s.now.foreign->push(now, kind, id, argument);
}

}  // namespace internal

void record_transfer(int worker, const store_transfer& one) noexcept {
  using namespace internal;
  const auto push_all = [&one](ring& to) {
    using enum event_kind;
    if (one.task != 0) to.push(one.ended, transfer_task, 0, one.task);
    to.push(one.ended, transfer_time, 0, one.began);
    to.push(one.ended, transfer_time, 0, one.ended);
    to.push(one.ended, transfer, static_cast<std::uint32_t>(one.store), pack(one.what));
  };
  if (!on(event_kind::transfer)) return;
  if (worker >= 0) return push_all(worker_rings[worker]);
  // All under one lock: no other thread's events come between them.
  shared& s = state();
  const base::locked held(s.lock);
  if (on() && s.now.foreign) push_all(*s.now.foreign);
}

void start(const std::string& path, int worker_count, detail_level detail, described_time clock, full when_full) {
  using namespace internal;
  shared& s = state();
  const base::locked held(s.lock);
  if (s.now.drain) throw error(fmt::format("a trace is being written to '{}' already", s.now.drain->path()));
  constexpr int most_workers = 0xfffe;
  if (worker_count < 0 || worker_count > most_workers)
    throw error(fmt::format("a trace holds at most {} workers, not {}", most_workers, worker_count));
  choose_clock(clock);
  session fresh;
  const auto count = static_cast<std::size_t>(worker_count);
  fresh.rings = std::make_unique<ring[]>(count + 1);
  for (std::size_t i = 0; i <= count; ++i) fresh.rings[i].open(capacity_for(count), when_full == full::wait);
  fresh.foreign = &fresh.rings[count];
  fresh.drain = std::make_unique<drainer>(path, std::span(fresh.rings.get(), count + 1), detail);
  s.now = std::move(fresh);
  worker_rings = s.now.rings.get();
  // The workers are made after this, and foreign threads take the lock.
  recorded_kinds.store(kinds_of(detail), std::memory_order_relaxed);
}

void start_from_environment(int worker_count, described_time clock) {
  const char* path = base::text_of("MASLIN_TRACE");
  const auto detail = base::choice_of<detail_level>("MASLIN_TRACE_DETAIL");
  const auto when_full = base::choice_of<full>("MASLIN_TRACE_FULL");
  if (!path) return;
  std::string where = internal::expand(path);
  if (const pid_t forked = internal::state().forked) where += fmt::format(".{}", forked);
  try {
    start(where, worker_count, detail, clock, when_full);
  } catch (const error& e) {
    throw error(fmt::format("MASLIN_TRACE={}: {}", path, e.what()));
  }
}

namespace {

/// Ends the recording and completes the file; gives what it had, nothing where none was on.
internal::session complete() noexcept {
  using namespace internal;
  shared& s = state();
  session ended;
  {
    const base::locked held(s.lock);  // no foreign thread is in its ring after this
    recorded_kinds.store(0, std::memory_order_relaxed);
    ended = std::move(s.now);
  }
  if (!ended.drain) return ended;
  ended.drain->finish();
  if (!ended.drain->problem().empty()) std::fprintf(stderr, "maslin: %s\n", ended.drain->problem().c_str());
  return ended;
}

}  // namespace

void stop() noexcept {
  if (complete().drain) internal::worker_rings = nullptr;
}

void leave() noexcept {
  // A worker that has just seen that a trace is on still writes to its ring.
  (void)complete().rings.release();
}

void around_fork(bool begins) noexcept MASLIN_UNCHECKED {
  if (begins) internal::state().lock.lock();
  internal::names_around_fork(begins);
  if (!begins) internal::state().lock.unlock();
}

void forget_after_fork() noexcept {
  using namespace internal;
  recorded_kinds.store(0, std::memory_order_relaxed);
  shared& s = state();
  const base::locked held(s.lock);
  if (s.now.drain) {
    s.now.drain->forget_after_fork();
    base::keep_reachable(s.now.drain.release());  // its thread does not exist here, so it cannot be joined
  }
  s.now = {};
  worker_rings = nullptr;
  s.forked = getpid();
}

}  // namespace maslin::trace
