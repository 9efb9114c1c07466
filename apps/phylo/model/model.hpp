#pragma once
// How one state turns into another: time-reversible models of DNA, amino acids and other characters, with rates that
// vary over sites.

#include <cstdint>
#include <string>
#include <vector>

#include "phylo/io/alphabet.hpp"
#include "phylo/model/protein.hpp"

namespace phylo {

struct Patterns;

enum class Family {
  dna,              ///< some rates may be tied to each other, and frequencies may be equal by definition
  protein_matrix,   ///< amino acids, rates and frequencies of a published matrix
  protein_mixture,  ///< amino acids, each category of sites with a published matrix of its own
  protein_gtr,      ///< amino acids, all rates free
  binary,           ///< two states, one rate
  multistate_mk,    ///< several states, all rates equal (Lewis 2001)
  multistate_gtr,   ///< several states, all rates free
  genotype_jc,      ///< genotypes, all rates equal
  /// Genotypes: where one base changes, rates of DNA, some of which may be tied; where both do, one rate for all.
  genotype_dna,
  genotype_gtr,  ///< genotypes, all rates free
};

/// Where a parameter's value comes from.
enum class Origin {
  fixed,      ///< given in the notation: never changed
  empirical,  ///< counted in the alignment (frequencies and invariant sites)
  optimized,  ///< maximizes the likelihood
};

/// What is known of sites that are the same in all taxa and were left out of the data.
enum class Ascertainment {
  complete,     ///< nothing was left out
  lewis,        ///< nothing: likelihoods are those of a site given that it varies (Lewis 2001)
  felsenstein,  ///< how many they were (Felsenstein 1992; Leaché et al. 2015)
  stamatakis,   ///< how many of each state they were (Leaché et al. 2015)
};

/// A substitution model. States are in the order of the alphabet's symbols: A, C, G, T of DNA. The rate matrix is q_ij
/// = rate_ij * frequency_j, scaled so that a branch of length 1 means one expected substitution per site, over all
/// sites (invariant ones included).
struct Model {
  Family family = Family::dna;
  /// Of the families dna and genotype_dna: a digit for AC, AG, AT, CG, CT, GT each. Equal ones stand for equal rates;
  /// each new one is the next number (as RAxML-NG and PhyML have it).
  std::string ties = "012345";
  bool equal_frequencies = false;           ///< by definition
  const ProteinMatrix* matrix = nullptr;    ///< of the family protein_matrix
  const ProteinMixture* mixture = nullptr;  ///< of protein_mixture: these count, and not rates and frequencies below
  const Alphabet* alphabet = &dna_alphabet();
  /// Of each pair of states, row by row (AC, AG, AT, CG, CT, GT); the last one is the unit where rates are free.
  std::vector<double> rates = {1, 1, 1, 1, 1, 1};
  Origin rates_from = Origin::optimized;
  std::vector<double> frequencies = {0.25, 0.25, 0.25, 0.25};
  Origin frequencies_from = Origin::optimized;
  int categories = 1;          ///< of the discrete gamma distribution (Yang 1994); 1: no variation
  bool gamma_medians = false;  ///< each has its median rate, not its mean one
  double alpha = 1;            ///< shape of the gamma distribution
  Origin alpha_from = Origin::optimized;
  /// +R (free rates; Yang 1995): relative rates of the categories, whose mean is 1, and their shares of the sites that
  /// vary, which add up to 1. Both are empty where categories are those of the gamma distribution.
  std::vector<double> free_category_rates;
  std::vector<double> free_category_shares;
  Origin free_categories_from = Origin::optimized;
  bool with_invariant = false;                            ///< +I: a proportion of the sites never changes
  double invariant = 0;                                   ///< that proportion, in [0, 1)
  Origin invariant_from = Origin::optimized;              ///< empirical: `count_invariant` counts it
  Ascertainment ascertainment = Ascertainment::complete;  ///< +ASC
  /// How many sites were left out: one number of felsenstein, one for each state of stamatakis.
  std::vector<double> constant_sites;

  /// By how much sites change faster than branch lengths say; optimized only where there are several parts.
  double speed = 1;
  Origin speed_from = Origin::fixed;

  int states() const { return alphabet->states; }
  bool ascertained() const { return ascertainment != Ascertainment::complete; }
  bool has_free_categories() const { return !free_category_shares.empty(); }
  bool operator==(const Model&) const = default;
};

/// Bounds of the parameters while they are optimized.
struct Bounds {
  static constexpr double rate_low = 1e-4, rate_high = 1e4;
  static constexpr double alpha_low = 0.02, alpha_high = 1000;
  static constexpr double frequency_low = 1e-3;
  static constexpr double invariant_high = 0.99;
  static constexpr double speed_low = 1e-2, speed_high = 1e2;
  static constexpr double category_low = 1e-4, category_high = 1e4;  ///< rates and shares of +R, over the last one's
};

/// Gives a model of that family, not of dna, with equal rates and frequencies, nothing of it given.
Model model_of(Family family, const Alphabet& alphabet);
/// Gives a model of DNA, with equal rates and frequencies, nothing of it given.
Model dna_model(const std::string& ties, bool equal_frequencies);
/// Gives the model that has rates and frequencies of a published matrix.
Model model_of(const ProteinMatrix& matrix);
/// Gives the model whose categories have the matrices of a mixture, in this order, with rates over sites as usual.
Model model_of(const ProteinMixture& mixture);
/// Whether the model has the frequencies of its matrix, or of its matrices.
bool has_frequencies_of_matrix(const Model& model);

/// Gives for each rate a number from 0 on; equal ones stand for equal rates. They are those of `ties`, of genotype_dna
/// one more, and 0 where both bases change.
std::vector<int> tied_rates(const Model& model);
/// Gives for each rate the number of the free parameter it follows (AC first); rates with the number of the last one
/// are the unit and stay 1. The count of free parameters is that number.
std::vector<int> rate_groups(const Model& model);
/// Gives that count.
int free_rates(const Model& model);

/// Gives the relative rates of the model's categories: mean rates of the gamma distribution's equal parts (Yang 1994),
/// or free ones, divided by the proportion of sites that vary, so that the mean over all sites is 1; times the speed.
std::vector<double> category_rates(const Model& model);
/// Gives the shares that the categories have of the sites that vary.
std::vector<double> category_shares(const Model& model);

/// Makes the model one of free categories, of which only the proportions of `rates` and `shares` count.
void set_free_categories(Model& model, std::vector<double> rates, std::vector<double> shares);
/// Gives the model the rates over sites (+G, +R, +I) and the ascertainment correction of another one.
void take_rates_over_sites(Model& model, const Model& from);
/// Orders free categories by their rates.
void sort_free_categories(Model& model);

/// Gives the model its proportion of invariant sites, if that is to be counted in the alignment: the share of the sites
/// at which all taxa, as far as something is known of them, have one state; at most Bounds::invariant_high.
void count_invariant(Model& model, const Patterns& patterns);

/// Gives the frequencies of states counted in the alignment. Ambiguous codes share their site in proportion to the
/// frequencies themselves (iterated to a fixed point); sites without information count nothing. No frequency is below
/// Bounds::frequency_low.
std::vector<double> empirical_frequencies(const Patterns& patterns);

}  // namespace phylo
