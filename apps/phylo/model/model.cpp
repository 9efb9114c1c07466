#include "phylo/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "phylo/io/patterns.hpp"
#include "phylo/model/gamma.hpp"

namespace phylo {

std::array<int, 6> rate_groups(Family family) {
  switch (family) {
    case Family::jc:
    case Family::f81:
      return {0, 0, 0, 0, 0, 0};
    case Family::k80:
    case Family::hky:
      return {1, 0, 1, 1, 0, 1};
    case Family::sym:
    case Family::gtr:
      break;
  }
  return {0, 1, 2, 3, 4, 5};
}

bool has_equal_frequencies(Family family) {
  return family == Family::jc || family == Family::k80 || family == Family::sym;
}

std::vector<double> category_rates(const Model& model) {
  std::vector<double> rates = discrete_gamma(model.alpha, model.categories);
  if (model.with_invariant)
    for (double& r : rates) r /= 1 - model.invariant;
  return rates;
}

std::array<double, 4> empirical_frequencies(const Patterns& patterns) {
  // How often each code stands in the alignment; the fixed point needs nothing else.
  std::array<double, 16> seen{};
  for (int taxon = 0; taxon < patterns.taxa; ++taxon) {
    const std::uint8_t* row = patterns.row(taxon);
    for (int p = 0; p < patterns.count; ++p) seen[row[p] & 15] += patterns.weights[static_cast<std::size_t>(p)];
  }
  seen[0] = seen[15] = 0;
  const double total = std::accumulate(seen.begin(), seen.end(), 0.0);
  std::array<double, 4> frequencies = {0.25, 0.25, 0.25, 0.25};
  if (total == 0) return frequencies;
  constexpr int most_rounds = 1000;
  constexpr double settled = 1e-12;
  for (int round = 0; round < most_rounds; ++round) {
    std::array<double, 4> counts{};
    for (unsigned code = 1; code < 15; ++code) {
      double mass = 0;
      for (unsigned i = 0; i < 4; ++i)
        if (code >> i & 1) mass += frequencies[i];
      for (unsigned i = 0; i < 4; ++i)
        if (code >> i & 1) counts[i] += seen[code] * frequencies[i] / mass;
    }
    double moved = 0;
    for (unsigned i = 0; i < 4; ++i) {
      moved = std::max(moved, std::abs(counts[i] / total - frequencies[i]));
      // A base that never occurs keeps a positive share while it is iterated.
      frequencies[i] = std::max(counts[i] / total, Bounds::frequency_low / 2);
    }
    if (moved < settled) break;
  }
  for (double& f : frequencies) f = std::max(f, Bounds::frequency_low);
  const double sum = std::accumulate(frequencies.begin(), frequencies.end(), 0.0);
  for (double& f : frequencies) f /= sum;
  return frequencies;
}

}  // namespace phylo
