#pragma once
// What every policy that chooses a phase's configuration is to its phase: observations in, configurations out.
//
//   run under current(), and whenever that changes, under what it is now
//   while sampling(): when the configuration is in force (rule().settled) start a slice,
//                     when the slice is long enough (rule().complete) observe it
//   while epoch() > 0: when so many off-loads have departed, say so (departed)
//   when a stream ends: streams_left; when the phase gets other workers: resize, and soon after that decide
//
// Pure: no thread, no clock, no lock. The same calls give the same decisions, so that a recorded history replays.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "maslin/phase.hpp"
#include "sched/grain/knowledge.hpp"
#include "sched/grain/sample.hpp"

namespace maslin::grain {

/// What a phase has when it begins.
struct situation {
  int workers = 1;                     ///< that it may use
  std::int64_t streams = 1;            ///< that it has to run
  double handing_over_seconds = 0;     ///< what sharing a kernel with a team costs
  std::vector<knowledge> before = {};  ///< what was learned in earlier runs; that which fits best comes first
  bool calls_libraries = false;        ///< that have threads of their own: nobody knows what these share
};

/// The controller of one run of a phase. `current()` never asks for more workers than there are.
class controller {
 public:
  virtual ~controller() = default;

  /// Gives the configuration to run under now.
  virtual configuration current() const = 0;
  /// Gives what was decided on, which the last streams may be too few for; nothing while that is open.
  virtual std::optional<configuration> chosen() const { return current(); }

  /// Says how many streams have not finished yet, one or more. `current()` may change.
  virtual void streams_left(std::int64_t left) = 0;
  /// Says that the phase may use another number of workers from now on. `current()` may change; this takes no longer
  /// than that, since others wait meanwhile. What takes longer waits for `decide`.
  virtual void resize(int workers) = 0;
  /// Decides anew after `resize`. `current()` may change.
  virtual void decide() {}

  /// Is a slice due?
  virtual bool sampling() const { return false; }
  /// Gives the rule for the slice that is due now.
  virtual sample_rule rule() const { return {}; }
  /// Takes in a slice of `slice.under`, which need not be `current()`. `current()` may change.
  virtual void observe(const sample& slice) { static_cast<void>(slice); }
  /// Gives what the next run of the phase may begin with; empty if nothing was learned.
  virtual knowledge learned() const { return {}; }
  /// Gives every slice in the order in which they were taken.
  virtual std::vector<phase_sample> samples() const { return {}; }
  /// Gives what it decides by: what it knew at its last decision that confirmed `chosen()`, or at its last one while
  /// nothing is chosen. The largest throughput comes first.
  virtual std::vector<phase_estimate> estimates() const { return {}; }
  /// Gives what throughputs count.
  virtual std::string_view unit() const { return unit::work; }
  /// Does what streams do themselves, between off-loads, count as kernels do?
  virtual bool counts_own_code() const { return false; }
  /// Do slices count by the CPU time that was had? Then `sample::without_cpu` is measured; otherwise it is 0.
  virtual bool counts_cpu_time() const { return false; }
  /// Should streams that stand aside take turns with those that run, so that all come equally far?
  virtual bool keeps_even() const { return false; }

  /// Gives after how many departures it wants to be told of them; 0: not, from now on.
  virtual std::int64_t epoch() const { return 0; }
  /// Takes in departures under `current()`, in any portions. `current()` may change.
  virtual void departed(const departures& off_loads) { static_cast<void>(off_loads); }
};

}  // namespace maslin::grain
