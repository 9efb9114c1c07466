#pragma once
// For tests: all topologies of few taxa, and what chains are compared with.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/io/patterns.hpp"
#include "phylo/mcmc/chain.hpp"
#include "phylo/tree/rearrange.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

/// Gives every topology of so many tips once.
inline std::vector<Tree> all_topologies(std::int32_t tips) {
  std::vector<Tree> trees = {triplet(tips, 0, 1, 2, 0.1)};
  for (HalfEdge tip = 3; tip < tips; ++tip) {
    std::vector<Tree> larger;
    const HalfEdge joint = tips + 3 * (tip - 2);
    for (const Tree& tree : trees)
      for (HalfEdge at = 0; at < tree.half_edges(); ++at) {
        if (tree.back(at) < at) continue;  // not connected, or seen from its other end
        Tree t = tree;
        const HalfEdge far = t.disconnect(at);
        t.connect(joint, tip, 0.1);
        t.connect(joint + 1, at, 0.1);
        t.connect(joint + 2, far, 0.1);
        larger.push_back(std::move(t));
      }
    trees = std::move(larger);
  }
  return trees;
}

/// Gives the patterns of these rows.
inline Patterns patterns_of(const std::vector<std::string>& rows) {
  Alignment alignment;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    alignment.names.push_back("t" + std::to_string(i));
    alignment.rows.push_back(rows[i]);
  }
  return compress(alignment);
}

/// Gives the statistic of Kolmogorov and Smirnov times the root of the number of samples: above 1.95 once in a thousand
/// times if they are independent and have the distribution.
inline double kolmogorov_smirnov(std::vector<double> samples, const std::function<double(double)>& cumulative) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double largest = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double p = cumulative(samples[i]), below = static_cast<double>(i) / n;
    largest = std::max({largest, p - below, below + 1 / n - p});
  }
  return largest * std::sqrt(n);
}
inline constexpr double rarely_passed = 1.95;

inline double tree_length(const Tree& tree) {
  double sum = 0;
  tree.for_each_branch([&](HalfEdge h) { sum += tree.length(h); });
  return sum;
}

}  // namespace phylo
