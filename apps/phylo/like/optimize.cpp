// Branch lengths and model parameters to their optimum.

#include <algorithm>
#include <vector>

#include "phylo/like/depth_first.hpp"
#include "phylo/like/gradient.hpp"
#include "phylo/like/parameters.hpp"
#include "phylo/like/state.hpp"
#include "phylo/model/gamma.hpp"

namespace phylo {
namespace {

/// Steps of Newton-Raphson that a branch gets when all are gone over again and again.
constexpr int iterations_in_rounds = 8;

bool invariant_and_gamma_are_free(const Model& model) {
  return model.categories > 1 && model.alpha_from == Origin::optimized && model.with_invariant &&
         model.invariant_from == Origin::optimized;
}

bool categories_are_free(const Model& model) {
  return model.has_free_categories() && model.free_categories_from == Origin::optimized;
}

/// Gives models from whose categories another top may be reached: those of gamma distributions, and the ones at hand
/// with two neighbours made one and the most frequent made two (which tells nothing where each has a matrix of its
/// own).
std::vector<Model> with_other_categories(const Model& best) {
  std::vector<Model> all;
  const auto count = static_cast<std::size_t>(best.categories);
  const auto add = [&](std::vector<double> rates, std::vector<double> shares) {
    Model other = best;
    set_free_categories(other, std::move(rates), std::move(shares));
    all.push_back(std::move(other));
  };
  for (const double shape : {0.2, 1.0, 4.0})
    add(discrete_gamma(shape, best.categories), std::vector<double>(count, 1.0));
  Model sorted = best;
  sort_free_categories(sorted);
  for (std::size_t i = 0; best.mixture == nullptr && count > 2 && i + 1 < count; ++i) {
    std::vector<double> rates = sorted.free_category_rates, shares = sorted.free_category_shares;
    const double both = shares[i] + shares[i + 1];
    rates[i] = (rates[i] * shares[i] + rates[i + 1] * shares[i + 1]) / both;
    shares[i] = both;
    shares[i + 1] = 0;
    const auto largest = static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    rates[i + 1] = 1.5 * rates[largest];
    rates[largest] *= 0.5;
    shares[i + 1] = shares[largest] /= 2;
    add(std::move(rates), std::move(shares));
  }
  return all;
}

}  // namespace

void Engine::smooth_around(Tree& tree, HalfEdge h, int radius, int rounds) {
  const std::vector<HalfEdge> order = depth_first(tree, h, radius);
  for (int round = 0; round < rounds; ++round) {
    bool moved = false;
    for (HalfEdge branch : order) {
      const BranchLength before = tree.branch_length(branch);
      const BranchLength after = optimize_branch(tree, branch, iterations_in_rounds);
      constexpr double noticeable = 1e-3;
      for (std::size_t part = 0; part < tree.lengths(); ++part)
        moved |= std::abs(after.of(part) - before.of(part)) > noticeable * before.of(part);
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
  if (parts() == 1) return optimize_part(tree, 0, epsilon);
  double lnl = 0;
  for (int part = 0; part < parts(); ++part) lnl += optimize_part(tree, part, epsilon / parts());
  return lnl;
}

double Engine::optimize_part(const Tree& tree, int number, double epsilon) {
  PartState& part = *state_->parts[static_cast<std::size_t>(number)];
  const Model start = part.model;
  std::vector<double> x = free_parameters(start);
  if (x.empty()) return evaluate_part(tree, number);
  const auto likelihood = [&](const std::vector<double>& values) {
    part.take_model(with_parameters(start, values));
    return evaluate_part(tree, number);
  };
  const auto known = [&](const std::vector<double>&) {
    return known_slopes(part.model, slopes_of_model(tree, number));
  };
  // A step in many rates at once gains little where the top is still far: with the bound of few, 190 rates of a small
  // protein alignment stop 0.17 below it. Known slopes make the smaller bound cheap.
  const bool many = has_many_rates(start);
  return maximize(likelihood, x, likelihood(x), parameter_bounds(start), many ? epsilon / 100 : epsilon, part.curvature,
                  many ? known : KnownSlopes());
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

/// A model of many invariant sites beside alike ones if the one at hand has few beside many slow ones, or the other way
/// round: where both explain the data, the likelihood has two tops, and which is higher shows only on top of them.
Model at_the_other_top(const Model& best, double constant_share) {
  Model other = best;
  const bool few = best.invariant < 0.5 * constant_share;
  other.invariant = few ? 0.8 * constant_share : 0.1 * constant_share;
  other.alpha = few ? 3 : 0.5;
  return other;
}

}  // namespace

double Engine::optimize(Tree& tree, double epsilon) {
  const double lnl = climb_to_the_top(tree, epsilon);
  return sort_categories() ? evaluate(tree, 0) : lnl;
}

bool Engine::sort_categories() {
  bool any = false;
  for (const auto& part : state_->parts) {
    if (!categories_are_free(part->model) || part->model.mixture != nullptr) continue;
    any = true;
    Model sorted = part->model;
    sort_free_categories(sorted);
    part->take_model(sorted);
    part->curvature = {};  // of parameters in another order
  }
  return any;
}

bool Engine::try_other_categories(const Tree& tree, double epsilon) {
  bool any = false;
  for (int number = 0; number < parts(); ++number) {
    PartState& part = *state_->parts[static_cast<std::size_t>(number)];
    if (!categories_are_free(part.model)) continue;
    Model best = part.model;
    double lnl = evaluate_part(tree, number);
    for (const Model& other : with_other_categories(best)) {
      part.curvature = {};
      part.take_model(other);
      const double reached = optimize_part(tree, number, epsilon / parts());
      if (reached < lnl + epsilon) continue;
      any = true;
      lnl = reached;
      best = part.model;
    }
    part.curvature = {};
    part.take_model(best);
  }
  return any;
}

double Engine::climb_to_the_top(Tree& tree, double epsilon) {
  State& s = *state_;
  // What was learned on the way here may be too coarse for the last digits.
  for (const auto& part : s.parts) part->curvature = {};
  double lnl = climb(*this, tree, epsilon);
  // Each turn begins at another top; more than two have not been seen to help.
  constexpr int most_tops = 3;
  for (int turn = 0; turn < most_tops && try_other_categories(tree, epsilon); ++turn) lnl = climb(*this, tree, epsilon);
  if (parts() > 1) {
    if (try_other_tops(tree, epsilon)) lnl = climb(*this, tree, epsilon);
    return equalize_speeds(tree) ? evaluate(tree, 0) : lnl;
  }
  PartState& part = *s.parts.front();
  if (!invariant_and_gamma_are_free(part.model)) return lnl;

  const Model best = part.model;
  Tree other_tree = tree;
  part.curvature = {};
  part.take_model(at_the_other_top(best, part.constant_share));
  const double other_lnl = climb(*this, other_tree, epsilon);
  if (other_lnl > lnl) {
    tree = other_tree;
    return other_lnl;
  }
  part.take_model(best);
  return lnl;
}

bool Engine::try_other_tops(const Tree& tree, double epsilon) {
  bool any = false;
  for (int number = 0; number < parts(); ++number) {
    PartState& part = *state_->parts[static_cast<std::size_t>(number)];
    if (!invariant_and_gamma_are_free(part.model)) continue;
    const Model best = part.model;
    const double lnl = evaluate_part(tree, number);
    part.curvature = {};
    part.take_model(at_the_other_top(best, part.constant_share));
    if (optimize_part(tree, number, epsilon / parts()) > lnl) {
      any = true;
    } else {
      part.take_model(best);
    }
  }
  return any;
}

bool Engine::equalize_speeds(Tree& tree) {
  double sites = 0, sum = 0;
  for (const auto& part : state_->parts) {
    if (part->model.speed_from != Origin::optimized) return false;
    sites += part->sites_counted;
    sum += part->sites_counted * part->model.speed;
  }
  const double mean = sum / sites;
  const auto stretched = [&](double t) { return std::clamp(t * mean, shortest_branch, longest_branch); };
  tree.for_each_branch([&](HalfEdge h) { tree.set_length(h, tree.branch_length(h).mapped(stretched)); });
  for (const auto& part : state_->parts) {
    Model m = part->model;
    m.speed /= mean;
    part->take_model(m);
  }
  return true;
}

}  // namespace phylo
