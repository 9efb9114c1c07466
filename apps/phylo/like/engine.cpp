#include "phylo/like/engine.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "phylo/like/state.hpp"

namespace phylo {

Engine::Engine(const Patterns& patterns, const Model& model, const Options& options)
    : state_(std::make_unique<State>(patterns, model, options)) {}
Engine::~Engine() = default;

const Model& Engine::model() const { return state_->model; }
void Engine::set_model(const Model& model) { state_->take_model(model); }

void Engine::changed(const Tree& tree, HalfEdge h) {
  state_->forget(tree, h);
  if (const HalfEdge far = tree.back(h); far != none) state_->forget(tree, far);
}
void Engine::changed_everything() { state_->forget(); }

double Engine::propose(const Tree& tree, std::span<const HalfEdge> around, std::span<const HalfEdge> changed_ends,
                       HalfEdge at) {
  for (const HalfEdge h : around) state_->require(tree, h);
  state_->begin();
  for (const HalfEdge h : changed_ends) changed(tree, h);
  return evaluate(tree, at);
}

double Engine::propose_all(const Tree& tree, HalfEdge at) {
  state_->begin();
  state_->forget();
  return evaluate(tree, at);
}

double Engine::propose(const Tree& tree, const Model& model, HalfEdge at) {
  if (model.categories != state_->rates) throw std::logic_error("likelihood: a proposal of other rate categories");
  state_->begin();
  state_->propose_model(model);
  state_->forget();
  return evaluate(tree, at);
}

void Engine::accept() { state_->decide(true); }
void Engine::reject() { state_->decide(false); }

double Engine::evaluate(const Tree& tree, HalfEdge h) {
  State& s = *state_;
  const auto [near, far] = s.require_both(tree, h);
  return s.run_evaluate(s.plain(near), s.across(far, tree.length(h), s.factors.joint));
}

void Engine::newview(const Tree& tree, HalfEdge h) {
  state_->require(tree, h);
  state_->run_newview();
}

double Engine::makenewz(const Tree& tree, HalfEdge h, int iterations) {
  State& s = *state_;
  const auto [near, far] = s.require_both(tree, h);
  return s.run_makenewz(s.through(near, s.factors.near_eigen), s.through(far, s.factors.far_eigen), tree.length(h),
                        iterations);
}

double Engine::optimize_branch(Tree& tree, HalfEdge h, int iterations) {
  const double length = makenewz(tree, h, iterations);
  if (length != tree.length(h)) {
    tree.set_length(h, length);
    changed(tree, h);
  }
  return length;
}

Insertion Engine::insertion(const Tree& tree, HalfEdge subtree, HalfEdge at, double pendant, Fit fit, int rounds) {
  State& s = *state_;
  const HalfEdge far = tree.back(at);
  const double half = std::max(tree.length(at) / 2, shortest_branch);
  Insertion result{0, std::clamp(pendant, shortest_branch, longest_branch), half, half};
  s.require(tree, at);
  s.require(tree, far);
  s.require(tree, subtree);
  // The best length of the branch from the new node, whose CLV without it is on the list, to that of `h`.
  const auto fitted = [&](HalfEdge h, double length) {
    constexpr int iterations = 8;
    Operand node = s.scratch();
    node.matrices = s.factors.near_eigen.data();
    return s.run_makenewz(node, s.through(h, s.factors.far_eigen), length, iterations);
  };
  for (int round = 0; round < rounds && fit != Fit::nothing; ++round) {
    s.add_scratch(at, result.near, far, result.far);
    result.pendant = fitted(subtree, result.pendant);
    if (fit == Fit::pendant) break;
    s.add_scratch(far, result.far, subtree, result.pendant);
    result.near = fitted(at, result.near);
    s.add_scratch(at, result.near, subtree, result.pendant);
    result.far = fitted(far, result.far);
  }
  const Operand hung = s.hang(subtree, result.pendant);
  Operand a = s.across(at, result.near, s.factors.transition);
  Operand b = s.across(far, result.far, s.factors.transition);
  if (b.codes) std::swap(a, b);
  result.lnl = s.run_junction(a, b, hung);
  return result;
}

}  // namespace phylo
