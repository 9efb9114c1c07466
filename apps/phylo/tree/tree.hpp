#pragma once
// An unrooted binary tree as half-edges. Labels of half-edges and nodes are plain numbers that likelihood arrays,
// parsimony states and saved trees index alike; a tree is a value, cheap to copy, and holds neither names nor model.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace phylo {

/// One end of a branch, seen from the node it leaves. Tips are 0..n-1; the inner node v (n <= v < 2n-2) has the three
/// half-edges n + 3*(v-n) + {0, 1, 2}.
using HalfEdge = std::int32_t;
using Node = std::int32_t;

/// The end of a branch that is not there.
inline constexpr HalfEdge none = -1;

/// How long a branch is: one length for all data, or one for each part of them.
class BranchLength {
 public:
  BranchLength(double all = 0) : all_(all) {}
  explicit BranchLength(std::vector<double> of_parts) : all_(0), of_parts_(std::move(of_parts)) {}

  /// Whether it is one length for all data.
  bool is_shared() const { return of_parts_.empty(); }
  double of(std::size_t part) const { return is_shared() ? all_ : of_parts_[part]; }
  const std::vector<double>& of_parts() const { return of_parts_; }

  /// Gives `f` of each length.
  template <class F>
  BranchLength mapped(F&& f) const {
    if (is_shared()) return f(all_);
    std::vector<double> all(of_parts_.size());
    std::transform(of_parts_.begin(), of_parts_.end(), all.begin(), f);
    return BranchLength(std::move(all));
  }
  /// Both are shared, or both have the same parts.
  friend BranchLength operator+(const BranchLength& a, const BranchLength& b) {
    if (a.is_shared()) return a.all_ + b.all_;
    std::vector<double> all(a.of_parts_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = a.of(i) + b.of(i);
    return BranchLength(std::move(all));
  }
  bool operator==(const BranchLength&) const = default;

 private:
  double all_;
  std::vector<double> of_parts_;
};

/// An unrooted binary tree, or a part of one while it is being built. Branch lengths are expected substitutions per
/// site: one a branch, or one for each part of the data (unlinked). Copies are values: two vectors.
class Tree {
 public:
  Tree() = default;

  /// A tree of `tips` tips (at least 3) without any branch. Throws std::invalid_argument for fewer.
  explicit Tree(std::int32_t tips);

  std::int32_t tips() const { return tips_; }
  /// Tips and inner nodes together: 2n-2.
  std::int32_t nodes() const { return tips_ == 0 ? 0 : 2 * tips_ - 2; }
  /// 4n-6: every half-edge is in [0, half_edges()).
  std::int32_t half_edges() const { return static_cast<std::int32_t>(back_.size()); }

  bool is_tip(HalfEdge h) const { return h < tips_; }
  /// The node that `h` leaves.
  Node node(HalfEdge h) const { return h < tips_ ? h : tips_ + (h - tips_) / 3; }
  /// The first half-edge of a node.
  HalfEdge first(Node v) const { return v < tips_ ? v : tips_ + 3 * (v - tips_); }
  /// The following half-edge in the ring of the same node; a tip's is itself.
  HalfEdge next(HalfEdge h) const {
    if (h < tips_) return h;
    return (h - tips_) % 3 == 2 ? h - 2 : h + 1;
  }
  /// The other end of the branch; `none` when unconnected.
  HalfEdge back(HalfEdge h) const { return back_[static_cast<std::size_t>(h)]; }
  /// How many lengths each branch has; 1: all data share it.
  std::size_t lengths() const { return lengths_; }
  /// Gives each branch so many lengths, all of them as long as it is. The tree must have one length a branch.
  void unlink(std::size_t lengths);
  /// The branch's length, the same from both ends; that of the last branch when unconnected. Of an unlinked tree: that
  /// of the first part.
  double length(HalfEdge h) const { return length_[static_cast<std::size_t>(h)]; }
  /// The length for that part of the data, whether it shares it or not.
  double length(HalfEdge h, std::size_t part) const {
    return length_[(lengths_ == 1 ? 0 : part) * back_.size() + static_cast<std::size_t>(h)];
  }
  /// All lengths of a branch.
  BranchLength branch_length(HalfEdge h) const;
  /// Whether the branch of `h` is as long in another tree of as many lengths.
  bool is_as_long_in(const Tree& other, HalfEdge h) const;
  /// Sets the length, or all of them, at both ends. `h` must be connected.
  void set_length(HalfEdge h, double length) {
    for (std::size_t at = 0; at < length_.size(); at += back_.size()) {
      length_[at + static_cast<std::size_t>(h)] = length;
      length_[at + static_cast<std::size_t>(back(h))] = length;
    }
  }
  void set_length(HalfEdge h, const BranchLength& length);

  /// Makes a branch. Both ends must be unconnected.
  void connect(HalfEdge a, HalfEdge b, const BranchLength& length);
  /// Takes the branch of `h` away and gives its other end.
  HalfEdge disconnect(HalfEdge h);

  /// Whether every half-edge is connected, every branch has the same length from both ends, and all tips hang together.
  bool complete() const;

  /// Calls `visit(h)` once for each branch, in the order of the lower of its half-edges.
  template <class Visit>
  void for_each_branch(Visit&& visit) const {
    for (HalfEdge h = 0; h < half_edges(); ++h)
      if (back(h) > h) visit(h);
  }
  /// The lower half-edge of every branch, ascending; 2n-3 of them in a complete tree.
  std::vector<HalfEdge> branches() const;

  /// Equal labels, branches and lengths, to the last bit.
  bool operator==(const Tree&) const = default;

 private:
  std::int32_t tips_ = 0;
  std::size_t lengths_ = 1;  ///< of a branch
  std::vector<HalfEdge> back_;
  std::vector<double> length_;  ///< by half-edge; of an unlinked tree, part by part
};

/// Calls `visit(h)` for every half-edge of an inner node in the subtree that `root` opens (the nodes on root's own
/// side), children first; `h` is the half-edge that leaves its node towards `root`'s branch, `root` itself last. Uses
/// an explicit stack: trees may be deep.
template <class Visit>
void post_order(const Tree& tree, HalfEdge root, Visit&& visit) {
  if (tree.is_tip(root)) return;
  std::vector<HalfEdge> order, stack{root};
  while (!stack.empty()) {
    const HalfEdge h = stack.back();
    stack.pop_back();
    order.push_back(h);
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side))
      if (const HalfEdge child = tree.back(side); child != none && !tree.is_tip(child)) stack.push_back(child);
  }
  for (std::size_t i = order.size(); i-- > 0;) visit(order[i]);
}

}  // namespace phylo
