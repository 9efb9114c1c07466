#include "phylo/search/spr.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

// A move must raise the log-likelihood by this much: less is what optimizing the branches of the old tree gives as
// well.
constexpr double least_gain = 0.01;
// A near miss is worth judging if optimizing the branches around it can make up for what it lacks.
constexpr double near_miss_loss = 10;
// Places whose lazy score lies below the tree's by more than this share of the cutoff are not fitted. Chosen on
// replicates of d027, d041, d044 and d050: 0.5 takes 7 % more time for trees that are as good.
constexpr double fitted_share = 0.2;
// The mean loss is that of places up to so many nodes away, so that it means the same in every round.
constexpr int farthest_counted = 5;

/// The half-edges of inner nodes, so that neighbours come one after the other: what one prunes touches few of the
/// vectors that the next one needs.
std::vector<HalfEdge> walk(const Tree& tree) {
  std::vector<HalfEdge> joints, stack{tree.back(0)};
  while (!stack.empty()) {
    const HalfEdge h = stack.back();
    stack.pop_back();
    if (tree.is_tip(h)) continue;
    const HalfEdge left = tree.next(h), right = tree.next(left);
    for (const HalfEdge joint : {h, left, right}) joints.push_back(joint);
    stack.push_back(tree.back(right));
    stack.push_back(tree.back(left));
  }
  return joints;
}

/// Whether the branch of `at` still is a place for the subtree behind `joint`: neither in it nor next to its joint.
bool is_place(const Tree& tree, HalfEdge joint, HalfEdge at) {
  const HalfEdge a = tree.next(joint), b = tree.next(a);
  for (const HalfEdge own : {joint, a, b})
    if (at == own || tree.back(at) == own) return false;
  std::vector<HalfEdge> stack{tree.back(joint)};
  while (!stack.empty()) {
    const HalfEdge h = stack.back();
    stack.pop_back();
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      if (side == at || tree.back(side) == at) return false;
      stack.push_back(tree.back(side));
    }
  }
  return true;
}

}  // namespace

SprClimber::SprClimber(Engine& engine, Tree& tree, SearchCounts& counts, const Constraint* constraint)
    : engine_(engine), tree_(tree), counts_(counts), constraint_(constraint) {
  if (constraint != nullptr) walk_.emplace(*constraint);
}

ClimberState SprClimber::state() const {
  ClimberState state{cutoff_, lost_, losers_, {judged_.begin(), judged_.end()}};
  std::sort(state.judged.begin(), state.judged.end());
  return state;
}

void SprClimber::go_on_from(const ClimberState& state) {
  cutoff_ = state.cutoff;
  lost_ = state.lost;
  losers_ = state.losers;
  judged_ = {state.judged.begin(), state.judged.end()};
}

double SprClimber::round(const SprRound& how, double lnl) {
  ++counts_.rounds;
  lnl_ = lnl;
  // As in RAxML: at first a thousandth of the log-likelihood, then the mean of what the worse ones lost in the last
  // round.
  if (losers_ > 0) {
    cutoff_ = lost_ / static_cast<double>(losers_);
  } else if (cutoff_ == 0) {
    cutoff_ = -lnl / 1000;
  }
  lost_ = 0;
  losers_ = 0;
  near_misses_.clear();
  const std::int64_t moved = counts_.moved;
  for (const HalfEdge joint : walk(tree_)) try_subtree(joint, how);
  if (counts_.moved == moved && how.near_misses > 0) judge_near_misses(how);
  return lnl_;
}

