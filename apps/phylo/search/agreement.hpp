#pragma once
// Are there enough bootstrap trees? They are divided at random into halves again and again; the halves must have nearly
// the same consensus (N. D. Pattengale et al., How many bootstrap replicates are necessary?, J. Comput. Biol. 17, 2010:
// the test MRE, as RAxML makes it).

#include <cstdint>
#include <vector>

#include "phylo/tree/tree.hpp"

namespace phylo {

struct Agreement {
  double difference = 0;  ///< of halves, in the mean: weighted Robinson-Foulds, as a share of the most
  double within = 0;      ///< share of the divisions that differ by the cutoff at most
  bool enough = false;
};

/// Divides the trees a hundred times. `enough`: 99 divisions differ by `cutoff` at most, and so they do in the mean.
/// The number of trees, which have the same tips, must be even and positive.
///
/// Of two halves, the extended majority consensus is made. They differ by what the shares of their splits differ, where
/// a split that only one consensus has counts with its share there; the most is the number of splits of both, halved.
Agreement agreement(const std::vector<Tree>& trees, double cutoff, std::uint64_t seed);

}  // namespace phylo
