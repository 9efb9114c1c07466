#pragma once
// Which conditional likelihood vectors (CLVs) are up to date, and what must be computed before one of them can be used.

#include <cstdint>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Keeps two things about the half-edges of inner nodes. `fresh`: nothing that the CLV summarizes has changed since it
/// was computed. `held`: its slot still contains it. With one slot a half-edge the second follows from the first; with
/// one a node, computing a node's CLV in one direction drops the other two without making them stale.
///
/// What makes `changed` cheap: a CLV is computed only when those it is made from are fresh, so what lies behind one
/// that is not fresh is not fresh either, and the walk stops there.
class Directions {
 public:
  Directions() = default;
  Directions(std::int32_t tips, bool slot_per_half_edge)
      : tips_(tips),
        per_half_edge_(slot_per_half_edge),
        fresh_(static_cast<std::size_t>(3 * (tips - 2)), 0),
        holds_(static_cast<std::size_t>(slots()), none) {}

  std::int32_t slots() const { return (per_half_edge_ ? 3 : 1) * (tips_ - 2); }
  /// The slot that the CLV of an inner half-edge lives in.
  std::int32_t slot(HalfEdge h) const { return per_half_edge_ ? h - tips_ : (h - tips_) / 3; }
  /// Whether the CLV of `h` can be used as it is. Tips always can.
  bool ready(HalfEdge h) const {
    return h < tips_ || (fresh_[index(h)] && holds_[static_cast<std::size_t>(slot(h))] == h);
  }

  /// Forgets all.
  void forget() { std::fill(fresh_.begin(), fresh_.end(), char{0}); }

  /// Forgets every CLV that looks through `h`, after its length or partner changed.
  void changed(const Tree& tree, HalfEdge h) {
    pending_.clear();
    forget_around(tree, h);
    while (!pending_.empty()) {
      const HalfEdge next = pending_.back();
      pending_.pop_back();
      forget_around(tree, next);
    }
  }

  /// Calls `compute(h)` for every CLV that must be computed for `root`'s, children first, root last, and notes it as
  /// ready.
  template <class Compute>
  void require(const Tree& tree, HalfEdge root, Compute&& compute) {
    if (ready(root)) return;
    pending_.assign(1, root);
    while (!pending_.empty()) {
      const HalfEdge h = pending_.back();
      if (h >= 0) {
        // First visit: its children come first.
        pending_.back() = ~h;
        const HalfEdge left = tree.next(h), right = tree.next(left);
        if (const HalfEdge child = tree.back(left); !ready(child)) pending_.push_back(child);
        if (const HalfEdge child = tree.back(right); !ready(child)) pending_.push_back(child);
      } else {
        pending_.pop_back();
        compute(~h);
        fresh_[index(~h)] = 1;
        holds_[static_cast<std::size_t>(slot(~h))] = ~h;
      }
    }
  }

 private:
  std::size_t index(HalfEdge h) const { return static_cast<std::size_t>(h - tips_); }

  /// Forgets the CLVs of h's node that look through it, and notes where those are used.
  void forget_around(const Tree& tree, HalfEdge h) {
    if (h < tips_) return;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      char& fresh = fresh_[index(side)];
      if (!fresh) continue;
      fresh = 0;
      if (const HalfEdge far = tree.back(side); far != none) pending_.push_back(far);
    }
  }

  std::int32_t tips_ = 0;
  bool per_half_edge_ = true;
  std::vector<char> fresh_;      ///< by inner half-edge
  std::vector<HalfEdge> holds_;  ///< by slot: whose CLV it contains
  std::vector<HalfEdge> pending_;
};

}  // namespace phylo
