#include "phylo/model/model.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "phylo/io/patterns.hpp"
#include "phylo/model/gamma.hpp"

namespace phylo {

namespace {

std::size_t pairs(int states) { return static_cast<std::size_t>(states * (states - 1) / 2); }

/// The number of a pair of bases, given as their set, in the order of AC, AG, AT, CG, CT, GT.
std::size_t pair_of_bases(std::uint32_t set) {
  constexpr std::array<std::uint32_t, 6> sets = {0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100};
  return static_cast<std::size_t>(std::find(sets.begin(), sets.end(), set) - sets.begin());
}

/// Which rates of genotypes are equal where those of bases have these ties.
std::vector<int> tied_rates_of_genotypes(const Alphabet& genotypes, const std::string& ties) {
  std::vector<int> tied;
  for (std::size_t i = 0; i < genotypes.symbols.size(); ++i)
    for (std::size_t j = i + 1; j < genotypes.symbols.size(); ++j) {
      // The character of a genotype is the code of ambiguity of its bases.
      const Alphabet& dna = dna_alphabet();
      const std::uint32_t a = dna.sets[dna.find(genotypes.symbols[i])], b = dna.sets[dna.find(genotypes.symbols[j])];
      const bool both_heterozygous = std::popcount(a) == 2 && std::popcount(b) == 2;
      // From AA to AC, A changes to C; from AC to AG, C changes to G.
      const std::uint32_t changed = both_heterozygous ? a ^ b : a | b;
      tied.push_back((a & b) == 0 ? 0 : ties[pair_of_bases(changed)] - '0' + 1);
    }
  return tied;
}

}  // namespace

Model model_of(Family family, const Alphabet& alphabet) {
  Model model;
  model.family = family;
  model.alphabet = &alphabet;
  model.rates.assign(pairs(alphabet.states), 1.0);
  model.frequencies.assign(static_cast<std::size_t>(alphabet.states), 1.0 / alphabet.states);
  if (family == Family::multistate_mk || family == Family::genotype_jc) model.frequencies_from = Origin::fixed;
  return model;
}

Model dna_model(const std::string& ties, bool equal_frequencies) {
  Model model;
  model.ties = ties;
  model.equal_frequencies = equal_frequencies;
  if (equal_frequencies) model.frequencies_from = Origin::fixed;
  return model;
}

Model model_of(const ProteinMatrix& matrix) {
  Model model = model_of(Family::protein_matrix, protein_alphabet());
  model.matrix = &matrix;
  model.rates_from = Origin::fixed;
  // From the lower triangle to the upper one, each row by row.
  std::size_t at = 0;
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t j = i + 1; j < 20; ++j) model.rates[at++] = matrix.rates[j * (j - 1) / 2 + i];
  const double sum = std::accumulate(matrix.frequencies.begin(), matrix.frequencies.end(), 0.0);
  for (std::size_t i = 0; i < 20; ++i) model.frequencies[i] = matrix.frequencies[i] / sum;
  model.frequencies_from = Origin::fixed;
  return model;
}

Model model_of(const ProteinMixture& mixture) {
  Model model = model_of(Family::protein_mixture, protein_alphabet());
  model.mixture = &mixture;
  model.rates_from = model.frequencies_from = Origin::fixed;
  model.categories = static_cast<int>(mixture.matrices.size());
  return model;
}

bool has_frequencies_of_matrix(const Model& model) {
  if (model.mixture != nullptr) return true;
  return model.matrix != nullptr && model.frequencies == model_of(*model.matrix).frequencies;
}

std::vector<int> tied_rates(const Model& model) {
  std::vector<int> tied(model.rates.size(), 0);
  switch (model.family) {
    case Family::protein_gtr:
    case Family::multistate_gtr:
    case Family::genotype_gtr:
      std::iota(tied.begin(), tied.end(), 0);
      break;
    case Family::dna:
      std::transform(model.ties.begin(), model.ties.end(), tied.begin(), [](char tie) { return tie - '0'; });
      break;
    case Family::genotype_dna:
      return tied_rates_of_genotypes(*model.alphabet, model.ties);
    default:
      break;
  }
  return tied;
}

std::vector<int> rate_groups(const Model& model) {
  std::vector<int> groups = tied_rates(model);
  // The last rate is the unit, so its group gets the last number.
  const int unit = groups.back();
  const int last = *std::max_element(groups.begin(), groups.end());
  for (int& group : groups) group = group == unit ? last : group - (group > unit ? 1 : 0);
  return groups;
}

