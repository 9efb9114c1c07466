#pragma once
// Models as text, in the notation of RAxML-NG; and read in that of IQ-TREE.

#include <string>
#include <string_view>

#include "phylo/io/error.hpp"
#include "phylo/model/model.hpp"

namespace phylo {

enum class Notation {
  raxml_ng,
  /// Names mean what IQ-TREE 2 means: TIM2 has unequal frequencies, TIM2e equal ones (iqtree_names.hpp). Names that it
  /// does not know are those of RAxML-NG. If nothing is said, frequencies of DNA are counted. +FQ: equal ones. Values
  /// are separated by commas: free rates in the order of AC, AG, AT, CG, CT, over GT's (TN{ag,ct},
  /// GTR{ac,ag,at,cg,ct}); +F{a,c,g,t}; +R2{share,rate,share,rate}. Separated by slashes, they are those of RAxML-NG.
  iqtree,
};

/// Gives the model that the text names:
///
///     GTR+G      GTR+G4+I      HKY{4.2}+FO+I{0.1}      GTR{ac/ag/at/cg/ct/gt}+FU{a/c/g/t}+G4m{alpha}
///
/// Of amino acids: the published matrices of protein.hpp (LG, WAG, JTT ...), which have frequencies of their own unless
/// others are asked for; and PROTGTR, with 190 rates in braces if they are given (row by row in the order
/// ARNDCQEGHILKMFPSTWYV), or a file's in braces, see matrix_file.hpp. Of two states: BIN. Of N = 2 to 20 states:
/// MULTIN_MK (equal rates), MULTIN_GTR.
///
/// Of genotypes: GTJC (equal rates), GTGTR (45 rates); GTGTR4 and GTHKY4, whose rates in braces are one for changes of
/// both bases, then those of AC, AG, AT, CG, CT, GT, or of transversions and transitions.
///
/// Of DNA: 22 families, JC to GTR as RAxML-NG names them, or DNA and six digits as in DNA010020; rates in braces if
/// they are given (K80, HKY: transitions over transversions; others: six). Frequencies: +FO optimized (also of F81,
/// HKY, GTR and the like if nothing is said), +F or +FC counted in the alignment, +FE equal, +FU{a/c/g/t} given. Rates
/// over sites: +G, +G4, +G4m gamma with the mean of each of 4 categories, +GA, +G4a with their medians, shape in braces
/// if it is given; +R, +R4 so many categories with rates and shares of their own, as in +R2{0.5/2}{0.7/0.3} if they are
/// given (their proportions count); +I invariant sites, proportion in braces if it is given, +IC counted in the
/// alignment. +ASC_LEWIS, or +ASC: data without sites that are the same in all taxa; +ASC_FELS{w}: w were left out;
/// +ASC_STAM{a/c/g/t}: so many of each state were. Values in braces are fixed. +BU{s}: sites change s times as fast as
/// branch lengths say. Blanks around are ignored. Throws error naming `source`, the place (the text begins at `start`)
/// and what was expected.
Model parse_model(std::string_view text, std::string_view source = "model", position start = {1, 1},
                  Notation notation = Notation::raxml_ng);

/// Gives the text of a model, with the values that are fixed; parse_model gives the same model back.
std::string to_string(const Model& model);

/// Gives the text of a model with all its values, as fixed ones: what reproduces a likelihood.
std::string to_string_with_values(const Model& model);

/// Gives the word of a correction in the notation: "ASC_LEWIS".
const char* to_string(Ascertainment ascertainment);

}  // namespace phylo
