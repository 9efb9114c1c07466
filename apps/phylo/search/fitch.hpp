#pragma once
// The two bit-parallel kernels of Fitch parsimony. State sets come in blocks: four words of the plane of each state (of
// DNA: A, C, G and T).

#include <cstddef>
#include <cstdint>

namespace phylo {

inline constexpr std::size_t fitch_plane_words = 4;

struct FitchKernels {
  /// out = the state sets of a node whose children have `a` and `b`: their intersection where there is one, else their
  /// union. Gives the number of sites where there is none. `out` may be `a` or `b`.
  std::int64_t (*join)(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words);
  /// Gives what a subtree with sets `c` costs when it is hung between `a` and `b`: the sites where `c` shares nothing
  /// with the join of the two.
  std::int64_t (*cost)(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::size_t words);
};

/// The fastest kernels for so many planes (4 or 20) that this processor can run; all give the same numbers.
FitchKernels fitch_kernels(int planes);

}  // namespace phylo
