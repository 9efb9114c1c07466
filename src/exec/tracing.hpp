#pragma once
// What the executors tell the trace of what the program asked for. While no trace is on each costs a load and a branch.

#include <algorithm>
#include <cstdint>

#include "exec/executor.hpp"
#include "graph/recording.hpp"
#include "trace/recorder.hpp"

namespace maslin {

/// Gives the number by which a trace knows a task, or a group's members, while they are there.
inline std::uint64_t traced_number(const void* what) noexcept { return reinterpret_cast<std::uintptr_t>(what) >> 4; }

/// A thread that is none of ours is about to ask for something: records that.
inline void trace_foreign_caller(const executor& exec) {
  if (trace::on() && exec.is_foreign_thread()) trace::record(-1, trace::event_kind::foreign_caller);
}

/// The caller's track in the trace, while it records something there.
class traced_track {
 public:
  explicit traced_track(executor& exec) : number(exec.hold_track()), exec_(exec) { trace_foreign_caller(exec); }
  ~traced_track() { exec_.leave_track(); }
  traced_track(const traced_track&) = delete;
  traced_track& operator=(const traced_track&) = delete;
  const int number;

 private:
  executor& exec_;
};

/// Records that the caller creates a task: a handed over one of that number, or one that it runs at once.
void record_created(executor& exec, const detail::task_description& what, std::uint64_t number);
inline void trace_created(executor& exec, const detail::task_description& what, std::uint64_t number) {
  if (trace::on(trace::event_kind::task_create)) [[unlikely]]
    record_created(exec, what, number);
}
/// Records that a group, by the name of its members, is gone.
inline void trace_group_end(executor& exec, const scope& members) {
  if (trace::on(trace::event_kind::group_end)) [[unlikely]]
    trace::record(traced_track(exec).number, trace::event_kind::group_end, 0, traced_number(&members));
}
/// Records that the caller creates the tasks of a recording again.
void trace_replayed(executor& exec, const recording::state& tasks);

/// Records that a task, created there, which the caller itself runs begins or ends.
inline void trace_task(executor& exec, trace::event_kind kind, const location& where, std::uint64_t number) {
  if (trace::on()) [[unlikely]]
    trace::record(traced_track(exec).number, kind, trace::site(where), number);
}

/// Records that the caller waits while this lives: for all that it created, for a group, or for data.
class traced_wait {
 public:
  traced_wait(executor& exec, const scope* group, const detail::declared* data = nullptr);
  ~traced_wait() {
    if (exec_) [[unlikely]]
      trace::record(traced_track(*exec_).number, trace::event_kind::wait_end, 0, group_);
  }
  traced_wait(const traced_wait&) = delete;
  traced_wait& operator=(const traced_wait&) = delete;

 private:
  executor* exec_ = nullptr;  ///< null: no trace was on
  std::uint64_t group_ = 0;
};

/// Records a copy that a local store has just made, on the caller's track.
void record_transfer(const trace::store_transfer& one) noexcept;

/// Records, one after another, the blocks [first, last) of a loop that a worker runs: their begin and end if they are a
/// chunk of a loop that is shared, and now and then how far it has come, so that a trace tells light blocks from heavy.
class traced_blocks {
 public:
  /// A loop that its caller runs alone.
  traced_blocks(executor& exec, const detail::loop& alone) : on_(trace::on(trace::event_kind::loop_begin)) {
    if (on_) [[unlikely]]
      begin_alone(exec, alone);
  }
  /// A chunk, on worker `track`; not recorded of a foreign thread, with which others may share the track.
  traced_blocks(int track, std::uint32_t site, const trace::chunk_at& chunk)
      : on_(track >= 0 && trace::on(trace::event_kind::chunk_begin)) {
    if (on_) [[unlikely]]
      begin_chunk(track, site, chunk);
  }
  ~traced_blocks() {
    if (on_) [[unlikely]]
      end();
  }
  traced_blocks(const traced_blocks&) = delete;
  traced_blocks& operator=(const traced_blocks&) = delete;

  /// How far may the worker come, to `last` at most, without calling `reached`?
  std::int64_t next_stop(std::int64_t last) const { return on_ ? std::min(next_, last) : last; }
  /// The blocks before that one are done.
  void reached(std::int64_t block) {
    reached_ = block;
    if (block == next_) [[unlikely]]
      trace_piece();
  }

 private:
  static constexpr std::int64_t most_pieces = 8;
  void begin_alone(executor& exec, const detail::loop& alone);
  void begin_chunk(int track, std::uint32_t site, const trace::chunk_at& chunk);
  void begin(std::int64_t last);
  void trace_piece();
  void end();

  const bool on_;
  bool is_chunk_ = false;
  int track_ = 0;
  std::uint32_t site_ = 0;
  trace::chunk_at blocks_{};
  std::int64_t reached_ = 0;
  std::int64_t next_ = -1;  ///< to be recorded
  std::int64_t step_ = 1;
};

}  // namespace maslin
