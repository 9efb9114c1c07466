#pragma once
// Which part of its time a recorded run had a CPU. What others take from it, a recording holds as if it were the
// program's.

#include <optional>
#include <string>

#include "recorded.hpp"

/// Gives that part of the phases, as far as the trace tells it; otherwise that of the whole run, if this command has
/// run it. Nothing if neither is known, as where time was described.
std::optional<double> cpu_share(const recorded& program, std::optional<double> of_whole_run);

/// Gives a line for a part that is too small; otherwise an empty text.
std::string about_cpu_share(std::optional<double> share);
