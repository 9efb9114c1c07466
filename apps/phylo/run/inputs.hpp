#pragma once
// What several commands read.

#include <cstddef>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/model/part.hpp"
#include "phylo/model/scheme.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// What several parts have in common of branch lengths.
enum class Linkage {
  linked,    ///< all
  scaled,    ///< all, but each has a speed
  unlinked,  ///< nothing
};
/// Gives the word of `--brlen`.
const char* to_string(Linkage linkage);

/// What the likelihood is computed of.
struct Data {
  Alignment alignment;  ///< without columns that say nothing
  Scheme scheme;
  Parts parts;
  std::size_t width = 0;             ///< columns of the file
  std::vector<std::size_t> columns;  ///< by site: which column (from 0) of the file it is
  std::vector<int> owners;           ///< by site: its part
  Linkage linkage = Linkage::linked;
  std::vector<std::string> notes;  ///< what is odd about the alignment

  bool unlinked() const { return linkage == Linkage::unlinked; }
  int patterns() const;       ///< of all parts
  std::string kinds() const;  ///< "DNA", "DNA and amino acids"
  /// Gives the tree itself, or if branch lengths are unlinked, with the mean of those of the sites.
  Tree mean_lengths(const Tree& tree) const;
  /// Gives the models as they were asked for, with how partitions share branch lengths, in one line: what
  /// results depend on.
  std::string models() const;
};

/// Gives the data of the command: the alignment, which is read as what the models are ones of, without columns that say
/// nothing, taken apart as the models say. What is odd about it is told on standard error, unless quiet.
/// `data_type` is what the user says of it: auto, or an alphabet's word. `brlen` is linked, scaled or
/// unlinked. Throws `input_error` when the alignment is not what the models are ones of, or, with auto, when the text
/// does not look like it.
Data read_data(const std::string& msa, const std::string& data_type, const ModelChoice& choice,
               const std::string& brlen, bool quiet = false);

/// Gives the chosen models. Throws `input_error` when none is given, or two and the file does not need the other one,
/// or when the notation is wrong.
Scheme read_scheme(const ModelChoice& choice);

/// Gives the name of the SIMD instruction set that likelihoods are computed with; throws `input_error` for a
/// MASLIN_SIMD that is not possible here.
const char* instruction_set();

}  // namespace phylo
