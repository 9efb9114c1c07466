#include "cli/shared/numbers.hpp"

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

}  // namespace command
