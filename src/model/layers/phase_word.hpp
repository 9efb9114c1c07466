#pragma once
// When workers have word that a phase begins, and what it takes to tell them that it is over. Formulas, because a
// machine may have 100,000 workers and the model looks at hundreds of layouts.

#include <algorithm>
#include <cstdint>

#include "model/layers/machine.hpp"

namespace maslin::layers {

/// The program tells one worker after the other: first those that lead teams, then the others, each in the order of
/// their numbers; those of other groups or nodes over a link. Without hosts the program is worker 0, which knows.
class phase_word {
 public:
  /// A process of so many workers, which are those of the first nodes, with teams of `width`.
  phase_word(const machine& m, int workers, int teams, int width)
      : node_(m.workers),
        group_(m.has_hosts() ? m.workers : m.workers / m.groups),
        first_(m.has_hosts() ? 0 : 1),
        workers_(workers),
        width_(width),
        leaders_end_(static_cast<int>(std::min<std::int64_t>(workers, std::int64_t{teams} * width))),
        signal_(m.cost.signal.value),
        wake_(m.cost.wake.value),
        between_groups_(m.cost.between_groups.value),
        between_nodes_(m.cost.between_nodes.value) {}

  /// Gives the seconds until all are told.
  double all() const { return takes(counted(0, leaders_end_, workers_)); }
  /// Gives when that worker has word, after the phase has begun.
  double at(int worker) const {
    if (worker < first_) return 0;
    return wake_ + takes(leads(worker) ? counted(0, worker + 1, 0) : counted(0, leaders_end_, worker + 1));
  }
  /// Gives the first of the workers from `begin` to `end` that has no word at that time; `end` if all have. None of
  /// them leads a team.
  int first_without(int begin, int end, double when) const;
  /// Gives what it takes `from` a worker to tell that the phase is over, when it has gone on for so long: those to
  /// which word is still on its way that it has begun are not told.
  double that_it_is_over(int from, double when) const;
  /// What a signal takes longer from one worker to another, or from the host of one.
  double between(int one, int other) const {
    if (one / node_ != other / node_) return between_nodes_;
    return one / group_ != other / group_ ? between_groups_ : 0;
  }

 private:
  /// Signals from one worker to others, by where these are.
  struct signals {
    std::int64_t all = 0, on_node = 0, in_group = 0;
  };
  bool leads(int worker) const { return worker % width_ == 0 && worker < leaders_end_; }
  /// Those to leaders before `leaders`, and to others before `others`.
  signals counted(int from, int leaders, int others) const;
  double takes(const signals& s) const {
    return static_cast<double>(s.all) * signal_ + static_cast<double>(s.all - s.on_node) * between_nodes_ +
           static_cast<double>(s.on_node - s.in_group) * between_groups_;
  }

  int node_, group_;  ///< workers of each
  int first_;         ///< that is told
  int workers_, width_, leaders_end_;
  double signal_, wake_, between_groups_, between_nodes_;
};

}  // namespace maslin::layers
