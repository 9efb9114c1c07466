#include "phylo/model/iqtree_names.hpp"

#include "phylo/io/text.hpp"

namespace phylo {
namespace {

/// Programs differ in what a name without `e` (equal frequencies), `u` or `uf` (unequal ones) means: TIM2 has unequal
/// frequencies in IQ-TREE, and equal ones in RAxML-NG.
constexpr IqtreeName iqtree_writes[] = {
    {"JC", "JC"},       {"F81", "F81"},      {"K2P", "K80"},     {"HKY", "HKY"},     {"TNe", "TN93ef"},
    {"TN", "TN93"},     {"K3P", "K81"},      {"K3Pu", "K81uf"},  {"TPM2", "TPM2uf"}, {"TPM2u", "TPM2uf"},
    {"TPM3", "TPM3uf"}, {"TPM3u", "TPM3uf"}, {"TIMe", "TIM1"},   {"TIM", "TIM1uf"},  {"TIM2e", "TIM2"},
    {"TIM2", "TIM2uf"}, {"TIM3e", "TIM3"},   {"TIM3", "TIM3uf"}, {"TVMe", "TVMef"},  {"TVM", "TVM"},
    {"SYM", "SYM"},     {"GTR", "GTR"}};

/// Names that it reads and does not write.
constexpr IqtreeName iqtree_reads[] = {
    {"JC69", "JC"},       {"K80", "K80"},       {"HKY85", "HKY"},    {"TN93", "TN93"},   {"TrN", "TN93"},
    {"TNef", "TN93ef"},   {"TrNe", "TN93ef"},   {"TrNef", "TN93ef"}, {"K81", "K81"},     {"TPM1", "K81"},
    {"K81u", "K81uf"},    {"K81uf", "K81uf"},   {"K3Puf", "K81uf"},  {"TPM1u", "K81uf"}, {"TPM1uf", "K81uf"},
    {"TPM2uf", "TPM2uf"}, {"TPM3uf", "TPM3uf"}, {"TIM1", "TIM1uf"},  {"TIM1e", "TIM1"},  {"TIMef", "TIM1"},
    {"TIM1ef", "TIM1"},   {"TIM2ef", "TIM2"},   {"TIM3ef", "TIM3"},  {"TVMef", "TVMef"}, {"REV", "GTR"},
    {"GTR2", "BIN"},      {"JC2", "BIN"}};

}  // namespace

std::span<const IqtreeName> iqtree_dna_models() { return iqtree_writes; }

std::string_view find_iqtree_name(std::string_view name) {
  using Table = std::span<const IqtreeName>;
  for (const Table table : {Table(iqtree_writes), Table(iqtree_reads)})
    for (const IqtreeName& one : table)
      if (same_word(one.theirs, name)) return one.ours;
  return {};
}

}  // namespace phylo
