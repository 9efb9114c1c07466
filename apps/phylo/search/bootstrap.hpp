#pragma once
// Bootstrap replicates (Felsenstein 1985): alignments of as many sites, drawn with replacement.

#include <cstdint>

#include "phylo/model/part.hpp"

namespace phylo {

/// Gives the patterns of replicate number `replicate` of a run with `seed`: `patterns.sites()` sites drawn with
/// replacement, each with the same probability. Patterns that were never drawn are gone; the others keep their order.
/// `pattern_of_site` tells what each drawn site shows, in the order of the draws.
Patterns bootstrap_patterns(const Patterns& patterns, std::uint64_t seed, std::uint64_t replicate);
/// The same of several parts: each gets as many sites as it has, drawn from its own, one part after the other.
Parts bootstrap_parts(const Parts& parts, std::uint64_t seed, std::uint64_t replicate);

}  // namespace phylo
