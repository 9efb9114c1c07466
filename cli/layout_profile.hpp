#pragma once
// What a recording on one worker says to the model of layered parallelism.

#include <string>

#include "model/layers/profile.hpp"
#include "recorded.hpp"

/// Gives the profile of a recorded program. Throws `maslin::error`, naming `trace`, if it was recorded on several
/// workers or has no phase.
maslin::layers::profile profile_of(const recorded& program, const std::string& trace);
