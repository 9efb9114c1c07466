#pragma once
// What IQ-TREE calls the models that RAxML-NG gives other names.

#include <span>
#include <string_view>

namespace phylo {

/// A name of IQ-TREE and the one of RAxML-NG.
struct IqtreeName {
  std::string_view theirs, ours;
};

/// Gives the models of DNA as IQ-TREE writes them.
std::span<const IqtreeName> iqtree_dna_models();

/// Gives the name that RAxML-NG has for what IQ-TREE means (case does not matter), or nothing.
std::string_view find_iqtree_name(std::string_view name);

}  // namespace phylo
