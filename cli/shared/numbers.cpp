#include "cli/shared/numbers.hpp"

#include <algorithm>
#include <cstddef>
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

CLI::Validator size() {
  return CLI::Validator(
      [units = CLI::AsSizeValue(false)](std::string& text) {
        const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
        const bool is_right = digits > 0 && text.find_first_of("0123456789-+.", digits) == text.npos;
        if (!is_right) return "'" + text + "'; expected a size in bytes, as 200000, 256K or 2M";
        text.erase(0, std::min(text.find_first_not_of('0'), digits - 1));
        return units(text);
      },
      "SIZE [b, kb(=1024b), ...]");
}

}  // namespace command
