#pragma once
// S-MGPS (multigrain-cell, 6.2): which configuration a phase runs in, decided from measured throughput alone.

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/grain/controller.hpp"

namespace maslin::grain {

/// Gives every (streams p, width w) with p × w ≤ workers, w ≤ widest and p ≤ streams: the search space of step 2,
/// by width, then by streams. Counts above 16 go in four steps a doubling. For 8 workers and widest 5 these are 17.
std::vector<configuration> feasible(int workers, std::int64_t streams, int widest);

/// The controller of one run of a phase.
///
/// Both steps are races. Every pass takes one slice of each configuration that is still in the race, longer ones in
/// later passes, and then drops what is clearly behind (README.md says how clearly). Slices measured by finished
/// streams are not repeated. The winner has the largest median W; among equals, what uses fewer workers, then the
/// narrower.
class s_mgps final : public controller {
 public:
  /// `workers` ≥ 1 that the phase may use, `streams` ≥ 1 that it has to run.
  s_mgps(int workers, std::int64_t streams);

  /// Gives the configuration to run under now: the one to be sampled next, later the chosen one, or, when fewer streams
  /// are left than it runs at a time, the best that is known for as many.
  configuration current() const override { return current_; }
  bool sampling() const override { return step_ != step::done; }
  /// Gives what was chosen; nothing while sampling.
  std::optional<configuration> chosen() const override { return chosen_; }

  sample_rule rule() const override;
  /// One without duration is ignored.
  void observe(const sample& slice) override;
  void streams_left(std::int64_t left) override;
  /// Says that the phase may use another number of workers from now on: the search starts again, but slices of
  /// configurations that are still possible count, so only what is missing is sampled. `current()` changes.
  void resize(int workers) override;

  /// Gives every slice, the work of all counted with the same mean times. If no kernel completed in any, finished
  /// streams are counted instead, one each.
  std::vector<phase_sample> samples() const override;

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
