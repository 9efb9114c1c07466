#pragma once
// Numbers in a command line.

#include <CLI/CLI.hpp>
#include <charconv>
#include <concepts>
#include <functional>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

namespace command {

/// Accepts numbers of which that holds, and says in the message what is expected: "a number above 0". Not CLI::Range,
/// which lets pass what is no number (nan).
CLI::Validator number_that(std::function<bool(double)> holds, const std::string& expected);

/// Accepts numbers from `low` to `high`.
CLI::Validator between(double low, double high);

/// Accepts whole numbers from `low` to `high` in decimal digits, exact up to the largest. Not CLI::Range, which takes
/// 010 for 8, and of unsigned ones 2^64 and -1 for other numbers. To be given to Option::transform, not to
/// Option::check: it drops zeros in front, with which CLI11 would read the number as octal.
template <std::integral Number>
CLI::Validator whole_number(std::type_identity_t<Number> low, Number high) {
  const bool bounded = high != std::numeric_limits<Number>::max();
  return CLI::Validator(
      [=](std::string& text) {
        Number value = 0;
        const char* const end = text.data() + text.size();
        const auto [last, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || last != end || value < low || value > high)
          return "'" + text + "'; expected a whole number from " + std::to_string(low) + " to " + std::to_string(high);
        text = std::to_string(value);
        return std::string();
      },
      bounded ? std::to_string(low) + " to " + std::to_string(high) : std::string());
}

/// Accepts sizes in bytes below 2^64, as 200000, 256K or 2M, in decimal digits. Not CLI::AsSizeValue alone, which takes
/// 010K for 8K, and -1 and 2^64 for 2^64 - 1. To be given to Option::transform.
CLI::Validator size();

}  // namespace command
