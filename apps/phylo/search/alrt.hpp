#pragma once
// Support of branches by likelihood: how sure is it that the three ways to join the four subtrees around a branch do
// not explain the data equally well? SH-aLRT (S. Guindon et al., New algorithms and methods to estimate
// maximum-likelihood phylogenies, Syst. Biol. 59, 2010).

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "phylo/like/engine.hpp"
#include "phylo/model/part.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// The tree and its two nearest neighbours across one inner branch.
struct Rivals {
  std::array<double, 3> lnl{};               ///< of the tree itself first
  std::array<std::vector<double>, 3> sites;  ///< log-likelihoods of the patterns, part after part
};

/// Gives them for the inner branch of `h`. Of each neighbour, the five branches around are optimized until none moves
/// noticeably. `engine` must know the tree, and knows it afterwards.
Rivals rivals(Engine& engine, const Tree& tree, HalfEdge h);

/// Gives the share of `replicates` resamplings in which the tree leads its better neighbour by less than it does on the
/// data, once every tree's mean is taken off. Sites are drawn as often as there are, from each part's own, and their
/// log-likelihoods are added as they stand (RELL; Kishino, Miyata and Hasegawa 1990). As in IQ-TREE, a lead that is
/// larger by 0.05 units at least counts. 0 if a neighbour is better than the tree.
double sh_support(const Rivals& rivals, const Parts& parts, int replicates, std::uint64_t seed);

/// Gives the SH-aLRT support of every half-edge's branch, in [0, 1]; -1 of branches to tips. The parts' models have
/// their values, and the tree is the best one under them. Each branch is a stream of the phase `branches`; the supports
/// are the same at any number of workers. After `finished()` has given false, the rest is left out and what comes back
/// means nothing. It is called when a branch is done, by several streams at a time.
std::vector<double> sh_alrt(const Parts& parts, const Tree& tree, int replicates, std::uint64_t seed,
                            const std::function<bool()>& finished);

/// The name of that phase.
inline constexpr const char* branches_phase = "branches";

}  // namespace phylo
