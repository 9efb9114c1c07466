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

/// Before what a thread asks for that is none of ours, says so.
inline void note_stranger(const executor& exec) {
  if (trace::on() && exec.is_foreign_thread()) trace::record(-1, trace::event_kind::stranger);
}

/// The caller's track in the trace, while it notes something there.
class noted_track {
 public:
  explicit noted_track(executor& exec) : number(exec.hold_track()), exec_(exec) { note_stranger(exec); }
  ~noted_track() { exec_.leave_track(); }
  noted_track(const noted_track&) = delete;
  noted_track& operator=(const noted_track&) = delete;
  const int number;

 private:
  executor& exec_;
};

/// Notes that the caller creates a task: a handed over one of that number, or one that it runs at once.
void record_created(executor& exec, const detail::task_description& what, std::uint64_t number);
inline void note_created(executor& exec, const detail::task_description& what, std::uint64_t number) {
  if (trace::on(trace::event_kind::task_create)) [[unlikely]]
    record_created(exec, what, number);
}
/// Notes that a group, by the name of its members, is gone.
inline void note_group_end(executor& exec, const scope& members) {
  if (trace::on(trace::event_kind::group_end)) [[unlikely]]
    trace::record(noted_track(exec).number, trace::event_kind::group_end, 0, traced_number(&members));
}
/// Notes that the caller creates the tasks of a recording again.
void note_replayed(executor& exec, const recording::state& tasks);

/// Notes that a task, created there, which the caller itself runs begins or ends.
inline void note_task(executor& exec, trace::event_kind kind, const location& where, std::uint64_t number) {
  if (trace::on()) [[unlikely]]
    trace::record(noted_track(exec).number, kind, trace::site(where), number);
}

/// Notes that the caller waits while this lives: for all that it created, for a group, or for data.
class noted_wait {
 public:
  noted_wait(executor& exec, const scope* group, const detail::declared* data = nullptr);
  ~noted_wait() {
    if (exec_) [[unlikely]]
      trace::record(noted_track(*exec_).number, trace::event_kind::wait_end, 0, group_);
  }
  noted_wait(const noted_wait&) = delete;
  noted_wait& operator=(const noted_wait&) = delete;

 private:
  executor* exec_ = nullptr;  ///< null: no trace was on
  std::uint64_t group_ = 0;
};

/// Notes, one after another, the blocks [first, last) of a loop that a worker runs: their begin and end if they are a
/// chunk of a loop that is shared, and now and then how far it has come, so that a trace tells light blocks from heavy.
class traced_blocks {
 public:
  /// A loop that its caller runs alone.
  traced_blocks(executor& exec, const detail::loop& alone);
  /// A chunk, on worker `track`; not noted of a foreign thread, with which others may share the track.
  traced_blocks(int track, std::uint32_t site, const trace::chunk_at& chunk);
  ~traced_blocks() {
    if (on_) [[unlikely]]
      end();
  }
  traced_blocks(const traced_blocks&) = delete;
  traced_blocks& operator=(const traced_blocks&) = delete;

  /// How far may the worker come, to `last` at most, without calling `reached`?
  std::int64_t before_note(std::int64_t last) const { return on_ ? std::min(next_, last) : last; }
  /// The blocks before that one are done.
  void reached(std::int64_t block) {
    reached_ = block;
    if (block == next_) [[unlikely]]
      note_piece();
  }

 private:
  static constexpr std::int64_t most_pieces = 8;
  void begin(std::int64_t last);
  void note_piece();
  void end();

  bool on_;
  bool is_chunk_;
  int track_;
  std::uint32_t site_ = 0;
  trace::chunk_at blocks_{};
  std::int64_t reached_ = 0;
  std::int64_t next_ = -1;  ///< to be noted
  std::int64_t step_ = 1;
};

}  // namespace maslin
