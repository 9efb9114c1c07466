#include "phylo/model/protein.hpp"

#include "phylo/io/text.hpp"

namespace phylo {
namespace {

constexpr const ProteinMatrix* all[] = {
    &dayhoff, &dcmut,  &jtt,    &jtt_dcmut, &wag,    &lg,      &vt,       &blosum62, &pmb,      &mt_rev,  &mt_mam,
    &mt_art,  &mt_zoa, &mt_met, &mt_ver,    &mt_inv, &cp_rev,  &stmt_rev, &rt_rev,   &hiv_b,    &hiv_w,   &flu,
    &flavi,   &den,    &q_pfam, &q_pfam_gb, &q_lg,   &q_plant, &q_bird,   &q_mammal, &q_insect, &q_yeast, &poisson};

/// Names that other programs have for the same matrices.
constexpr struct {
  std::string_view name;
  const ProteinMatrix* matrix;
} others[] = {{"JTTDCMut", &jtt_dcmut}, {"DCMut-JTT", &jtt_dcmut}};

constexpr const ProteinMixture* all_mixtures[] = {&lg4m, &lg4x};

}  // namespace

const ProteinMatrix poisson = [] {
  ProteinMatrix equal{"Poisson", {}, {}};
  equal.rates.fill(1);
  equal.frequencies.fill(1.0 / static_cast<double>(equal.frequencies.size()));
  return equal;
}();

std::span<const ProteinMatrix* const> protein_matrices() { return all; }

const ProteinMatrix* find_protein_matrix(std::string_view name) {
  for (const ProteinMatrix* matrix : all)
    if (same_word(matrix->name, name)) return matrix;
  for (const auto& other : others)
    if (same_word(other.name, name)) return other.matrix;
  return nullptr;
}

std::span<const ProteinMixture* const> protein_mixtures() { return all_mixtures; }

const ProteinMixture* find_protein_mixture(std::string_view name) {
  for (const ProteinMixture* mixture : all_mixtures)
    if (same_word(mixture->name, name)) return mixture;
  return nullptr;
}

}  // namespace phylo
