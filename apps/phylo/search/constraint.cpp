#include "phylo/search/constraint.hpp"

#include <algorithm>

namespace phylo {
namespace {

Constraint::Key key_of_tip(std::size_t tip) {
  auto z = (static_cast<std::uint64_t>(tip) + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::size_t at(HalfEdge h) { return static_cast<std::size_t>(h); }

}  // namespace

Constraint::Constraint(const std::vector<bool>& tips, const std::vector<Split>& clusters) : keys_(tips.size(), 0) {
  std::int32_t first = none;
  for (std::size_t tip = 0; tip < tips.size(); ++tip) {
    if (!tips[tip]) continue;
    if (first == none) first = static_cast<std::int32_t>(tip);
    keys_[tip] = key_of_tip(tip);
    all_ ^= keys_[tip];
    ++constrained_;
  }
  for (Split cluster : clusters) {
    if (first != none && holds(cluster, first))
      for (std::size_t tip = 0; tip < tips.size(); ++tip)
        if (tips[tip]) cluster[tip / 64] ^= std::uint64_t{1} << (tip % 64);
    if (size(cluster) >= 2 && size(cluster) <= constrained_ - 2) clusters_.push_back(std::move(cluster));
  }
  std::sort(clusters_.begin(), clusters_.end());
  clusters_.erase(std::unique(clusters_.begin(), clusters_.end()), clusters_.end());
  for (const Split& cluster : clusters_) {
    Key key = 0;
    for (std::size_t tip = 0; tip < tips.size(); ++tip)
      if (holds(cluster, static_cast<std::int32_t>(tip))) key ^= keys_[tip];
    cluster_keys_.push_back(key);
    sides_.insert(key);
    sides_.insert(all_ ^ key);
  }
}

void Constraint::look_from(const Tree& tree, HalfEdge root, std::vector<Key>& keys) const {
  keys.resize(static_cast<std::size_t>(tree.half_edges()));
  if (tree.is_tip(root)) keys[at(root)] = key(root);
  post_order(tree, root, [&](HalfEdge h) {
    Key sum = 0;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      const HalfEdge child = tree.back(side);
      if (tree.is_tip(child)) keys[at(child)] = key(child);
      sum ^= keys[at(child)];
    }
    keys[at(h)] = sum;
  });
}

std::size_t Constraint::first_missing(const Tree& tree) const {
  std::vector<Key> keys;
  const HalfEdge top = tree.back(0);
  look_from(tree, top, keys);
  std::unordered_set<Key> shown;
  post_order(tree, top, [&](HalfEdge h) {
    shown.insert(keys[at(h)]);
    shown.insert(all_ ^ keys[at(h)]);
  });
  const auto missing =
      std::find_if(cluster_keys_.begin(), cluster_keys_.end(), [&](Key cluster) { return !shown.contains(cluster); });
  return static_cast<std::size_t>(missing - cluster_keys_.begin());
}

void ConstrainedWalk::start(const Tree& tree, HalfEdge near, HalfEdge far) {
  constraint_.look_from(tree, near, behind_);
  constraint_.look_from(tree, far, behind_);
  rest_ = behind_[at(near)] ^ behind_[at(far)];
  moved_ = constraint_.all() ^ rest_;
}

bool ConstrainedWalk::may_enter(const Tree& tree, HalfEdge h) const {
  const Constraint::Key behind = behind_[at(h)];
  if (moved_ == 0 || behind == rest_ || !constraint_.is_side(behind)) return true;
  for (HalfEdge side = tree.next(h); side != h; side = tree.next(side))
    if (behind_[at(tree.back(side))] == 0) return true;  // behind the other side lies the same set
  return false;
}

const std::vector<char>& ConstrainedGrowth::places(const Tree& tree, HalfEdge root, HalfEdge tip) {
  places_.assign(static_cast<std::size_t>(tree.half_edges()), 1);
  if (constraint_.key(tip) == 0) return places_;
  const HalfEdge top = tree.back(root);
  constraint_.look_from(tree, top, below_);
  const Constraint::Key all = below_[at(top)] ^ constraint_.key(root);
  std::vector<char> is_there(static_cast<std::size_t>(tree.tips()), 0);
  for (HalfEdge t = 0; t < tree.tips(); ++t) is_there[at(t)] = tree.back(t) != none;

  // The sides, as far as they are there, that the tip must not get into.
  std::unordered_set<Constraint::Key> closed;
  for (const Split& cluster : constraint_.clusters()) {
    Constraint::Key inside = 0;
    for (HalfEdge t = 0; t < tree.tips(); ++t)
      if (is_there[at(t)] && holds(cluster, t)) inside ^= constraint_.key(t);
    const Constraint::Key outside = all ^ inside;
    if (inside != 0 && outside != 0) closed.insert(holds(cluster, tip) ? outside : inside);
  }
  const auto is_closed = [&](Constraint::Key set, Constraint::Key a, Constraint::Key b) {
    return a != 0 && b != 0 && closed.contains(set);
  };

  // A branch is open if no closed node lies above it whose far side is below, and if it lies below all branches whose
  // upper node is closed to what comes from below.
  struct Step {
    HalfEdge h;          // the lower end of a branch
    bool behind_closed;  // below a node that must not be entered from above
    int upward;          // so many branches on the way here are closed upwards
  };
  std::vector<std::pair<HalfEdge, int>> reached;  // not behind a closed node; with their `upward`
  int upward_closed = 0;
  std::vector<Step> stack{{top, false, 0}};
  while (!stack.empty()) {
    const Step step = stack.back();
    stack.pop_back();
    if (step.behind_closed)
      places_[at(step.h)] = places_[at(tree.back(step.h))] = 0;
    else
      reached.emplace_back(step.h, step.upward);
    if (tree.is_tip(step.h)) continue;
    const HalfEdge left = tree.back(tree.next(step.h)), right = tree.back(tree.next(tree.next(step.h)));
    const bool closed_here = is_closed(below_[at(step.h)], below_[at(left)], below_[at(right)]);
    for (const auto& [child, sibling] : {std::pair{left, right}, std::pair{right, left}}) {
      const bool closed_up = is_closed(all ^ below_[at(child)], below_[at(sibling)], all ^ below_[at(step.h)]);
      upward_closed += closed_up;
      stack.push_back({child, step.behind_closed || closed_here, step.upward + closed_up});
    }
  }
  for (const auto& [h, upward] : reached)
    if (upward != upward_closed) places_[at(h)] = places_[at(tree.back(h))] = 0;
  return places_;
}

}  // namespace phylo
