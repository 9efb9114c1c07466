#include "cli/shared/repeated.hpp"

#include <fmt/format.h>

#include <map>

namespace command {

std::string first_repeated(const std::vector<command_word>& words) {
  std::map<const CLI::Option*, std::vector<std::string>> given;
  for (const command_word& word : words)
    if (word.option && word.option->get_expected_max() == 1)
      given[word.option].push_back(fmt::format("'{}'", word.value));
  for (const command_word& word : words) {
    const auto found = given.find(word.option);
    if (found == given.end() || found->second.size() < 2) continue;
    std::vector<std::string>& values = found->second;
    const std::string last = values.back();
    const std::size_t times = values.size();
    values.pop_back();
    return fmt::format("{} is given {}: {} and {}; give one of them", word.text,
                       times == 2 ? "twice" : fmt::format("{} times", times), fmt::join(values, ", "), last);
  }
  return {};
}

}  // namespace command
