#include "phylo/like/ascertainment.hpp"

namespace phylo {

Slopes ascertainment_slopes(const PartState& part, const Sumtable& branch) {
  const auto exponents = static_cast<std::size_t>((part.states - 1) * part.rates);
  double constant[3] = {};  // S and its derivatives
  for (std::size_t state = 0; state < static_cast<std::size_t>(part.model.states()); ++state) {
    const std::size_t at = part.first_constant() + state;
    std::int32_t scaled = 0;
    for (const Operand* end : {&branch.near, &branch.far}) scaled += end->scale ? end->scale[at] : 0;
    if (scaled > 0) continue;  // below 2^-256: nothing beside 1
    const double* const entry = branch.table + at / lanes * (1 + exponents) * lanes + at % lanes;
    constant[0] += entry[0];
    for (std::size_t k = 0; k < exponents; ++k)
      for (std::size_t order = 0; order < 3; ++order)
        constant[order] += entry[(1 + k) * lanes] * part.table_factors[order][k];
  }
  const double varies = chance_of_variation(constant[0]);
  const double first = constant[1] / varies;
  return {part.sites_counted * first, part.sites_counted * (constant[2] / varies + first * first)};
}

void ascertain_logarithms(PartState& part) {
  double constant = 0;
  for (std::size_t state = 0; state < static_cast<std::size_t>(part.model.states()); ++state)
    constant += std::exp(part.logarithms[part.first_constant() + state]);
  const double gain = -std::log(chance_of_variation(constant));
  for (std::size_t p = 0; p < static_cast<std::size_t>(part.patterns); ++p) part.logarithms[p] += gain;
}

}  // namespace phylo
