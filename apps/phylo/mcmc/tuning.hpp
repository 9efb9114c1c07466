#pragma once
// What a chain learns during burn-in: how bold each move is, and how often it is made beside the others. Afterwards
// both stay, so that samples come from one Markov chain.

#include <array>
#include <cstddef>
#include <cstdint>

#include "phylo/mcmc/moves.hpp"
#include "phylo/mcmc/priors.hpp"
#include "phylo/model/model.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// How often a move was tried and accepted, how bold it is, and how often it is made beside the others.
struct MoveRecord {
  double boldness = 0;
  double weight = 0;
  std::int64_t tried = 0;
  std::int64_t accepted = 0;
  std::int64_t tuned = 0;  ///< tries that have tuned boldness
  // Since weights changed last, within burn-in:
  std::int64_t tried_lately = 0;
  double passed_lately = 0;  ///< nodes that subtrees have passed (`Step::passed`)
  double read_lately = 0;    ///< conditional likelihoods that were asked for around the changes, accepted or not
};

/// The numbers by which it is judged how fast parameters change: the logarithm of the tree's length, the exchange rates
/// and the first four frequencies, kappa / (1 + kappa), the logarithm of the shape, the invariant sites, the other
/// frequencies; 0 where a model has none.
inline constexpr std::size_t coordinates_of_dna = 14;
inline constexpr std::size_t coordinates = coordinates_of_dna + most_states - 4;
using Coordinates = std::array<double, coordinates>;
Coordinates coordinates_of(const Tree& tree, const Model& model, const Sampled& sampled);
/// Gives the move that is made for a coordinate. Tree length also changes with branches.
Move move_of(std::size_t coordinate);

/// How a coordinate was distributed since weights changed last, and how far it jumped.
struct Spread {
  double mean = 0;
  double squares = 0;  ///< of distances from the mean
  double own = 0;      ///< squares of jumps in the coordinate's own move
  double others = 0;   ///< and in others

  bool operator==(const Spread&) const = default;
};

struct Tuning {
  PerMove<MoveRecord> moves{};
  std::array<Spread, coordinates> spreads{};
  std::int64_t generations = 0;  ///< since weights changed last
};

/// Gives what a chain begins with.
Tuning first_tuning(const PerMove<double>& weights);

/// Tunes boldness by one try, towards three accepted moves in ten.
void tune(Move move, bool accepted, MoveRecord& record);

/// Notes where a generation has led. `at` is where the chain was before that move.
void note(Move move, const Step& step, bool accepted, const Coordinates& at, const Coordinates& now, Tuning& tuning);

/// Whether weights change after that generation of a burn-in: after an eighth, a quarter and a half of it, and at its
/// end.
bool weighs_after(std::int64_t generation, std::int64_t burn_in);

/// Gives moves that `adapts` says new weights, by what was noted since the last time. Moves that cost alike share their
/// weight: NNI and SPR by how many nodes they passed for each conditional likelihood that they read; those that change
/// every likelihood (of tree length and parameters) so that the slowest parameter becomes as fast as can be. What a
/// group has together does not change, so a generation costs what it did. Where too little was noted, weights stay.
void weigh(const PerMove<bool>& adapts, Tuning& tuning);

}  // namespace phylo
