#pragma once
// Numbers in a command line.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace command {

/// Accepts numbers of which that holds, and says in the message what is expected: "a number above 0". Not CLI::Range,
/// which lets pass what is no number (nan).
CLI::Validator number_that(std::function<bool(double)> holds, const std::string& expected);

/// Accepts numbers from `low` to `high`.
CLI::Validator between(double low, double high);

/// Accepts whole numbers from `low` to `high` in decimal digits, exact up to the largest. Not CLI::Range, which takes
/// 2^64 and more, and -1, as other numbers. To be given to Option::transform, not to Option::check: it drops zeros in
/// front, with which CLI11 would read the number as octal.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

}  // namespace command
