#pragma once
// What several commands read.

#include "phylo/io/alignment.hpp"
#include "phylo/model/model.hpp"
#include "phylo/run/commands.hpp"

namespace phylo {

/// Gives the alignment, which is read as what the model is one of, without columns that say nothing; a note on standard
/// error says how many these were, unless quiet. `data_type` is what the user says of it: auto, or an alphabet's word.
/// Throws `input_error` when it is not what the model is one of, or, with auto, when the text does not look like it.
Alignment read_msa(const std::string& file, const std::string& data_type, const Model& model, bool quiet = false);

/// Gives the chosen model. Throws `input_error` when none or two are given, or when the notation is wrong.
Model read_model(const ModelChoice& choice);

/// Gives the name of the SIMD instruction set that likelihoods are computed with; throws `input_error` for a
/// MASLIN_SIMD that is not possible here.
const char* instruction_set();

}  // namespace phylo