void SprClimber::try_subtree(HalfEdge joint, const SprRound& how) {
  if (tree_.is_tip(tree_.back(tree_.next(joint))) && tree_.is_tip(tree_.back(tree_.next(tree_.next(joint))))) return;
  ++counts_.pruned;
  joint_ = joint;
  places_.clear();
  const Pruned from = prune(tree_, joint);
  const HalfEdge ends[] = {from.near, from.far};
  const HalfEdge loose[] = {tree_.next(joint), tree_.next(tree_.next(joint))};
  for (const HalfEdge h : ends) engine_.changed(tree_, h);
  for (const HalfEdge h : loose) engine_.changed(tree_, h);
  const BranchLength joined = engine_.optimize_branch(tree_, from.near, 8);

  if (walk_) walk_->start(tree_, from.near, from.far);
  for (const HalfEdge end : ends)
    if (!walk_ || walk_->may_enter(tree_, end))
      for (HalfEdge side = tree_.next(end); side != end; side = tree_.next(side)) scan(tree_.back(side), 1, how);

  Move best;
  best.insertion.lnl = -1e300;
  for (Move& place : places_) {
    if (lnl_ - place.insertion.lnl > fitted_share * cutoff_) break;
    ++counts_.fitted;
    place.insertion = engine_.insertion(tree_, tree_.back(joint), place.at, from.pendant, Fit::all);
    place.joined = joined;
    if (place.insertion.lnl > best.insertion.lnl) best = place;
  }

  restore(tree_, from);
  if (best.insertion.lnl > lnl_ + least_gain) {
    apply(tree_, best);
    lnl_ = best.insertion.lnl;
    ++counts_.moved;
  } else if (how.near_misses > 0 && best.at != none && best.insertion.lnl > lnl_ - near_miss_loss) {
    near_misses_.push_back(best);
  }
  for (const HalfEdge h : ends) engine_.changed(tree_, h);
  for (const HalfEdge h : loose) engine_.changed(tree_, h);
  engine_.changed(tree_, joint);
  for (const HalfEdge h : loose) engine_.changed(tree_, tree_.back(h));
}

void SprClimber::scan(HalfEdge h, int depth, const SprRound& how) {
  if (depth >= how.nearest) {
    ++counts_.scored;
    Move place;
    place.joint = joint_;
    place.at = h;
    place.insertion = engine_.insertion(tree_, tree_.back(joint_), h, tree_.branch_length(joint_), Fit::nothing);
    const double lnl = place.insertion.lnl;
    const auto behind =
        std::find_if(places_.begin(), places_.end(), [&](const Move& other) { return other.insertion.lnl < lnl; });
    if (behind != places_.end() || static_cast<int>(places_.size()) < how.fitted) {
      places_.insert(behind, place);
      if (static_cast<int>(places_.size()) > how.fitted) places_.pop_back();
    }
    if (lnl < lnl_) {
      if (depth <= farthest_counted) {
        lost_ += lnl_ - lnl;
        ++losers_;
      }
      if (how.cutoff && lnl_ - lnl >= cutoff_) return;
    }
  }
  if (depth == how.farthest || (walk_ && !walk_->may_enter(tree_, h))) return;
  for (HalfEdge side = tree_.next(h); side != h; side = tree_.next(side)) scan(tree_.back(side), depth + 1, how);
}

void SprClimber::apply(Tree& tree, const Move& move) {
  const Pruned from = prune(tree, move.joint);
  tree.set_length(from.near, move.joined);
  regraft(tree, move.joint, move.at, move.insertion.near, move.insertion.far, move.insertion.pendant);
}

void SprClimber::judge_near_misses(const SprRound& how) {
  std::stable_sort(near_misses_.begin(), near_misses_.end(),
                   [](const Move& a, const Move& b) { return a.insertion.lnl > b.insertion.lnl; });
  judged_.insert(fingerprint(tree_));
  int judged = 0;
  for (const Move& move : near_misses_) {
    if (judged == how.near_misses) break;
    if (!is_place(tree_, move.joint, move.at)) continue;
    const Tree before = tree_;
    const HalfEdge gap = tree_.back(tree_.next(move.joint));
    apply(tree_, move);
    // It was a place when the round came by; other moves may have been kept since.
    const bool kept = constraint_ == nullptr || constraint_->displayed_by(tree_);
    if (!kept || !judged_.insert(fingerprint(tree_)).second) {
      tree_ = before;
      continue;
    }
    ++judged;
    ++counts_.judged;
    engine_.changed_from(before, tree_);
    engine_.smooth_around(tree_, gap, 2, 1);
    engine_.smooth_around(tree_, move.joint, 3, 2);
    const double lnl = engine_.evaluate(tree_, move.joint);
    if (lnl > lnl_ + least_gain) {
      lnl_ = lnl;
      ++counts_.moved;
      continue;
    }
    const Tree tried = std::exchange(tree_, before);
    engine_.changed_from(tried, tree_);
  }
}

}  // namespace phylo
