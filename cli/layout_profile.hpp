#pragma once
// What a recording on one worker says to the model of layered parallelism.

#include <string>

#include "model/layers/profile.hpp"
#include "recorded.hpp"

/// Gives the profile of a recorded program; `moves`: with what loops say they move. Throws `maslin::error`, naming
/// `trace`, if it was recorded on several workers or has no phase.
maslin::layers::profile profile_of(const recorded& program, const std::string& trace, bool moves = true);

/// Tells `alone` how much its phases are slowed by each worker that computes beside them: `beside` is the profile of
/// the same program beside so many copies of it. Throws `maslin::error` if it has no such phase there.
void add_neighbours(maslin::layers::profile& alone, const maslin::layers::profile& beside, int copies);
