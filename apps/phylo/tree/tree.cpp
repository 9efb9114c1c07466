#include "phylo/tree/tree.hpp"

#include <cassert>
#include <stdexcept>

namespace phylo {

Tree::Tree(std::int32_t tips) : tips_(tips) {
  if (tips < 3) throw std::invalid_argument("a tree needs at least three tips");
  const auto ends = static_cast<std::size_t>(4) * static_cast<std::size_t>(tips) - 6;
  back_.assign(ends, none);
  length_.assign(ends, 0.0);
}

void Tree::unlink(std::size_t lengths) {
  assert(lengths_ == 1 && lengths > 0);
  const std::vector<double> one = length_;
  while (length_.size() < lengths * one.size()) length_.insert(length_.end(), one.begin(), one.end());
  lengths_ = lengths;
}

BranchLength Tree::branch_length(HalfEdge h) const {
  if (lengths_ == 1) return length(h);
  std::vector<double> all(lengths_);
  for (std::size_t part = 0; part < lengths_; ++part) all[part] = length(h, part);
  return BranchLength(std::move(all));
}

bool Tree::is_as_long_in(const Tree& other, HalfEdge h) const {
  for (std::size_t part = 0; part < lengths_; ++part)
    if (length(h, part) != other.length(h, part)) return false;
  return true;
}

void Tree::set_length(HalfEdge h, const BranchLength& length) {
  for (std::size_t part = 0; part < lengths_; ++part) {
    const std::size_t at = part * back_.size();
    length_[at + static_cast<std::size_t>(h)] = length.of(part);
    length_[at + static_cast<std::size_t>(back(h))] = length.of(part);
  }
}

void Tree::connect(HalfEdge a, HalfEdge b, const BranchLength& length) {
  assert(a != b && back(a) == none && back(b) == none);
  back_[static_cast<std::size_t>(a)] = b;
  back_[static_cast<std::size_t>(b)] = a;
  set_length(a, length);
}

HalfEdge Tree::disconnect(HalfEdge h) {
  const HalfEdge other = back(h);
  assert(other != none);
  back_[static_cast<std::size_t>(h)] = none;
  back_[static_cast<std::size_t>(other)] = none;
  return other;
}

bool Tree::complete() const {
  if (tips_ < 3) return false;
  for (HalfEdge h = 0; h < half_edges(); ++h)
    if (back(h) == none || back(back(h)) != h || branch_length(h) != branch_length(back(h))) return false;
  std::vector<bool> seen(static_cast<std::size_t>(nodes()), false);
  std::vector<HalfEdge> stack{back(0)};
  seen[0] = true;
  std::int32_t reached = 1;
  while (!stack.empty()) {
    const HalfEdge h = stack.back();
    stack.pop_back();
    const auto v = static_cast<std::size_t>(node(h));
    if (seen[v]) return false;  // a cycle
    seen[v] = true;
    ++reached;
    for (HalfEdge side = next(h); side != h; side = next(side)) stack.push_back(back(side));
  }
  return reached == nodes();
}

std::vector<HalfEdge> Tree::branches() const {
  std::vector<HalfEdge> all;
  all.reserve(static_cast<std::size_t>(half_edges()) / 2);
  for_each_branch([&](HalfEdge h) { all.push_back(h); });
  return all;
}

}  // namespace phylo
