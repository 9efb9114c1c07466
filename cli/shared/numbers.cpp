#include "cli/shared/numbers.hpp"

#include <charconv>
#include <system_error>
#include <utility>

namespace command {

CLI::Validator number_that(std::function<bool(double)> holds, const std::string& expected) {
  return CLI::Validator(
      [holds = std::move(holds), expected](const std::string& text) {
        double value = 0;
        const bool is_right = CLI::detail::lexical_cast(text, value) && holds(value);
        return is_right ? std::string() : "'" + text + "'; expected " + expected;
      },
      "NUMBER");
}

CLI::Validator between(double low, double high) {
  return number_that([=](double value) { return value >= low && value <= high; },
                     "a number from " + CLI::detail::to_string(low) + " to " + CLI::detail::to_string(high));
}

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  return CLI::Validator(
      [=](std::string& text) {
        std::uint64_t value = 0;
        const char* const end = text.data() + text.size();
        const auto [last, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc() || last != end || value < low || value > high)
          return "'" + text + "'; expected a whole number from " + std::to_string(low) + " to " + std::to_string(high);
        text = std::to_string(value);
        return std::string();
      },
      "");
}

}  // namespace command
