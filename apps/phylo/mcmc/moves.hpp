#pragma once
// The moves of a chain: each changes tree or model at random and says what its Hastings ratio is.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "phylo/mcmc/priors.hpp"
#include "phylo/model/model.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

enum class Move : std::uint8_t {
  nni,                ///< exchanges two subtrees across an inner branch, and stretches that
  extending_spr,      ///< takes a subtree along a path that goes on with a certain chance (Lakner et al. 2008)
  branch_multiplier,  ///< stretches a branch
  tree_multiplier,    ///< stretches all branches alike
  node_slider,        ///< stretches two branches that meet, and moves their node between the far ends
  rates,              ///< the distinct exchange rates, around what they are
  frequencies,        ///< likewise
  kappa,              ///< kappa / (1 + kappa), likewise
  shape,              ///< stretches the shape of the gamma distribution
  invariant,          ///< the proportion of invariant sites, around what it is
};
inline constexpr int moves = 10;
template <class T>
using PerMove = std::array<T, moves>;

/// Gives the move's name as it stands in files, with the parameter that it changes: "NNI(Tau,V)".
const char* name_of(Move move);
/// Gives the word that says the move in options: "nni".
const char* word_of(Move move);

/// How bold each move is. Factors by which lengths and the shape are stretched are e^(boldness * (u - 1/2)); Dirichlet
/// moves have the concentration 1 / boldness.
PerMove<double> default_boldness();
/// How often each move is made beside the others, 0 for those that the model has no use for.
PerMove<double> default_weights(const Sampled& sampled);
/// Gives the words of the parameters that are sampled, which are those of their moves: "frequencies".
std::vector<std::string> words_of(const Sampled& sampled);

/// The chance that extending_spr goes on to a further branch.
inline constexpr double default_extension = 0.5;

/// What was proposed.
struct Step {
  enum class Reach : std::uint8_t { nothing, branches, lengths, model };
  Reach reach = Reach::nothing;  ///< nothing: there is no such change here, and the state stays
  double log_hastings = 0;       ///< logarithm of the Hastings ratio (Jacobian included)
  int passed = 0;                ///< nodes that a subtree has passed
  // What Engine::propose is told of changed branches:
  std::vector<HalfEdge> around;
  std::vector<HalfEdge> changed;
  HalfEdge at = 0;
};

/// Gives the half-edge of an inner node that comes after `place` on the way around the tree. For a given tree this is a
/// permutation of these half-edges, so where `place` is independent of the state and uniform, so is what comes after.
HalfEdge next_place(const Tree& tree, HalfEdge place);

/// Changes tree or model as the move does. Tree moves happen at `place`, a half-edge of an inner node; given the place,
/// a move and its way back are as the Hastings ratio says. `step` is written; it is handed in so that its memory is
/// used again. Whoever does not accept the step has kept what was there before.
void propose(Move move, HalfEdge place, Random& random, double boldness, double extension, Tree& tree, Model& model,
             Step& step);

/// Gives a tree of which every topology is equally probable, all branches of that length.
Tree random_topology(Random& random, std::int32_t tips, double length);

}  // namespace phylo
