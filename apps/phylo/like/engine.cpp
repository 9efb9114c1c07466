#include "phylo/like/engine.hpp"

#include <algorithm>
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

double Engine::evaluate(const Tree& tree, HalfEdge h) {
  State& s = *state_;
  HalfEdge near = h, far = tree.back(h);
  if (tree.is_tip(near)) std::swap(near, far);
  s.require(tree, near);
  s.require(tree, far);
  return s.run_evaluate(s.plain(near), s.across(far, tree.length(h), s.factors.joint));
}

void Engine::newview(const Tree& tree, HalfEdge h) {
  state_->require(tree, h);
  state_->run_newview();
}

double Engine::makenewz(const Tree& tree, HalfEdge h, int iterations) {
  State& s = *state_;
  HalfEdge near = h, far = tree.back(h);
  if (tree.is_tip(near)) std::swap(near, far);
  s.require(tree, near);
  s.require(tree, far);
  return s.run_makenewz(s.plain(near), s.plain(far), tree.length(h), iterations);
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
  constexpr int iterations = 8;
  for (int round = 0; round < rounds && fit != Fit::nothing; ++round) {
    s.add_scratch(at, result.near, far, result.far);
    result.pendant = s.run_makenewz(s.scratch(), s.plain(subtree), result.pendant, iterations);
    if (fit == Fit::pendant) break;
    s.add_scratch(far, result.far, subtree, result.pendant);
    result.near = s.run_makenewz(s.scratch(), s.plain(at), result.near, iterations);
    s.add_scratch(at, result.near, subtree, result.pendant);
    result.far = s.run_makenewz(s.scratch(), s.plain(far), result.far, iterations);
  }
  const Operand hung = s.hang(subtree, result.pendant);
  Operand a = s.across(at, result.near, s.factors.transition);
  Operand b = s.across(far, result.far, s.factors.transition);
  if (b.codes) std::swap(a, b);
  result.lnl = s.run_junction(a, b, hung);
  return result;
}

}  // namespace phylo
