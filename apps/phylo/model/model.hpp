#pragma once
// How one base turns into another: time-reversible models of DNA with rates that vary over sites.

#include <array>
#include <cstdint>
#include <vector>

namespace phylo {

struct Patterns;

/// Which of the six exchange rates are tied to each other, and whether the base frequencies are equal.
enum class Family { jc, k80, f81, hky, sym, gtr };

/// Where a parameter's value comes from.
enum class Origin {
  fixed,      ///< given in the notation: never changed
  empirical,  ///< counted in the alignment (base frequencies only)
  optimized,  ///< maximizes the likelihood
};

/// A substitution model. Bases are in the order A, C, G, T. The rate matrix is q_ij = rate_ij * frequency_j, scaled so
/// that a branch of length 1 means one expected substitution per site, over all sites (invariant ones included).
struct Model {
  Family family = Family::gtr;
  std::array<double, 6> rates = {1, 1, 1, 1, 1, 1};  ///< AC, AG, AT, CG, CT, GT; the last one is the unit
  Origin rates_from = Origin::optimized;
  std::array<double, 4> frequencies = {0.25, 0.25, 0.25, 0.25};
  Origin frequencies_from = Origin::empirical;
  int categories = 1;  ///< of the discrete gamma distribution, each with its mean rate (Yang 1994); 1: no variation
  double alpha = 1;    ///< shape of the gamma distribution
  Origin alpha_from = Origin::optimized;
  bool with_invariant = false;  ///< +I: a proportion of the sites never changes
  double invariant = 0;         ///< that proportion, in [0, 1)
  Origin invariant_from = Origin::optimized;

  bool operator==(const Model&) const = default;
};

/// Bounds of the parameters while they are optimized.
struct Bounds {
  static constexpr double rate_low = 1e-4, rate_high = 1e4;
  static constexpr double alpha_low = 0.02, alpha_high = 1000;
  static constexpr double frequency_low = 1e-3;
  static constexpr double invariant_high = 0.99;
};

/// Gives for each of the six rates the number of the free parameter it follows (AC first); rates with the number of GT
/// are the unit and stay 1. The count of free parameters is that number.
std::array<int, 6> rate_groups(Family family);

/// Whether the family has equal base frequencies by definition (JC, K80, SYM).
bool has_equal_frequencies(Family family);

/// Gives the relative rates of the model's categories: mean rates of the gamma distribution's equal parts (Yang 1994),
/// divided by the proportion of sites that vary, so that the mean over all sites is 1.
std::vector<double> category_rates(const Model& model);

/// Gives the base frequencies counted in the alignment. Ambiguous codes share their site in proportion to the
/// frequencies themselves (iterated to a fixed point); sites without information count nothing. No frequency is below
/// Bounds::frequency_low.
std::array<double, 4> empirical_frequencies(const Patterns& patterns);

}  // namespace phylo