int free_rates(const Model& model) { return rate_groups(model).back(); }

std::vector<double> category_rates(const Model& model) {
  std::vector<double> rates = model.has_free_categories()
                                  ? model.free_category_rates
                                  : discrete_gamma(model.alpha, model.categories, model.gamma_medians);
  if (model.with_invariant)
    for (double& r : rates) r /= 1 - model.invariant;
  for (double& r : rates) r *= model.speed;
  return rates;
}

std::vector<double> category_shares(const Model& model) {
  if (model.has_free_categories()) return model.free_category_shares;
  return std::vector<double>(static_cast<std::size_t>(model.categories), 1.0 / model.categories);
}

void set_free_categories(Model& model, std::vector<double> rates, std::vector<double> shares) {
  // What was written with all digits is taken as it is, so that text and model map to each other exactly.
  constexpr double exact = 1e-12;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (std::abs(sum - 1) > exact)
    for (double& share : shares) share /= sum;
  const double mean = std::inner_product(rates.begin(), rates.end(), shares.begin(), 0.0);
  if (std::abs(mean - 1) > exact)
    for (double& rate : rates) rate /= mean;
  model.categories = static_cast<int>(rates.size());
  model.alpha_from = Origin::fixed;
  model.free_category_rates = std::move(rates);
  model.free_category_shares = std::move(shares);
}

void take_rates_over_sites(Model& model, const Model& from) {
  model.categories = from.categories;
  model.gamma_medians = from.gamma_medians;
  model.alpha = from.alpha;
  model.alpha_from = from.alpha_from;
  model.free_category_rates = from.free_category_rates;
  model.free_category_shares = from.free_category_shares;
  model.free_categories_from = from.free_categories_from;
  model.with_invariant = from.with_invariant;
  model.invariant = from.invariant;
  model.invariant_from = from.invariant_from;
  model.ascertainment = from.ascertainment;
  model.constant_sites = from.constant_sites;
}

void sort_free_categories(Model& model) {
  std::vector<std::pair<double, double>> all;
  for (std::size_t i = 0; i < model.free_category_rates.size(); ++i)
    all.emplace_back(model.free_category_rates[i], model.free_category_shares[i]);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    model.free_category_rates[i] = all[i].first;
    model.free_category_shares[i] = all[i].second;
  }
}

void count_invariant(Model& model, const Patterns& patterns) {
  if (!model.with_invariant || model.invariant_from != Origin::empirical) return;
  const std::vector<std::uint32_t> common = common_states(patterns);
  double invariant = 0;
  for (std::size_t p = 0; p < common.size(); ++p)
    if (std::has_single_bit(common[p])) invariant += patterns.weights[p];
  model.invariant = std::min(invariant / patterns.sites(), Bounds::invariant_high);
}

std::vector<double> empirical_frequencies(const Patterns& patterns) {
  const Alphabet& alphabet = *patterns.alphabet;
  // How often each code stands in the alignment; the fixed point needs nothing else.
  std::array<double, most_codes> seen{};
  for (int taxon = 0; taxon < patterns.taxa; ++taxon) {
    const std::uint8_t* row = patterns.row(taxon);
    for (int p = 0; p < patterns.count; ++p) seen[row[p]] += patterns.weights[static_cast<std::size_t>(p)];
  }
  seen[alphabet.unknown] = 0;
  const double total = std::accumulate(seen.begin(), seen.end(), 0.0);
  const auto states = static_cast<std::size_t>(alphabet.states);
  std::vector<double> frequencies(states, 1.0 / alphabet.states);
  if (total == 0) return frequencies;
  constexpr int most_rounds = 1000;
  constexpr double settled = 1e-12;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> counts(states, 0.0);
    for (std::size_t code = 0; code < static_cast<std::size_t>(alphabet.codes); ++code) {
      if (seen[code] == 0) continue;
      const std::uint32_t set = alphabet.sets[code];
      double mass = 0;
      for (std::size_t i = 0; i < states; ++i)
        if (set >> i & 1) mass += frequencies[i];
      for (std::size_t i = 0; i < states; ++i)
        if (set >> i & 1) counts[i] += seen[code] * frequencies[i] / mass;
    }
    double moved = 0;
    for (std::size_t i = 0; i < states; ++i) {
      moved = std::max(moved, std::abs(counts[i] / total - frequencies[i]));
      // A state that never occurs keeps a positive share while it is iterated.
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
