#pragma once
// A matrix of one's own, in the form of PAML, which other programs read as well.

#include <string>

#include "phylo/model/model.hpp"

namespace phylo {

/// Gives the model the rates and frequencies of a file, fixed: for N states N (N - 1) / 2 rates, the lower triangle of
/// the matrix row by row (Arg-Ala, Asn-Ala, Asn-Arg ...; C-A, G-A, G-C ...), and N frequencies, separated by blanks and
/// ends of lines. What follows is ignored, as PAML's files end with remarks. Throws `input_error` with the place.
void read_matrix(const std::string& file, Model& model);

}  // namespace phylo
