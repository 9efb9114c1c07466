#include "phylo/io/patterns.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace phylo {

std::uint8_t base_mask(char code) {
  const std::uint8_t mask = dna_alphabet().find(code);
  return mask == Alphabet::no_code ? 0 : mask;
}

std::vector<std::uint32_t> common_states(const Patterns& patterns) {
  std::vector<std::uint32_t> common(static_cast<std::size_t>(patterns.count), patterns.alphabet->all());
  for (int taxon = 0; taxon < patterns.taxa; ++taxon) {
    const std::uint8_t* const row = patterns.row(taxon);
    for (std::size_t p = 0; p < common.size(); ++p) common[p] &= patterns.alphabet->sets[row[p]];
  }
  return common;
}

Patterns compress(const Alignment& alignment) {
  const auto taxa = static_cast<std::size_t>(alignment.taxa());
  const auto sites = static_cast<std::size_t>(alignment.sites());

  // Columns side by side, so that comparing two of them is one memcmp.
  std::vector<std::uint8_t> columns(taxa * sites);
  for (std::size_t taxon = 0; taxon < taxa; ++taxon)
    for (std::size_t site = 0; site < sites; ++site)
      columns[site * taxa + taxon] = alignment.alphabet->find(alignment.rows[taxon][site]);

  std::vector<std::int32_t> order(sites);
  std::iota(order.begin(), order.end(), 0);
  const auto column = [&](std::int32_t site) { return columns.data() + static_cast<std::size_t>(site) * taxa; };
  std::sort(order.begin(), order.end(), [&](std::int32_t x, std::int32_t y) {
    const int difference = std::memcmp(column(x), column(y), taxa);
    return difference != 0 ? difference < 0 : x < y;
  });

  Patterns patterns;
  patterns.alphabet = alignment.alphabet;
  patterns.names = alignment.names;
  patterns.taxa = alignment.taxa();
  patterns.pattern_of_site.resize(sites);
  std::vector<std::int32_t> representative;
  for (std::size_t i = 0; i < sites; ++i) {
    if (i == 0 || std::memcmp(column(order[i]), column(order[i - 1]), taxa) != 0) {
      representative.push_back(order[i]);
      patterns.weights.push_back(0);
    }
    ++patterns.weights.back();
    patterns.pattern_of_site[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(representative.size()) - 1;
  }
  patterns.count = static_cast<int>(representative.size());
  patterns.codes.resize(taxa * representative.size());
  for (std::size_t p = 0; p < representative.size(); ++p)
    for (std::size_t taxon = 0; taxon < taxa; ++taxon)
      patterns.codes[taxon * representative.size() + p] = column(representative[p])[taxon];
  return patterns;
}

}  // namespace phylo
