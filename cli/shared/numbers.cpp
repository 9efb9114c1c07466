#include "cli/shared/numbers.hpp"

#include <charconv>
#include <cstdint>
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

CLI::Validator size() {
  return CLI::Validator(
      [units = CLI::AsSizeValue(false)](std::string& text) {
        const std::string said = text;
        std::uint64_t number = 0;
        const auto [rest, error] = std::from_chars(said.data(), said.data() + said.size(), number);
        const std::string unit(rest, said.data() + said.size());
        if (error == std::errc() && unit.find_first_of("0123456789-+.") == unit.npos) try {
            text = std::to_string(number) + unit;
            return units(text);
          } catch (const CLI::ValidationError&) {  // no unit, or too much
          }
        return "'" + said + "'; expected a size in bytes, as 200000, 256K or 2M";
      },
      "SIZE [b, kb(=1024b), ...]");
}

}  // namespace command
