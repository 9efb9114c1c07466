#include "phylo/like/engine.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "phylo/like/ascertainment.hpp"
#include "phylo/like/state.hpp"

namespace phylo {

Engine::Engine(const Patterns& patterns, const Model& model, const Options& options)
    : Engine(std::vector<PartView>{{&patterns, &model}}, options) {}
Engine::Engine(const std::vector<PartView>& parts, const Options& options)
    : state_(std::make_unique<State>(parts, options)) {}
Engine::~Engine() = default;

int Engine::parts() const { return static_cast<int>(state_->parts.size()); }
const Computed& Engine::computed() const { return state_->computed; }
const Model& Engine::model(int part) const { return state_->parts[static_cast<std::size_t>(part)]->model; }
std::vector<Model> Engine::models() const {
  std::vector<Model> all;
  for (const auto& part : state_->parts) all.push_back(part->model);
  return all;
}
void Engine::set_model(const Model& model, int part) {
  state_->parts[static_cast<std::size_t>(part)]->take_model(model);
}

std::vector<Curvature> Engine::curvatures() const {
  std::vector<Curvature> all;
  for (const auto& part : state_->parts) all.push_back(part->curvature);
  return all;
}
void Engine::set_curvatures(const std::vector<Curvature>& of_parts) {
  for (std::size_t part = 0; part < of_parts.size(); ++part) state_->parts[part]->curvature = of_parts[part];
}

void Engine::changed(const Tree& tree, HalfEdge h) {
  const HalfEdge far = tree.back(h);
  for (const auto& part : state_->parts) {
    part->forget(tree, h);
    if (far != none) part->forget(tree, far);
  }
}
void Engine::changed_from(const Tree& before, const Tree& tree) {
  for (HalfEdge h = 0; h < tree.half_edges(); ++h)
    if (tree.back(h) != before.back(h) || !tree.is_as_long_in(before, h)) changed(tree, h);
}
void Engine::changed_everything() { state_->forget(); }

double Engine::propose(const Tree& tree, std::span<const HalfEdge> around, std::span<const HalfEdge> changed_ends,
                       HalfEdge at) {
  PartState& part = *state_->parts.front();
  for (const HalfEdge h : around) part.require(tree, h);
  part.begin();
  for (const HalfEdge h : changed_ends) changed(tree, h);
  return evaluate(tree, at);
}

double Engine::propose_all(const Tree& tree, HalfEdge at) {
  state_->parts.front()->begin();
  state_->forget();
  return evaluate(tree, at);
}

double Engine::propose(const Tree& tree, const Model& model, HalfEdge at) {
  PartState& part = *state_->parts.front();
  if (model.categories != part.rates) throw std::logic_error("likelihood: a proposal of other rate categories");
  part.begin();
  part.propose_model(model);
  part.forget();
  return evaluate(tree, at);
}

void Engine::accept() { state_->parts.front()->decide(true); }
void Engine::reject() { state_->parts.front()->decide(false); }

namespace {

Sumtable sumtable_of(PartState& part, const Operand& near, const Operand& far) {
  const Factors& f = part.factors;
  return {part.table.data(), near, far, part.sites().invariant, f.near_stride, f.far_stride};
}

}  // namespace

double Engine::evaluate(const Tree& tree, HalfEdge h) {
  State& s = *state_;
  s.each([&](PartState& part, FinalStep& step) { step.evaluation = part.evaluation_at(tree, h); });
  return s.run_evaluate();
}

double Engine::evaluate_part(const Tree& tree, int part) {
  State& s = *state_;
  const auto i = static_cast<std::size_t>(part);
  s.steps[i].evaluation = s.parts[i]->evaluation_at(tree, 0);
  return s.run_evaluate_of(i);
}

std::vector<double> Engine::log_likelihoods_of_patterns(const Tree& tree, HalfEdge h) {
  State& s = *state_;
  s.each([&](PartState& part, FinalStep& step) { step.evaluation = part.evaluation_at(tree, h); });
  s.run_logarithms();
  std::vector<double> all;
  for (const auto& part : s.parts) {
    if (part->model.ascertained()) ascertain_logarithms(*part);
    all.insert(all.end(), part->logarithms.data(), part->logarithms.data() + part->patterns);
  }
  return all;
}

namespace {

/// Gives the logarithm of a sum, from those of its terms; the first is finite.
double log_of_sum(double a, double b) {
  const double most = std::max(a, b);
  return most + std::log1p(std::exp(std::min(a, b) - most));
}

}  // namespace

std::vector<std::vector<double>> Engine::states_at(const Tree& tree, HalfEdge h, int number) {
  State& s = *state_;
  const auto i = static_cast<std::size_t>(number);
  PartState& part = *s.parts[i];
  const auto count = static_cast<std::size_t>(part.patterns);
  std::vector<std::vector<double>> of;  // logarithms of likelihoods at first
  for (int state = 0; state < part.model.states(); ++state) {
    s.steps[i].evaluation = part.evaluation_of_state(tree, h, state);
    s.run_logarithms_of(i);
    of.emplace_back(part.logarithms.data(), part.logarithms.data() + count);
    if (!part.model.with_invariant) continue;
    const double invariant = std::log(part.model.invariant * part.model.frequencies[static_cast<std::size_t>(state)]);
    for (std::size_t p = 0; p < count; ++p)
      if (part.common_sets[part.common[p]] >> state & 1) of.back()[p] = log_of_sum(of.back()[p], invariant);
  }
  for (std::size_t p = 0; p < count; ++p) {
    double most = of.front()[p], sum = 0;
    for (const std::vector<double>& state : of) most = std::max(most, state[p]);
    for (std::vector<double>& state : of) sum += state[p] = std::exp(state[p] - most);
    for (std::vector<double>& state : of) state[p] /= sum;
  }
  return of;
}

void Engine::newview(const Tree& tree, HalfEdge h) {
  state_->each([&](PartState& part, FinalStep&) { part.require(tree, h); });
  state_->run_newview();
}

BranchLength Engine::makenewz(const Tree& tree, HalfEdge h, int iterations) {
  State& s = *state_;
  s.each([&](PartState& part, FinalStep& step) {
    const auto [near, far] = part.require_both(tree, h);
    const Operand near_end = part.through(near, part.factors.near_eigen, part.factors.near_stride);
    const Operand far_end = part.through(far, part.factors.far_eigen, part.factors.far_stride);
    step.sumtable = sumtable_of(part, near_end, far_end);
  });
  return s.run_makenewz(tree.branch_length(h), iterations);
}

BranchLength Engine::optimize_branch(Tree& tree, HalfEdge h, int iterations) {
  BranchLength length = makenewz(tree, h, iterations);
  if (length != tree.branch_length(h)) {
    tree.set_length(h, length);
    changed(tree, h);
  }
  return length;
}

Insertion Engine::insertion(const Tree& tree, HalfEdge subtree, HalfEdge at, const BranchLength& pendant, Fit fit,
                            int rounds) {
  State& s = *state_;
  const HalfEdge far = tree.back(at);
  const BranchLength half = tree.branch_length(at).mapped([](double t) { return std::max(t / 2, shortest_branch); });
  const auto within = [](double t) { return std::clamp(t, shortest_branch, longest_branch); };
  Insertion result{0, pendant.mapped(within), half, half};
  s.each([&](PartState& part, FinalStep&) {
    for (const HalfEdge h : {at, far, subtree}) part.require(tree, h);
  });
  // The best length of the branch from the new node, which sees `a` and `b` across the other two, to that of `h`.
  const auto fitted = [&](HalfEdge a, const BranchLength& to_a, HalfEdge b, const BranchLength& to_b, HalfEdge h,
                          const BranchLength& length) {
    constexpr int iterations = 8;
    s.each([&](PartState& part, FinalStep& step) {
      part.add_scratch(a, to_a.of(part.number), b, to_b.of(part.number));
      Operand node = part.scratch();
      node.matrices = part.factors.near_eigen.data();
      step.sumtable = sumtable_of(part, node, part.through(h, part.factors.far_eigen, part.factors.far_stride));
    });
    return s.run_makenewz(length, iterations);
  };
  for (int round = 0; round < rounds && fit != Fit::nothing; ++round) {
    result.pendant = fitted(at, result.near, far, result.far, subtree, result.pendant);
    if (fit == Fit::pendant) break;
    result.near = fitted(far, result.far, subtree, result.pendant, at, result.near);
    result.far = fitted(at, result.near, subtree, result.pendant, far, result.far);
  }
  s.each([&](PartState& part, FinalStep& step) {
    const Operand hung = part.hang(subtree, result.pendant.of(part.number));
    Operand a = part.across(at, result.near.of(part.number), part.factors.transition);
    Operand b = part.across(far, result.far.of(part.number), part.factors.transition);
    if (b.codes) std::swap(a, b);
    step.junction = {a, b, hung, part.sites()};
  });
  result.lnl = s.run_junction();
  return result;
}

}  // namespace phylo
