#include "phylo/like/ascertainment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace phylo {
namespace {

/// Gives 1 - S, kept above 0: where branches are so short, nothing but constant sites can be expected.
double chance_of_variation(double constant) { return std::max(1 - constant, std::numeric_limits<double>::epsilon()); }

/// Likelihood of a constant column and its two derivatives, all over 2^(-256 * scaled).
struct Constant {
  double of[3] = {};
  std::int32_t scaled = 0;
};

Constant constant_of(const PartState& part, const Sumtable& branch, std::size_t state) {
  const auto exponents = static_cast<std::size_t>((part.states - 1) * part.rates);
  const std::size_t at = part.first_constant() + state;
  Constant column;
  for (const Operand* end : {&branch.near, &branch.far}) column.scaled += end->scale ? end->scale[at] : 0;
  const double* const entry = branch.table + at / lanes * (1 + exponents) * lanes + at % lanes;
  column.of[0] = entry[0];
  for (std::size_t k = 0; k < exponents; ++k)
    for (std::size_t order = 0; order < 3; ++order)
      column.of[order] += entry[(1 + k) * lanes] * part.table_factors[order][k];
  return column;
}

/// Gives the derivatives of a logarithm.
Slopes slopes_of_logarithm(const double* of) {
  const double first = of[1] / of[0];
  return {first, of[2] / of[0] - first * first};
}

}  // namespace

double gain_of_constant(const PartState& part, std::span<const double> logarithms) {
  const Model& model = part.model;
  if (model.ascertainment == Ascertainment::stamatakis) {
    double gain = 0;
    for (std::size_t state = 0; state < logarithms.size(); ++state)
      gain += model.constant_sites[state] * logarithms[state];
    return gain;
  }
  const double unit =
      model.ascertainment == Ascertainment::lewis ? 0 : *std::max_element(logarithms.begin(), logarithms.end());
  double constant = 0;
  for (const double logarithm : logarithms) constant += std::exp(logarithm - unit);
  if (model.ascertainment == Ascertainment::lewis) return -part.sites_counted * std::log(chance_of_variation(constant));
  return model.constant_sites.front() * (unit + std::log(constant));
}

Slopes ascertainment_slopes(const PartState& part, const Sumtable& branch) {
  const Model& model = part.model;
  std::array<Constant, most_states> room;
  const std::span<Constant> columns(room.data(), static_cast<std::size_t>(model.states()));
  for (std::size_t state = 0; state < columns.size(); ++state) columns[state] = constant_of(part, branch, state);
  if (model.ascertainment == Ascertainment::stamatakis) {
    Slopes sum;
    for (std::size_t state = 0; state < columns.size(); ++state) {
      const Slopes one = slopes_of_logarithm(columns[state].of);
      sum.first += model.constant_sites[state] * one.first;
      sum.second += model.constant_sites[state] * one.second;
    }
    return sum;
  }
  std::int32_t least = 0;
  if (model.ascertainment == Ascertainment::felsenstein) {
    least = columns.front().scaled;
    for (const Constant& column : columns) least = std::min(least, column.scaled);
  }
  double constant[3] = {};  // S and its derivatives
  for (const Constant& column : columns)
    if (column.scaled == least)  // others are 2^-256 of it, or of 1
      for (std::size_t order = 0; order < 3; ++order) constant[order] += column.of[order];
  if (model.ascertainment == Ascertainment::felsenstein) {
    const Slopes of_sum = slopes_of_logarithm(constant);
    return {model.constant_sites.front() * of_sum.first, model.constant_sites.front() * of_sum.second};
  }
  const double varies = chance_of_variation(constant[0]);
  const double first = constant[1] / varies;
  return {part.sites_counted * first, part.sites_counted * (constant[2] / varies + first * first)};
}

void ascertain_logarithms(PartState& part) {
  const double* const constant = part.logarithms.data() + part.first_constant();
  const double gain = gain_of_constant(part, {constant, static_cast<std::size_t>(part.model.states())});
  for (std::size_t p = 0; p < static_cast<std::size_t>(part.patterns); ++p)
    part.logarithms[p] += gain / part.sites_counted;
}

}  // namespace phylo
