#pragma once
// Published matrices of the rates at which amino acids replace each other, estimated from many proteins.

#include <array>
#include <span>
#include <string_view>

namespace phylo {

/// One of them. Amino acids are in the order of protein_alphabet(): Ala, Arg, Asn, Asp, Cys, Gln, Glu, Gly, His, Ile,
/// Leu, Lys, Met, Phe, Pro, Ser, Thr, Trp, Tyr, Val.
struct ProteinMatrix {
  std::string_view name;
  std::array<double, 190> rates;       ///< lower triangle, row by row: Arg-Ala, Asn-Ala, Asn-Arg, ...; no unit
  std::array<double, 20> frequencies;  ///< as published: they sum to 1 but for their last digit
};

/// Four of them, each for a category of sites: slow ones to fast ones.
struct ProteinMixture {
  std::string_view name;
  std::array<ProteinMatrix, 4> matrices;
  bool free_rates;  ///< of the categories, and so are their shares; otherwise they are those of a gamma distribution
};

// Where programs have different numbers under one name, these are PAML's: cpREV and mtART, and with other last digits
// mtMAM and Dayhoff. Those that PAML does not have are IQ-TREE's (FLU, PMB); stmtREV and DEN are RAxML-NG's. RAxML-NG
// has the frequencies of PMB in fewer digits. LG4M and LG4X are RAxML-NG's, too; IQ-TREE has other last digits of them.

/// Gives all of them.
std::span<const ProteinMatrix* const> protein_matrices();

/// Gives the matrix of that name (case does not matter), or null.
const ProteinMatrix* find_protein_matrix(std::string_view name);

/// Gives all mixtures; the one of that name (case does not matter), or null.
std::span<const ProteinMixture* const> protein_mixtures();
const ProteinMixture* find_protein_mixture(std::string_view name);

// Of proteins of all kinds.
extern const ProteinMatrix dayhoff, dcmut, jtt, jtt_dcmut, wag, lg, vt, blosum62, pmb;
// Not a published one: equal rates and frequencies.
extern const ProteinMatrix poisson;
// Of the proteins of organelles.
extern const ProteinMatrix mt_rev, mt_mam, mt_art, mt_zoa, mt_met, mt_ver, mt_inv, cp_rev, stmt_rev;
// Of the proteins of viruses.
extern const ProteinMatrix rt_rev, hiv_b, hiv_w, flu, flavi, den;
// Mixtures of matrices for proteins of all kinds.
extern const ProteinMixture lg4m, lg4x;
// Of one method (QMaker): of all kinds, and of large groups of organisms.
extern const ProteinMatrix q_pfam, q_pfam_gb, q_lg, q_plant, q_bird, q_mammal, q_insect, q_yeast;

}  // namespace phylo
