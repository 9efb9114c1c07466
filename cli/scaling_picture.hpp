#pragma once
// The picture of how a program scales.

#include <string>

#include "scaling.hpp"

/// Gives an SVG: speed-up by workers, both axes doubling, with what bounds it: the workers themselves, and work / span.
std::string scaling_picture(const std::string& program, const std::string& machine, const scaling& s);
