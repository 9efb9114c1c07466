#pragma once
// What several commands read.

#include "phylo/model/model.hpp"
#include "phylo/run/commands.hpp"

namespace phylo {

/// Gives the chosen model. Throws `input_error` when none or two are given, or when the notation is wrong.
Model read_model(const ModelChoice& choice);

/// Gives the name of the SIMD instruction set that likelihoods are computed with; throws `input_error` for a MASLIN_SIMD
/// that is not possible here.
const char* instruction_set();

}  // namespace phylo
