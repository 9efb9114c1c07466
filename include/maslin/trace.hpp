#pragma once
// What a run left in its trace file (MASLIN_TRACE=path): the events of every worker, with names and times.
// The file's format is written down in src/trace/README.md.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "maslin/access.hpp"
#include "maslin/api.hpp"
#include "maslin/phase.hpp"

namespace maslin::trace {

/// What happened. The comment gives the meaning of `id` and of `argument`; names are found by `file::name`.
///
/// A *context* is a stream or a task. Between its begin or resume and its next suspend or end, everything that its
/// worker records belongs to it; what it has open when it is suspended stays open and goes on where it is resumed. What
/// a worker records outside every context belongs to the worker, or to the program's own control flow on worker 0.
/// `suspend` and `resume` do the same to everything that is open on the worker, whatever it belongs to.
enum class event_kind : std::uint8_t {
  worker_start = 1,  ///< the worker's thread is up
  worker_stop,       ///< the worker's last event
  stream_begin,      ///< id: name of the phase; argument: `stream_at` (index, slot)
  stream_end,        ///< the same
  stream_suspend,    ///< the same: the stream leaves this worker
  stream_resume,     ///< the same: it goes on here, perhaps on another worker
  task_create,       ///< id: source location; argument: number of the task, which no other has until it ends, or
                     ///< `ran_at_once` of one that is not handed over but begins now
  task_begin,        ///< the same
  task_end,          ///< the same
  task_suspend,      ///< the same
  task_resume,       ///< the same
  loop_begin,        ///< id: source location; argument: `loop_shape` (blocks, width)
  loop_end,          ///< the same
  chunk_begin,       ///< id: source location of the loop; argument: `chunk_at` (slot, first block, blocks)
  chunk_end,         ///< the same
  offload_begin,     ///< id: name of the kernel; argument: width of the team, or `on_host`
  offload_end,       ///< the same
  wait_begin,        ///< for tasks that the context created; id: 0; argument: number of their group, 0 for all. If
                     ///< `accessed` follows, only for those that write that data
  wait_end,          ///< the same
  park,              ///< the worker goes to sleep for lack of work
  unpark,            ///< it is awake again
  phase_begin,       ///< id: name of the phase; argument: number of streams
  phase_end,         ///< the same
  decision,          ///< id: name of the phase; argument: `decision_of` (configuration, stage, throughput)
  steal,             ///< id: 0; argument: the victim's worker number
  kernel_total,      ///< only in traces of detail `streams`; id: name of the kernel; argument: nanoseconds since the
                     ///< stream's last begin or resume here, of the off-loads counted by the `kernel_count` before it
  kernel_count,      ///< id: name of the kernel; argument: off-loads
  help_begin,  ///< only in traces of detail `streams`: outside streams of its own, the worker begins to run chunks of
               ///< the team `argument`, or tasks (`no_slot`). What is less than a millisecond apart is one help.
  help_end,    ///< the same
  suspend,     ///< what runs on this worker has to wait and makes room for others; argument: its number while it waits
  resume,      ///< it goes on here; the same number
  accessed,    ///< of the task just created, or what a wait that has just begun is for; id: its form (`access_form`);
               ///< argument: address
  member,      ///< the task just created is a group's; argument: number of the group, which no other has until its end
  group_end,   ///< argument: number of the group
  foreign_caller,  ///< who asks for something next on this track is no worker and not the thread that started the
                   ///< runtime
  piece,     ///< of the innermost chunk, or loop that its caller runs alone, the blocks before `argument` are done
  waiting,   ///< id: name of the phase; argument: `waiting_of` (policy, reason): how its workers wait from now on
  cpu_time,  ///< id: name of the phase that ends; argument: nanoseconds of CPU time of the process since it began
  library,   ///< one that brings threads of its own is loaded, when a phase begins; id: its name; argument: 1 if it has
             ///< one limit on them for the whole process, else 0
  // What a phase's configuration was decided by; at its end, in this order, on one track. id: name of the phase.
  sized,     ///< argument: `sized_by` (policy, unit)
  teams,     ///< argument: `teams_of` (configuration, samples), which the next event is about
  choice,    ///< argument: `choice_of` (expected, stands); one each, in the order in which they were chosen
  estimate,  ///< argument: `estimate_of` (throughput, error); one a configuration that is known, best first
  // What ranks do. Between a rank's begin and its end, what its worker records belongs to it while it is not suspended.
  rank_begin,  ///< id: the rank; argument: how many ranks there are
  rank_end,    ///< the same
  sends,       ///< it begins to send; id: to which rank; argument: `sent_as` (bytes, synchronous)
  receives,    ///< it begins to receive
  channel,     ///< of what it has just begun to send, or has just got; id: the communicator; argument: the tag
  starts,     ///< what has just begun goes on beside the rank; argument: its number, which nothing else of the rank has
              ///< until it is complete
  completes,  ///< argument: the number of what is complete, 0 for what did not go on beside the rank; id: 1 if it was
              ///< taken back
  gets,       ///< by the receive that is complete; id: from which rank; argument: bytes
  meets,      ///< it comes to a call of all; id: the communicator; argument: `met_as` (first, rank, ranks)
  moves,      ///< what that call moves; argument: `moved_as` (pattern, root, bytes)
  held,       ///< the worker has waited until there was room for the event before; id: 0; argument: nanoseconds. Only
              ///< in traces that were recorded with MASLIN_TRACE_FULL=wait
  traffic,    ///< what the context does next moves data between caches and memory; id: 0; argument: bytes
  // Copies that workers' local stores make. The first two are of the `transfer` that follows on their track. They are
  // recorded when it is over, or later, and belong to no context.
  transfer_task,  ///< for that task; argument: its number. Not there where the copy is for no task in particular
  transfer_time,  ///< argument: nanoseconds since the trace began; there are two: it began, it was over
  transfer,       ///< id: the worker whose store it is, -1 for that of all other threads; argument: `transfer_of`
  // More of ranks.
  awaits,  ///< id: 1: the rank waits for what it has started, or probes for, from now on; 0: no longer
  gives,   ///< in the call of neighbours that it has just come to; id: to which rank; argument: bytes
};
/// How many kinds there are, and one more.
inline constexpr int event_kinds = static_cast<int>(event_kind::gives) + 1;

/// Gives the kind's name as the tools print it, e.g. "offload_begin"; "unknown" for what is no kind.
MASLIN_API std::string_view to_string(event_kind kind);

/// The number of tasks that their creators ran at once, because they were small or very many were in flight.
inline constexpr std::uint64_t ran_at_once = ~std::uint64_t{0};

/// The width of a kernel that ran on its stream's host, because it was too small to be off-loaded or was pinned there.
inline constexpr std::uint64_t on_host = 0;

/// The slot of what runs outside every phase.
inline constexpr int no_slot = 0xffff;

/// A stream and its slot: the number of the team that it runs on, unique among the teams that exist at a time.
struct stream_at {
  std::int64_t index;  ///< within the phase; below 2^48
  int slot;
};
/// The blocks of a loop and the workers of its team.
struct loop_shape {
  std::int64_t blocks;  ///< below 2^48
  int width;
};
/// A run of blocks that a worker took.
struct chunk_at {
  int slot;                  ///< of the team whose loop it is; `no_slot` outside phases
  std::int64_t first_block;  ///< below 2^32
  std::int64_t blocks;       ///< 65535 stands for that many or more
};
/// How far the choice of a configuration has come.
enum class decision_stage : std::uint8_t { sampling, chosen, pinned };
/// What right-sizing decided: the configuration in force from now on.
struct decision_of {
  configuration under;
  decision_stage stage;
  float throughput;  ///< W as known when it was decided: of the sample that has just ended, or of the chosen
                     ///< configuration
};

/// By which policy a phase was sized, and what throughputs count (`phase_report::unit`); both are numbers of names.
struct sized_by {
  std::uint32_t policy;
  std::uint32_t unit;
};
/// A configuration, and the samples that an estimate of it rests on. Each number is at most 65535.
struct teams_of {
  configuration under;
  int samples;  ///< 65535 stands for that many or more
};
/// What the policy expected of a configuration when it chose it, and whether the choice stood at the end.
struct choice_of {
  float expected;  ///< throughput; 0: nothing was known
  bool stands;
};
/// `phase_estimate`.
struct estimate_of {
  float throughput;
  float error;  ///< below 0: not known
};

/// How those wait who have nothing to do; both are numbers of names.
struct waiting_of {
  std::uint32_t policy;
  std::uint32_t reason;
};

/// A message.
struct sent_as {
  std::uint64_t bytes;  ///< below 2^63
  bool is_synchronous;  ///< its sender waits for its receive, also if it is small
};
/// A rank in a communicator, which is told from others by its number and its first rank.
struct met_as {
  std::uint32_t first;  ///< the communicator's rank 0, as all ranks are numbered. Each of these is below 2^21
  std::uint32_t rank;   ///< which of its ranks
  std::uint32_t ranks;  ///< how many it has
};
/// What a call of all moves, as one rank knows it.
struct moved_as {
  /// Who gives to whom, and whose bytes are said.
  enum class pattern : std::uint8_t {
    nothing,        ///< a barrier, a call of neighbours, or not known
    broadcast,      ///< bytes: the root's
    scatter,        ///< bytes: those that the rank gets of the root
    reduce,         ///< bytes: those of a rank, and of the result
    gather,         ///< bytes: those that the rank gives the root
    reduce_to_all,  ///< as `reduce`
    gather_to_all,  ///< bytes: those that the rank gives to all
    all_to_all,     ///< bytes: all that the rank gives
  };
  pattern is = pattern::nothing;
  std::uint32_t root = 0;   ///< in the communicator; below 2^20
  std::uint64_t bytes = 0;  ///< below 2^40
};

/// A copy to or from a worker's local store.
struct transfer_of {
  /// From where to where.
  enum class way : std::uint8_t {
    from_memory,  ///< to the store
    from_peer,    ///< to the store, from another one
    to_memory,    ///< from the store
  };
  way goes = way::from_memory;
  bool is_early = false;    ///< it was begun before its task was
  int peer = -1;            ///< the worker whose store it comes from, -1 as in `event_kind::transfer`
  std::uint64_t bytes = 0;  ///< below 2^45
};

/// Gives the `event::argument` that says this; `unpack<What>` gives it back.
constexpr std::uint64_t pack(stream_at s) {
  return static_cast<std::uint64_t>(s.index) << 16 | static_cast<std::uint16_t>(s.slot);
}
constexpr std::uint64_t pack(loop_shape l) {
  return static_cast<std::uint64_t>(l.blocks) << 16 | static_cast<std::uint16_t>(l.width);
}
constexpr std::uint64_t pack(chunk_at c) {
  const std::uint64_t blocks = c.blocks < 0xffff ? static_cast<std::uint64_t>(c.blocks) : 0xffff;
  return static_cast<std::uint64_t>(c.first_block) << 32 | blocks << 16 | static_cast<std::uint16_t>(c.slot);
}
constexpr std::uint64_t pack(waiting_of w) { return static_cast<std::uint64_t>(w.policy) << 32 | w.reason; }
constexpr std::uint64_t pack(sized_by s) { return static_cast<std::uint64_t>(s.policy) << 32 | s.unit; }
constexpr std::uint64_t pack(const teams_of& t) {
  const auto bits = [](int n) { return static_cast<std::uint64_t>(std::clamp(n, 0, 0xffff)); };
  return bits(t.under.streams) << 48 | bits(t.under.width) << 32 | bits(t.under.wider) << 16 | bits(t.samples);
}
constexpr std::uint64_t pack(choice_of c) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(c.expected)) << 32 | (c.stands ? 1 : 0);
}
constexpr std::uint64_t pack(estimate_of e) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(e.throughput)) << 32 |
         std::bit_cast<std::uint32_t>(e.error);
}
constexpr std::uint64_t pack(sent_as s) { return s.bytes << 1 | (s.is_synchronous ? 1 : 0); }
constexpr std::uint64_t pack(met_as m) {
  return std::uint64_t{m.first} << 42 | std::uint64_t{m.rank} << 21 | std::uint64_t{m.ranks};
}
constexpr std::uint64_t pack(const moved_as& m) {
  return static_cast<std::uint64_t>(m.is) << 60 | std::uint64_t{m.root} << 40 | (m.bytes & 0xff'ffff'ffff);
}
constexpr std::uint64_t pack(const transfer_of& t) {
  return t.bytes << 19 | std::uint64_t{static_cast<std::uint16_t>(t.peer)} << 3 | (t.is_early ? 4 : 0) |
         static_cast<std::uint64_t>(t.goes);
}
MASLIN_API std::uint64_t pack(const decision_of& d);
/// Gives what `pack` made the argument of.
template <class What>
What unpack(std::uint64_t argument);
template <>
constexpr stream_at unpack<stream_at>(std::uint64_t a) {
  return {static_cast<std::int64_t>(a >> 16), static_cast<int>(a & 0xffff)};
}
template <>
constexpr loop_shape unpack<loop_shape>(std::uint64_t a) {
  return {static_cast<std::int64_t>(a >> 16), static_cast<int>(a & 0xffff)};
}
template <>
constexpr chunk_at unpack<chunk_at>(std::uint64_t a) {
  return {static_cast<int>(a & 0xffff), static_cast<std::int64_t>(a >> 32),
          static_cast<std::int64_t>(a >> 16 & 0xffff)};
}
template <>
constexpr waiting_of unpack<waiting_of>(std::uint64_t a) {
  return {static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(a)};
}
template <>
constexpr sized_by unpack<sized_by>(std::uint64_t a) {
  return {static_cast<std::uint32_t>(a >> 32), static_cast<std::uint32_t>(a)};
}
template <>
constexpr teams_of unpack<teams_of>(std::uint64_t a) {
  const auto part = [a](int from) { return static_cast<int>(a >> from & 0xffff); };
  return {{part(48), part(32), part(16)}, part(0)};
}
template <>
constexpr choice_of unpack<choice_of>(std::uint64_t a) {
  return {std::bit_cast<float>(static_cast<std::uint32_t>(a >> 32)), (a & 1) != 0};
}
template <>
constexpr estimate_of unpack<estimate_of>(std::uint64_t a) {
  return {std::bit_cast<float>(static_cast<std::uint32_t>(a >> 32)),
          std::bit_cast<float>(static_cast<std::uint32_t>(a))};
}
template <>
constexpr sent_as unpack<sent_as>(std::uint64_t a) {
  return {a >> 1, (a & 1) != 0};
}
template <>
constexpr met_as unpack<met_as>(std::uint64_t a) {
  const auto part = [a](int from) { return static_cast<std::uint32_t>(a >> from & 0x1f'ffff); };
  return {part(42), part(21), part(0)};
}
template <>
constexpr moved_as unpack<moved_as>(std::uint64_t a) {
  return {static_cast<moved_as::pattern>(a >> 60), static_cast<std::uint32_t>(a >> 40 & 0xf'ffff), a & 0xff'ffff'ffff};
}
template <>
constexpr transfer_of unpack<transfer_of>(std::uint64_t a) {
  const int peer = static_cast<int>(a >> 3 & 0xffff);
  return {static_cast<transfer_of::way>(a & 3), (a & 4) != 0, peer == 0xffff ? -1 : peer, a >> 19};
}
template <>
MASLIN_API decision_of unpack<decision_of>(std::uint64_t argument);

/// What an access names, beside the address: `columns` runs of `bytes`, one every `stride` bytes, and what is done to
/// them. As text: "inout 512 x 64 / 4096", or "in 512" of one run; `renames`: "out 512", else "out there 512".
struct access_form {
  access_mode mode;
  bool renames;  ///< an out of data that may lie elsewhere
  std::uint64_t bytes;
  std::uint64_t columns;
  std::uint64_t stride;
  bool operator==(const access_form&) const = default;
};
MASLIN_API std::string to_string(const access_form& form);
/// Gives the form that the text names; nothing for any other text.
MASLIN_API std::optional<access_form> parse_access_form(std::string_view text);

/// One event of a trace.
struct event {
  std::int64_t ns;  ///< since the trace began
  int worker;       ///< -1: a thread that is no worker
  event_kind kind;
  std::uint32_t id;
  std::uint64_t argument;
};

/// What a trace says of itself.
struct summary {
  int version = 0;  ///< of the file's format; before 2, what a program asked for was not recorded
  /// What one worker recorded.
  struct track {
    int worker;  ///< -1: the threads that are no workers
    std::uint64_t events;
    std::uint64_t dropped;  ///< events that came faster than they could be written
  };
  std::string program;
  std::string host;
  std::string processor;  ///< as the system names it; may be empty
  std::int64_t pid = 0;
  std::int64_t started_unix_ns = 0;  ///< wall clock
  std::int64_t duration_ns = 0;
  double event_ns = 0;  ///< what recording one event took, about
  int workers = 0;
  bool only_streams = false;  ///< recorded with MASLIN_TRACE_DETAIL=streams
  std::vector<track> tracks;  ///< every worker in order, then worker -1

  MASLIN_API std::uint64_t events() const;   ///< of all tracks
  MASLIN_API std::uint64_t dropped() const;  ///< of all tracks
};

/// A trace file, open for reading.
class file {
 public:
  /// Opens a trace and checks its frame; the events are checked when they are read. Throws `error`, which says where
  /// the file is cut or damaged.
  MASLIN_API explicit file(const std::string& path);
  MASLIN_API ~file();
  MASLIN_API file(file&&) noexcept;
  MASLIN_API file& operator=(file&&) noexcept;

  MASLIN_API const summary& about() const;  ///< what the trace says of itself
  /// Gives the name with that number; "?" when the trace has none.
  MASLIN_API std::string_view name(std::uint32_t id) const;
  /// Hands over every event in the order of time; those of one worker in the order in which it recorded them. An event
  /// never comes before its cause: a task begins after it was created, a stream goes on after it was suspended, a
  /// loop's chunks and a phase's streams begin after it. If the workers' clocks say otherwise, by less than 200 ns, the
  /// event gets its cause's time. At one time, ends come before begins, and what waits for others ends last. Holds one
  /// block of each worker in memory. Throws `error` where the file is damaged; what was handed over until then is as it
  /// was recorded.
  MASLIN_API void each_event(const std::function<void(const event&)>& take) const;

 private:
  struct contents;
  std::unique_ptr<contents> contents_;
};

}  // namespace maslin::trace
