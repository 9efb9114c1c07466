#pragma once
// Which conditional likelihood vectors (CLVs) are up to date, and what must be computed before one of them can be used.

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

/// Keeps two things about the half-edges of inner nodes. `fresh`: nothing that the CLV summarizes has changed since it
/// was computed. `held`: its slot still contains it. With one slot a half-edge the second follows from the first; with
/// one a node, computing a node's CLV in one direction drops the other two without making them stale. A slot can be
/// emptied as well (`evict`), to make room for others.
///
/// What is required stays until `done`, and what it is made from until it is computed itself: these are wanted.
///
/// A proposal is a change that may be taken back. Between `begin` and `accept` or `reject`, what was ready before stays
/// in its slot: whatever is computed anew goes to a spare one. There are as many of those as one CLV at most needs
/// others.
///
/// What makes `changed` cheap: a CLV is computed only when those it is made from are fresh, so what lies behind one
/// that is not fresh is not fresh either, and the walk stops there.
class Directions {
 public:
  Directions() = default;
  /// With `proposals` there is one slot a half-edge, and spare ones.
  Directions(std::int32_t tips, bool slot_per_half_edge, bool proposals = false)
      : fresh_(static_cast<std::size_t>(3 * (tips - 2)), 0), tips_(tips) {
    const std::int32_t inner = tips - 2, own = (slot_per_half_edge || proposals ? 3 : 1) * inner;
    for (std::int32_t i = 0; i < 3 * inner; ++i) slot_of_.push_back(own == inner ? i / 3 : i);
    if (proposals)
      for (std::int32_t i = 0; i < inner; ++i) spare_.push_back(own + i);
    holds_.assign(static_cast<std::size_t>(own) + spare_.size(), none);
    moved_.reserve(spare_.size());
    wanted_.assign(holds_.size(), 0);
    recent_.assign(holds_.size(), 0);
  }

  std::int32_t slots() const { return static_cast<std::int32_t>(holds_.size()); }
  /// The slot that the CLV of an inner half-edge lives in.
  std::int32_t slot(HalfEdge h) const { return slot_of_[index(h)]; }
  /// Whether the CLV of `h` can be used as it is. Tips always can.
  bool ready(HalfEdge h) const {
    return h < tips_ || (fresh_[index(h)] && holds_[static_cast<std::size_t>(slot(h))] == h);
  }

  /// Forgets all.
  void forget() {
    std::fill(fresh_.begin(), fresh_.end(), char{0});
    std::fill(wanted_.begin(), wanted_.end(), 0);
    required_.clear();
  }

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

  /// From here on, what is ready is kept until the proposal is decided. Between this and the decision one branch may be
  /// evaluated.
  void begin() {
    before_ = fresh_;
    proposing_ = true;
  }
  /// Forgets what stood before `begin`.
  void accept() {
    for (const Moved& m : moved_) spare_.push_back(m.from);
    moved_.clear();
    proposing_ = false;
  }
  /// Has everything as it was at `begin`, and calls `returned(h)` for each CLV whose slot is another one again.
  template <class Returned>
  void reject(Returned&& returned) {
    for (const Moved& m : moved_) {
      before_[index(m.h)] = fresh;
      std::int32_t& slot = slot_of_[index(m.h)];
      spare_.push_back(slot);
      slot = m.from;
      returned(m.h);
    }
    moved_.clear();
    fresh_ = before_;
    proposing_ = false;
  }

  /// Calls `compute(h)` for every CLV that must be computed for `root`'s, children first, root last, and notes it as
  /// ready.
  template <class Compute>
  void require(const Tree& tree, HalfEdge root, Compute&& compute) {
    if (ready(root)) return require_computed(root);
    pending_.assign(1, root);
    while (!pending_.empty()) {
      const HalfEdge h = pending_.back();
      if (h >= 0) {
        // First visit: its children come first.
        pending_.back() = ~h;
        const HalfEdge left = tree.next(h), right = tree.next(left);
        for (const HalfEdge child : {tree.back(left), tree.back(right)}) {
          if (ready(child))
            want(child);
          else
            pending_.push_back(child);
        }
      } else {
        pending_.pop_back();
        if (proposing_) keep(~h);
        compute(~h);
        fresh_[index(~h)] = fresh;
        holds_[static_cast<std::size_t>(slot(~h))] = ~h;
        const HalfEdge left = tree.next(~h), right = tree.next(left);
        used(tree.back(left));
        used(tree.back(right));
        if (~h == root) return require_computed(root);
        want(~h);
      }
    }
  }

