#pragma once
// The recorder: what the runtime calls to leave a trace. One ring per worker, written by that worker alone and drained
// by one thread; README.md holds the protocol. While no trace is on, every call costs one relaxed load and a branch.

#include <atomic>
#include <cstdint>
#include <string>

#include "maslin/location.hpp"
#include "maslin/trace.hpp"
#include "trace/ring.hpp"

namespace maslin::trace {

/// In the order of the words of MASLIN_TRACE_DETAIL.
enum class detail_level : std::uint8_t {
  streams,  ///< phases, streams, decisions, park/unpark, helps, and totals per kernel and stream
  all
};

/// What a worker does whose events come faster than they are written. In the order of the words of MASLIN_TRACE_FULL.
enum class full : std::uint8_t {
  drop,  ///< it drops them, and counts how many
  wait   ///< it waits, and records how long
};

namespace internal {
extern std::atomic<std::uint64_t> recorded_kinds;  // bit k: events of kind k are recorded; 0: no trace is on
extern ring* worker_rings;                         // one a worker; changes only while no worker runs
void record_foreign(event_kind kind, std::uint32_t id, std::uint64_t argument) noexcept;
}  // namespace internal

/// Gives whether a trace is being recorded.
inline bool on() noexcept { return internal::recorded_kinds.load(std::memory_order_relaxed) != 0; }

/// Gives whether events of that kind are recorded: detail `streams` leaves out some already here.
inline bool on(event_kind kind) noexcept {
  return (internal::recorded_kinds.load(std::memory_order_relaxed) >> static_cast<unsigned>(kind) & 1) != 0;
}

/// Gives the time as events are stamped with it: ticks of the recorder's clock.
inline std::uint64_t now() noexcept { return internal::ticks(); }

/// Records one event of `worker`, now. To be called by the thread that is this worker; a foreign thread passes -1 and
/// shares one ring with the others, behind a lock. Never allocates; makes a system call only when the ring is
/// full and the worker waits, else the event is dropped and counted.
inline void record(int worker, event_kind kind, std::uint32_t id = 0, std::uint64_t argument = 0) noexcept {
  if (!on(kind)) return;
  if (worker < 0) return internal::record_foreign(kind, id, argument);
  internal::worker_rings[worker].push(kind, id, argument);
}
/// The same for an event of the time `at`, which `now` gave on this worker after its last event: reading the clock is
/// most of what a record costs, so who measures anyway, or records two events at one place, reads it once.
inline void record_at(std::uint64_t at, int worker, event_kind kind, std::uint32_t id = 0,
                      std::uint64_t argument = 0) noexcept {
  if (!on(kind)) return;
  if (worker < 0) return internal::record_foreign(kind, id, argument);
  internal::worker_rings[worker].push(at, kind, id, argument);
}
inline void record(int worker, event_kind kind, std::uint32_t id, stream_at what) noexcept {
  record(worker, kind, id, pack(what));
}
inline void record(int worker, event_kind kind, std::uint32_t id, loop_shape what) noexcept {
  record(worker, kind, id, pack(what));
}
inline void record(int worker, event_kind kind, std::uint32_t id, chunk_at what) noexcept {
  record(worker, kind, id, pack(what));
}
inline void record(int worker, event_kind kind, std::uint32_t id, const decision_of& what) noexcept {
  if (on()) record(worker, kind, id, pack(what));
}

/// A copy that a worker's local store has made.
struct store_transfer {
  int store;                   ///< the worker whose it is; -1: that of all other threads
  std::uint64_t task;          ///< for which it was, by its number in traces; 0: for none in particular
  std::uint64_t began, ended;  ///< as `now` gives times
  transfer_of what;
};
/// Records it on the track of `worker`, at its end or later.
void record_transfer(int worker, const store_transfer& one) noexcept;

/// Gives the number of a name (a kernel, a phase); the same text gives the same number, from 1 up. Takes a lock: ask
/// once and keep it. May be called before `start` and from static initializers.
std::uint32_t intern(const char* name);

/// Gives the number of "file:line". Remembers what this thread asked before, so it may be called for every loop.
std::uint32_t site(const location& where);

/// Gives the number of the form's text (`to_string`); remembers like `site`.
std::uint32_t form(const access_form& what);

/// Gives the time of a described machine in nanoseconds, to any thread.
using described_time = std::uint64_t (*)() noexcept;

/// Begins a trace of `workers` workers; to be called before they run (the caller may be worker 0). Times are those of
/// this machine, or of `clock`. Throws `error` when the file cannot be made.
void start(const std::string& path, int workers, detail_level detail = detail_level::all,
           described_time clock = nullptr, full when_full = full::drop);

/// The same as MASLIN_TRACE, MASLIN_TRACE_DETAIL and MASLIN_TRACE_FULL say; does nothing when MASLIN_TRACE is unset or
/// empty. `%p` in the path stands for the process's number. Throws `error` for a bad value.
void start_from_environment(int workers, described_time clock = nullptr);

/// Ends the trace and puts the file in its place; to be called when the workers have stopped. Does nothing when none is
/// on. If the file could not be written, says so once on stderr, and leaves nothing behind.
void stop() noexcept;
/// The same while workers run, for the process ends: an event that is being recorded may be missing.
void leave() noexcept;

/// A fork begins or has ended, in either process: no other thread starts or ends a trace meanwhile, or makes names.
void around_fork(bool begins) noexcept;
/// To be called in a forked child before anything else: forgets the trace, which stays the parent's. A trace that the
/// child starts from the same environment goes to its own file, "path.<pid>".
void forget_after_fork() noexcept;

}  // namespace maslin::trace
