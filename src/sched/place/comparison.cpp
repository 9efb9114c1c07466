#include "sched/place/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace maslin::place {

namespace {

/// Gives what the tasks of both stretches take under locality over what they take under dbs; nothing where less than
/// half of the tasks are of sites that both have.
std::optional<double> ratio(const stretch& under_dbs, const stretch& under_locality) {
  constexpr std::uint64_t least_tasks = 4;  // of a site, that its mean says something
  double dbs = 0, locality = 0;
  std::uint64_t compared = 0, all = 0;
  for (const auto& [site, t] : under_dbs) all += t.tasks;
  for (const auto& [site, t] : under_locality) {
    all += t.tasks;
    const auto other = under_dbs.find(site);
    if (other == under_dbs.end() || std::min(t.tasks, other->second.tasks) < least_tasks) continue;
    const std::uint64_t tasks = t.tasks + other->second.tasks;
    compared += tasks;
    const auto mean_times = [tasks](const taken& of) {
      return of.seconds / static_cast<double>(of.tasks) * static_cast<double>(tasks);
    };
    dbs += mean_times(other->second);
    locality += mean_times(t);
  }
  if (2 * compared < all || !(dbs > 0) || !(locality > 0)) return std::nullopt;
  return locality / dbs;
}

/// Student's t for 1, 2, ... degrees of freedom.
using student = std::array<double, 12>;
constexpr student two_sided_99{63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25, 3.17, 3.11, 3.05};
// A wrong choice of dbs leaves a gain behind that is small or hard to tell. To go on measuring costs what locality
// loses.
constexpr student one_sided_90{3.08, 1.89, 1.64, 1.53, 1.48, 1.44, 1.41, 1.40, 1.38, 1.37, 1.36, 1.36};

/// Gives how far the mean may be off; only for two pairs or more.
double distance(const comparison::evidence& known, const student& t) {
  const int freedom = known.pairs - 1;
  const auto at = std::min(static_cast<std::size_t>(freedom), t.size()) - 1;
  return t[at] * std::sqrt(known.squares / freedom / known.pairs);
}

}  // namespace

void comparison::add(placement under, const stretch& what) {
  std::optional<double> found;
  if (!alone_.empty() && under != alone_under_)
    found = under == placement::dbs ? ratio(what, alone_) : ratio(alone_, what);
  alone_under_ = under;
  if (!found) {
    alone_ = what;
    return;
  }
  alone_.clear();
  const double value = std::log(*found), off = value - known_.mean;
  ++known_.pairs;
  known_.mean += off / known_.pairs;
  known_.squares += off * (value - known_.mean);
}

double half_interval(const comparison::evidence& known) { return distance(known, two_sided_99); }

std::optional<placement> comparison::chosen() const {
  if (known_.pairs >= least_pairs && known_.mean + half_interval(known_) < -least_gain) return placement::locality;
  if (known_.pairs >= least_pairs_for_dbs &&
      (known_.mean - distance(known_, one_sided_90) > -least_gain || known_.pairs >= most_pairs))
    return placement::dbs;
  return std::nullopt;
}

placement comparison::next() const {
  if (const auto decided = chosen()) return *decided;
  const placement other = alone_under_ == placement::dbs ? placement::locality : placement::dbs;
  return alone_.empty() ? alone_under_ : other;
}

}  // namespace maslin::place
