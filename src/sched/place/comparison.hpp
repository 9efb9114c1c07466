#pragma once
// Which of two policies serves a program better (MASLIN_PLACE=auto): what the same tasks take under each.

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "maslin/runtime.hpp"

namespace maslin::place {

/// What the tasks of a call site took, with what it takes to choose and to complete them.
struct taken {
  std::uint64_t tasks = 0;
  double seconds = 0;
};
/// What tasks took while one policy was in force, by call site.
using stretch = std::map<std::string, taken>;

/// dbs against locality. Two stretches that follow each other, one under each, are a pair. What a pair says is the
/// ratio of what the tasks of both took, locality's over dbs's, as if each site had run as often under one as under the
/// other: so the mix of tasks may change from stretch to stretch. Disturbances from outside act on both of a pair.
class comparison {
 public:
  /// So many pairs decide at least, for locality and for dbs, and at most.
  static constexpr int least_pairs = 4;
  static constexpr int least_pairs_for_dbs = 3;
  static constexpr int most_pairs = 12;
  /// locality is chosen where it surely gains more than that.
  static constexpr double least_gain = 0.01;

  /// The logarithms of the pairs' ratios: how many, their mean, the sum of their squared distances from it.
  struct evidence {
    int pairs = 0;
    double mean = 0;
    double squares = 0;
  };

  comparison() = default;
  /// Goes on with what an earlier run has found: a stretch without its other half has tasks.
  comparison(const evidence& known, placement alone_under, stretch alone)
      : known_(known), alone_under_(alone_under), alone_(std::move(alone)) {}

  /// A stretch is over. It makes a pair with the one before, if that was under the other policy and had none.
  void add(placement under, const stretch& what);
  /// The stretch that has no other half yet will not get one.
  void forget_alone() { alone_.clear(); }

  /// Gives what has been decided: locality, if it surely gains; dbs, if that is unlikely, or if it cannot be told.
  std::optional<placement> chosen() const;
  /// Gives what the next stretch is to run under. Which one comes first changes from pair to pair.
  placement next() const;

  const evidence& known() const { return known_; }
  placement alone_under() const { return alone_under_; }
  const stretch& alone() const { return alone_; }

 private:
  evidence known_;
  placement alone_under_ = placement::dbs;  ///< the last stretch, whether it is alone or not
  stretch alone_;
};

/// Gives how far the mean may be off: half of the interval in which it lies in 99 cases of 100 (Student's t); only for
/// two pairs or more.
double half_interval(const comparison::evidence& known);

}  // namespace maslin::place
