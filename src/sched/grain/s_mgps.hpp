#pragma once
// S-MGPS (multigrain-cell, 6.2): which configuration a phase runs in, decided from measured throughput alone.
//
//   s_mgps grain(workers, streams);
//   loop: run under grain.current()
//         while grain.sampling(): when the configuration is in force (rule().settled) start a slice,
//                                 when the slice is long enough (rule().complete) grain.observe(slice)
//         when a stream ends: grain.streams_left(n)
//
// Pure: no thread, no clock, no lock; the same calls give the same decisions.

#include <cstdint>
#include <optional>
#include <vector>

#include "maslin/phase.hpp"
#include "sched/grain/throughput.hpp"

namespace maslin::grain {

/// How far a slice (one sample's stretch of real work under one configuration) has come.
struct progress {
  double seconds = 0;        ///< since the slice began
  std::int64_t kernels = 0;  ///< completed in it, all streams together
  std::int64_t units = 0;    ///< streams finished in it
  int streams = 1;           ///< that are running at a time
};

/// When a slice begins and ends.
struct sample_rule {
  double seconds = 0.025;          ///< a slice lasts at least this
  std::int64_t kernels = 50;       ///< and completes at least this many kernels per running stream
  double patience_seconds = 0.25;  ///< how long a slice waits for its streams' first off-loads

  /// Is the configuration in force, so that a slice may begin? Each running stream must have off-loaded once since the
  /// configuration was set (`off_loaded` of `streams` have): one that is still getting started would speak against it.
  /// Streams that do not off-load are waited for only as long as the patience lasts.
  bool settled(int streams, int off_loaded, double seconds_since_set) const {
    return off_loaded >= streams || seconds_since_set >= patience_seconds;
  }

  /// Is the slice long enough to say something? Also when as many streams have finished in it as run at a time: the
  /// paper's unit, for streams that off-load little or nothing.
  bool complete(const progress& p) const {
    return (p.seconds >= seconds && p.kernels >= kernels * p.streams) || p.units >= p.streams;
  }
};

/// A finished slice.
struct sample {
  configuration under;
  double seconds = 0;
  std::vector<kernel_record> kernels;  ///< what completed in it, by kernel id
  std::int64_t units = 0;              ///< streams finished in it
};

/// Gives every (streams p, width w) with p × w ≤ workers, w ≤ widest and p ≤ streams: the search space of step 2,
/// by width, then by streams. Counts above 16 go in four steps a doubling. For 8 workers and widest 5 these are 17.
std::vector<configuration> feasible(int workers, std::int64_t streams, int widest);

/// The controller of one run of a phase.
///
/// Both steps are races. Every pass takes one slice of each configuration that is still in the race, longer ones in
/// later passes, and then drops what is clearly behind (README.md says how clearly). Slices measured by finished
/// streams are not repeated. The winner has the largest median W; among equals, what uses fewer workers, then the
/// narrower.
class s_mgps {
 public:
  /// `workers` ≥ 1 that the phase may use, `streams` ≥ 1 that it has to run.
  s_mgps(int workers, std::int64_t streams);

  /// Gives the configuration to run under now: the one to be sampled next, later the chosen one, or, when fewer streams
  /// are left than it runs at a time, the best that is known for as many.
  configuration current() const { return current_; }
  bool sampling() const { return step_ != step::done; }
  /// Gives what was chosen; nothing while sampling.
  std::optional<configuration> chosen() const { return chosen_; }

  /// Gives the rule for the slice that is due now.
  sample_rule rule() const;
  /// Takes in a slice of `slice.under`, which need not be `current()`; one without duration is ignored. `current()` may
  /// change.
  void observe(const sample& slice);
  /// Says how many streams have not finished yet. `current()` may change.
  void streams_left(std::int64_t left);
  /// Says that the phase may use another number of workers from now on: the search starts again, but slices of
  /// configurations that are still possible count, so only what is missing is sampled. `current()` changes.
  void resize(int workers);

  /// Gives every slice in the order in which they were taken, the work of all counted with the same mean times. If no
  /// kernel completed in any, finished streams are counted instead, one each.
  std::vector<phase_sample> samples() const;
  /// Gives what the slices say of the kernels.
  const kernel_times& times() const { return times_; }

 private:
  enum class step { widths, grid, done };
  struct slice {
    sample measured;
    bool by_units;
  };
  struct candidate {
    configuration under;
    bool racing = true;
    std::vector<std::size_t> slices;  // positions in taken_
  };
  struct spread {
    double lowest, median, highest;
  };

  void enter(const std::vector<configuration>& field);
  void enter_grid(int widest);
  void advance();
  bool eligible(const candidate& c) const { return c.racing && c.under.streams <= left_; }
  bool race_is_over() const;
  const candidate* due() const;
  void drop_what_is_behind();
  const candidate& best(bool for_streams_left) const;
  spread throughput(const candidate& c) const;
  double work(const sample& s) const;

  int workers_;
  std::int64_t streams_;
  std::int64_t left_;
  kernel_times times_;
  bool kernels_seen_ = false;
  std::vector<slice> taken_;
  std::vector<candidate> candidates_;
  step step_ = step::widths;
  int pass_ = 1;
  configuration current_;
  std::optional<configuration> chosen_;
};

}  // namespace maslin::grain
