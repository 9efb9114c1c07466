#include "phylo/mcmc/moves.hpp"

#include <cmath>
#include <utility>

#include "phylo/mcmc/variates.hpp"
#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

/// Draws the logarithm of a factor.
double log_factor(Random& random, double boldness) { return boldness * (random.uniform() - 0.5); }

void stretch_branch(HalfEdge h, Random& random, double boldness, Tree& tree, Step& step) {
  step.log_hastings = log_factor(random, boldness);
  tree.set_length(h, tree.length(h) * std::exp(step.log_hastings));
  step.around = {h, tree.back(h)};
  step.changed = {h};
  step.at = h;
}

void stretch_tree(Random& random, double boldness, Tree& tree, Step& step) {
  const double log_m = log_factor(random, boldness), m = std::exp(log_m);
  int branches = 0;
  tree.for_each_branch([&](HalfEdge h) {
    tree.set_length(h, tree.length(h) * m);
    ++branches;
  });
  step.log_hastings = branches * log_m;
  step.reach = Step::Reach::lengths;
}

void slide_node(HalfEdge h, Random& random, double boldness, Tree& tree, Step& step) {
  const HalfEdge a = tree.next(h), b = tree.next(a);
  const double log_m = log_factor(random, boldness);
  const double sum = (tree.length(a) + tree.length(b)) * std::exp(log_m);
  const double part = sum * open_uniform(random);
  tree.set_length(a, part);
  tree.set_length(b, sum - part);
  step.log_hastings = 2 * log_m;
  step.around = {tree.back(h), tree.back(a), tree.back(b)};
  step.changed = {a, b};
  step.at = a;
}

/// Writes the ends of the inner branches of a node, and gives how many there are.
std::size_t inner_branches(const Tree& tree, HalfEdge of, std::array<HalfEdge, 3>& ends) {
  std::size_t count = 0;
  for (int i = 0; i < 3; ++i, of = tree.next(of))
    if (!tree.is_tip(tree.back(of))) ends[count++] = of;
  return count;
}

/// One of the place's inner branches is drawn; there may be more or less of them on the way back.
void exchange_neighbours(HalfEdge place, Random& random, double boldness, Tree& tree, Step& step) {
  std::array<HalfEdge, 3> ends{};
  const std::size_t choices = inner_branches(tree, place, ends);
  const HalfEdge h = ends[random.below(choices)];
  const HalfEdge other = tree.back(h);
  const HalfEdge x = tree.next(h);
  const HalfEdge y = random.below(2) == 0 ? tree.next(other) : tree.next(tree.next(other));
  const double at_x = tree.length(x), at_y = tree.length(y);
  const HalfEdge behind_x = tree.disconnect(x), behind_y = tree.disconnect(y);
  tree.connect(x, behind_y, at_y);
  tree.connect(y, behind_x, at_x);
  const double log_m = log_factor(random, boldness);
  tree.set_length(h, tree.length(h) * std::exp(log_m));
  step.log_hastings =
      log_m + std::log(static_cast<double>(choices) / static_cast<double>(inner_branches(tree, place, ends)));
  for (const HalfEdge end : {h, other}) {
    step.around.push_back(tree.back(tree.next(end)));
    step.around.push_back(tree.back(tree.next(tree.next(end))));
  }
  step.changed = {x, y, h};
  step.passed = 1;
  step.at = h;
}

/// The subtree behind `joint` hangs between `near` and `far`. It goes towards `near`, along a path that turns left or
/// right at each node and goes on with the chance `extension`; at a tip it ends. Lengths go along: the branch towards
/// `near` stays the one between the subtree's node and the path, and is stretched; the others stay at `far` and at the
/// end of the path. On the way back the path is as long, turns as often and goes on as often; different are the
/// choice of a direction (none where one end is a tip) and the stop (none where it had to be).
void move_subtree(HalfEdge joint, Random& random, double boldness, double extension, Tree& tree, Step& step) {
  HalfEdge a = tree.next(joint), b = tree.next(a);
  const bool a_inner = !tree.is_tip(tree.back(a)), b_inner = !tree.is_tip(tree.back(b));
  const bool chosen = a_inner && b_inner;
  if (!a_inner && !b_inner) {
    step.reach = Step::Reach::nothing;
    return;
  }
  if (!a_inner || (chosen && random.below(2) == 0)) std::swap(a, b);
  const HalfEdge near = tree.back(a), far = tree.back(b);
  step.around = {tree.back(joint), far};
  HalfEdge at = near, side = none, out = none;
  bool ended_at_tip = false;
  while (true) {
    side = tree.next(at);
    HalfEdge left_aside = tree.next(side);
    if (random.below(2) == 0) std::swap(side, left_aside);
    step.around.push_back(tree.back(left_aside));
    ++step.passed;
    out = tree.back(side);
    ended_at_tip = tree.is_tip(out);
    if (ended_at_tip || random.uniform() >= extension) break;
    at = out;
  }
  step.around.push_back(out);
  const double log_m = log_factor(random, boldness);
  const double path_length = tree.length(a) * std::exp(log_m), far_length = tree.length(b),
               out_length = tree.length(side);
  tree.disconnect(a);
  tree.disconnect(b);
  tree.disconnect(side);
  tree.connect(near, far, far_length);
  tree.connect(a, side, path_length);
  tree.connect(b, out, out_length);
  const double stop = 1 - extension;
  const double there = (chosen ? 0.5 : 1) * (ended_at_tip ? 1 : stop);
  const double back = (ended_at_tip ? 1 : 0.5) * (chosen ? stop : 1);
  step.log_hastings = log_m + std::log(back / there);
  step.changed = {near, a, b};
  step.at = a;
}

