#pragma once
// What several commands read.

#include "phylo/io/alignment.hpp"
#include "phylo/model/model.hpp"
#include "phylo/run/commands.hpp"

namespace phylo {

/// Gives the alignment without columns that say nothing; a note on standard error says how many these were, unless
/// quiet.
Alignment read_msa(const std::string& file, bool quiet = false);

/// Gives the chosen model. Throws `input_error` when none or two are given, or when the notation is wrong.
Model read_model(const ModelChoice& choice);

/// Gives the name of the SIMD instruction set that likelihoods are computed with; throws `input_error` for a
/// MASLIN_SIMD that is not possible here.
const char* instruction_set();

}  // namespace phylo