  /// Says that what was required has been read.
  void done() {
    for (const std::int32_t slot : required_) wanted_[static_cast<std::size_t>(slot)] = 0;
    required_.clear();
  }
  /// Gives a slot that may be emptied, of those that `has`: one that nobody wants, and that nobody has wanted since
  /// this last came by (the clock algorithm); or none.
  template <class Has>
  std::int32_t evictable(Has&& has) {
    for (std::int32_t looked = 0; looked < 2 * slots(); ++looked) {
      hand_ = hand_ + 1 < slots() ? hand_ + 1 : 0;
      const auto i = static_cast<std::size_t>(hand_);
      if (!has(hand_) || wanted_[i] > 0) continue;
      const bool was_recent = std::exchange(recent_[i], char{0});
      if (!was_recent || holds_[i] == none || !fresh_[index(holds_[i])]) return hand_;
    }
    return none;
  }
  /// Forgets what a slot contains.
  void evict(std::int32_t slot) { holds_[static_cast<std::size_t>(slot)] = none; }

 private:
  void want(HalfEdge h) {
    if (h < tips_) return;
    ++wanted_[static_cast<std::size_t>(slot(h))];
    recent_[static_cast<std::size_t>(slot(h))] = 1;
  }
  void require_computed(HalfEdge root) {
    want(root);
    if (root >= tips_) required_.push_back(slot(root));
  }
  void used(HalfEdge h) {
    if (h >= tips_) --wanted_[static_cast<std::size_t>(slot(h))];
  }
  std::size_t index(HalfEdge h) const { return static_cast<std::size_t>(h - tips_); }

  /// Forgets the CLVs of h's node that look through it, and notes where those are used.
  void forget_around(const Tree& tree, HalfEdge h) {
    if (h < tips_) return;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side)) {
      char& state = fresh_[index(side)];
      if (!state) continue;
      state = 0;
      if (const HalfEdge far = tree.back(side); far != none) pending_.push_back(far);
    }
  }

  /// Gives `h` a spare slot if its own holds what a rejection needs.
  void keep(HalfEdge h) {
    std::int32_t& slot = slot_of_[index(h)];
    if (before_[index(h)] != fresh) return;
    before_[index(h)] = moved;
    if (spare_.empty()) throw std::logic_error("likelihood: a proposal that computes more than one evaluation needs");
    moved_.push_back({h, slot});
    slot = spare_.back();
    spare_.pop_back();
  }

  struct Moved {
    HalfEdge h;
    std::int32_t from;
  };
  static constexpr char fresh = 1;
  static constexpr char moved = 2;  ///< in before_: fresh, and kept in a slot that is no longer its own

  std::vector<char> fresh_;  ///< by inner half-edge
  std::int32_t tips_ = 0;
  std::vector<std::int32_t> slot_of_;  ///< by inner half-edge
  std::vector<HalfEdge> holds_;        ///< by slot: whose CLV it contains
  std::vector<HalfEdge> pending_;
  std::vector<int> wanted_;             ///< by slot: how many still read it
  std::vector<std::int32_t> required_;  ///< slots that `done` lets go
  std::vector<char> recent_;            ///< by slot: wanted since `evictable` came by
  std::int32_t hand_ = 0;               ///< where that goes on
  bool proposing_ = false;
  std::vector<char> before_;  ///< fresh_ at `begin`
  std::vector<std::int32_t> spare_;
  std::vector<Moved> moved_;  ///< by this proposal
};

}  // namespace phylo
