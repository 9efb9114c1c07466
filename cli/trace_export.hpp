#pragma once
// A trace as other programs read it.

#include <algorithm>
#include <cstdint>
#include <string>

#include "maslin/trace.hpp"
#include "output.hpp"

/// The part of a trace that is exported, in seconds since its start.
struct time_window {
  double from = 0;
  double to = 1e18;

  std::int64_t from_ns() const { return ns(from); }
  /// At most the trace's end.
  std::int64_t until_ns(const maslin::trace::file& trace) const { return std::min(ns(to), trace.about().duration_ns); }

 private:
  static std::int64_t ns(double s) { return static_cast<std::int64_t>(std::clamp(s * 1e9, 0.0, 9e18)); }
};

/// Writes trace events in the JSON format that the Perfetto UI and chrome://tracing read: a track a worker with nested
/// slices, a track of decisions, phases as asynchronous slices, and a counter of working workers. Slices that reach
/// beyond the window are cut at its edges. Gives the number of events written.
std::uint64_t export_perfetto(const maslin::trace::file& trace, const time_window& window, output_file& to);

struct paraver_records {
  std::uint64_t count = 0;
  std::string left_out;  ///< why there are no messages, or no bytes of tasks, where the trace has some
};

/// Writes STEM.prv, STEM.pcf and STEM.row, which Paraver reads: for each worker whether it works, waits, is parked or
/// looks for work, and which stream, task, loop and kernel it is at; for each decision the configuration; the messages
/// of ranks; and for each task what it would transfer if workers had local stores. What happened outside the window is
/// left out, and times count from its begin.
paraver_records export_paraver(const maslin::trace::file& trace, const std::string& path, const time_window& window,
                               const std::string& stem);

/// Gives one JSON object with each worker's intervals by the stream that it worked for, phases, decisions and kernels,
/// as the report draws them; docs/trace.md lists the keys. Intervals of one stream closer than `resolution_s` are
/// merged; 0 takes a four-thousandth of the trace.
std::string spans_json(const maslin::trace::file& trace, double resolution_s);
