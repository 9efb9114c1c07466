#pragma once
// Curves that `maslin machine --calibrate` measures for the model of layered parallelism (ps3-cluster, 3.1 and 4).

#include <string>
#include <vector>

#include "steady.hpp"

/// Gives the points of one curve, as the arrays of a description: "bytes = [...]\nus = [...]\nerror_us = [...]\n".
std::string arrays_of(const std::vector<curve_point>& points, const char* at, const char* is, const char* error);

/// Measures α(p), messages between ranks of one process, and gives the groups of a description that say them: so many
/// figures, `curve_figures(workers)`.
std::string message_and_sharing_groups(int workers, steady& figures);
int curve_figures(int workers);
