#pragma once
// Numbers in a command line.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace command {

/// Accepts numbers of which that holds, and says in the message what is expected: "a number above 0". Not CLI::Range,
/// which lets pass what is no number (nan).
CLI::Validator number_that(std::function<bool(double)> holds, const std::string& expected);

/// Accepts numbers from `low` to `high`.
CLI::Validator between(double low, double high);

}  // namespace command
