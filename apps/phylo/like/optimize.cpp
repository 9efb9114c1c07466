// Branch lengths and model parameters to their optimum.

#include <algorithm>
#include <vector>

#include "phylo/like/parameters.hpp"
#include "phylo/like/state.hpp"

namespace phylo {
namespace {

/// Steps of Newton-Raphson that a branch gets when all are gone over again and again.
constexpr int iterations_in_rounds = 8;

/// Branches in an order in which each is next to the one before it or to one of its ancestors, so that few CLVs change
/// between them: depth first from `root`, which stands first; each as the half-edge at its far end.
std::vector<HalfEdge> depth_first(const Tree& tree, HalfEdge root, int radius) {
  std::vector<HalfEdge> order;
  std::vector<std::pair<HalfEdge, int>> stack;
  order.push_back(root);
  const auto push_children = [&](HalfEdge h, int depth) {
    if (depth > radius) return;
    for (HalfEdge side = tree.next(h); side != h; side = tree.next(side))
      if (tree.back(side) != none) stack.emplace_back(tree.back(side), depth);
  };
  push_children(tree.back(root), 1);
  push_children(root, 1);
  while (!stack.empty()) {
    const auto [h, depth] = stack.back();
    stack.pop_back();
    order.push_back(h);
    push_children(h, depth + 1);
  }
  return order;
}

bool invariant_and_gamma_are_free(const Model& model) {
  return model.categories > 1 && model.alpha_from == Origin::optimized && model.with_invariant &&
         model.invariant_from == Origin::optimized;
}

}  // namespace

void Engine::smooth_around(Tree& tree, HalfEdge h, int radius, int rounds) {
  const std::vector<HalfEdge> order = depth_first(tree, h, radius);
  for (int round = 0; round < rounds; ++round) {
    bool moved = false;
    for (HalfEdge branch : order) {
      const double before = tree.length(branch);
      const double after = optimize_branch(tree, branch, iterations_in_rounds);
      constexpr double noticeable = 1e-3;
      moved |= std::abs(after - before) > noticeable * before;
    }
    if (!moved) break;
  }
}

double Engine::smooth(Tree& tree, int rounds, double epsilon) {
  const std::vector<HalfEdge> order = depth_first(tree, 0, tree.nodes());
  double lnl = evaluate(tree, 0);
  for (int round = 0; round < rounds; ++round) {
    const double before = lnl;
    for (HalfEdge branch : order) optimize_branch(tree, branch, iterations_in_rounds);
    lnl = evaluate(tree, order.back());
    if (lnl - before < epsilon) break;
  }
  return lnl;
}

double Engine::optimize_model(const Tree& tree, double epsilon) {
  State& s = *state_;
  const Model start = s.model;
  std::vector<double> x = free_parameters(start);
  if (x.empty()) return evaluate(tree, 0);
  const auto likelihood = [&](const std::vector<double>& values) {
    s.take_model(with_parameters(start, values));
    return evaluate(tree, 0);
  };
  return maximize(likelihood, x, likelihood(x), parameter_bounds(start), epsilon, s.curvature);
}

namespace {

/// Alternates model and branches until both together gain less than `epsilon`; gives the log-likelihood.
double climb(Engine& engine, Tree& tree, double epsilon) {
  double lnl = engine.evaluate(tree, 0);
  // The two depend on each other too little for many turns; this bound is never met on real data.
  constexpr int most_turns = 100;
  for (int turn = 0; turn < most_turns; ++turn) {
    const double before = lnl;
    engine.optimize_model(tree, epsilon);
    lnl = engine.smooth(tree, 8, epsilon);
    if (lnl - before < epsilon) break;
  }
  return lnl;
}

}  // namespace

double Engine::optimize(Tree& tree, double epsilon) {
  State& s = *state_;
  // What was learned on the way here may be too coarse for the last digits.
  s.curvature = {};
  double lnl = climb(*this, tree, epsilon);
  if (!invariant_and_gamma_are_free(s.model)) return lnl;

  // Few invariant sites beside many slow ones, or many beside alike ones: where both explain the data, the likelihood
  // has two tops, and which is higher shows only on top of them.
  const Model best = s.model;
  Model other = best;
  const bool few = best.invariant < 0.5 * s.constant_share;
  other.invariant = few ? 0.8 * s.constant_share : 0.1 * s.constant_share;
  other.alpha = few ? 3 : 0.5;
  Tree other_tree = tree;
  s.curvature = {};
  s.take_model(other);
  const double other_lnl = climb(*this, other_tree, epsilon);
  if (other_lnl > lnl) {
    tree = other_tree;
    return other_lnl;
  }
  s.take_model(best);
  return lnl;
}

}  // namespace phylo
