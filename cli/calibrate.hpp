#pragma once
// What this machine takes, measured, as the description of a machine.

#include <string>
#include <vector>

/// Measures for some seconds, under a progress bar, and gives the text of a description (specs/README.md) of this
/// machine: as many workers as this process may use, what the runtime itself takes, caches and memory. `curves`: also
/// how memory saturates, threads on one CPU disturb each other, and what messages take. What is doubtful because the
/// machine is busy stands in a comment, and is said on the standard error. Throws `maslin::error`.
std::string calibrated_description(bool curves);

/// Measures messages between the processes that a launcher starts, and gives the text of that description with them in
/// the place of those that were measured in the same way. Throws `maslin::error`.
std::string description_with_messages(const std::string& file, const std::vector<std::string>& launcher);