/// Draws parts of 1 around what they are.
double move_parts(Random& random, double boldness, double* parts, std::size_t count) {
  constexpr std::size_t most = most_states;
  // Half a count more a part, so that a small one does not stay small for ever.
  constexpr double least = 0.5;
  std::array<double, most> there{}, back{}, before{};
  for (std::size_t i = 0; i < count; ++i) {
    before[i] = parts[i];
    there[i] = parts[i] / boldness + least;
  }
  dirichlet(random, there.data(), count, parts);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(parts[i] >= SampledBounds::part_low)) return 0;  // the prior refuses it
    back[i] = parts[i] / boldness + least;
  }
  return log_dirichlet(before.data(), back.data(), count) - log_dirichlet(parts, there.data(), count);
}

/// Moves a number in (0, 1).
double move_share(Random& random, double boldness, double& share) {
  std::array<double, 2> parts = {share, 1 - share};
  const double ratio = move_parts(random, boldness, parts.data(), 2);
  share = parts[0];
  return ratio;
}

}  // namespace

const char* name_of(Move move) {
  switch (move) {
    case Move::nni:
      return "NNI(Tau,V)";
    case Move::extending_spr:
      return "ExtSPR(Tau,V)";
    case Move::branch_multiplier:
      return "Multiplier(V)";
    case Move::tree_multiplier:
      return "TLMultiplier(V)";
    case Move::node_slider:
      return "Nodeslider(V)";
    case Move::rates:
      return "Dirichlet(Revmat)";
    case Move::frequencies:
      return "Dirichlet(Pi)";
    case Move::kappa:
      return "Dirichlet(Tratio)";
    case Move::shape:
      return "Multiplier(Alpha)";
    case Move::invariant:
      break;
  }
  return "Dirichlet(Pinvar)";
}

const char* word_of(Move move) {
  constexpr PerMove<const char*> words = {"nni",   "spr",         "branch", "tree",  "node",
                                          "rates", "frequencies", "kappa",  "shape", "invariant"};
  return words[static_cast<std::size_t>(move)];
}

PerMove<double> default_boldness() { return {0.2, 0.2, 1.5, 0.3, 0.5, 0.005, 0.01, 0.02, 0.8, 0.01}; }

PerMove<double> default_weights(const Sampled& sampled) {
  // Those of MrBayes, of which the moves that are missing here went to the most similar ones.
  const auto two_if = [](bool needed) { return needed ? 2.0 : 0.0; };
  return {16,
          24,
          40,
          6,
          14,
          two_if(sampled.rates > 0),
          two_if(sampled.frequencies),
          two_if(sampled.kappa),
          two_if(sampled.shape),
          two_if(sampled.invariant)};
}

std::vector<std::string> words_of(const Sampled& sampled) {
  const PerMove<double> weights = default_weights(sampled);
  std::vector<std::string> words;
  for (const Move move : {Move::rates, Move::frequencies, Move::kappa, Move::shape, Move::invariant})
    if (weights[static_cast<std::size_t>(move)] > 0) words.emplace_back(word_of(move));
  return words;
}

HalfEdge next_place(const Tree& tree, HalfEdge place) {
  const HalfEdge far = tree.back(place);
  return tree.next(tree.is_tip(far) ? place : far);
}

void propose(Move move, HalfEdge place, Random& random, double boldness, double extension, Tree& tree, Model& model,
             Step& step) {
  step.around.clear();
  step.changed.clear();
  step.at = place;
  step.reach = Step::Reach::branches;
  step.passed = 0;
  switch (move) {
    case Move::nni:
      return exchange_neighbours(place, random, boldness, tree, step);
    case Move::extending_spr:
      return move_subtree(place, random, boldness, extension, tree, step);
    case Move::branch_multiplier:
      return stretch_branch(place, random, boldness, tree, step);
    case Move::tree_multiplier:
      return stretch_tree(random, boldness, tree, step);
    case Move::node_slider:
      return slide_node(place, random, boldness, tree, step);
    default:
      break;
  }
  step.reach = Step::Reach::model;
  if (move == Move::rates) {
    DistinctRates rates(model);
    step.log_hastings = move_parts(random, boldness, rates.values.data(), rates.count);
    rates.set_in(model);
  } else if (move == Move::frequencies) {
    step.log_hastings = move_parts(random, boldness, model.frequencies.data(), model.frequencies.size());
  } else if (move == Move::kappa) {
    double share = kappa_of(model) / (1 + kappa_of(model));
    step.log_hastings = move_share(random, boldness, share);
    const double kappa = share / (1 - share);
    model.rates = {1, kappa, 1, 1, kappa, 1};
  } else if (move == Move::shape) {
    step.log_hastings = log_factor(random, boldness);
    model.alpha *= std::exp(step.log_hastings);
  } else {
    step.log_hastings = move_share(random, boldness, model.invariant);
  }
}

Tree random_topology(Random& random, std::int32_t tips, double length) {
  Tree tree = triplet(tips, 0, 1, 2, length);
  std::vector<HalfEdge> branches = {0, 1, 2};  // one end of each
  for (HalfEdge tip = 3; tip < tips; ++tip) {
    const HalfEdge joint = tree.first(tips + tip - 2);
    const HalfEdge at = branches[random.below(branches.size())];
    const HalfEdge far = tree.disconnect(at);
    tree.connect(joint, tip, length);
    tree.connect(joint + 1, at, length);
    tree.connect(joint + 2, far, length);
    branches.push_back(joint);
    branches.push_back(joint + 2);
  }
  return tree;
}

}  // namespace phylo
