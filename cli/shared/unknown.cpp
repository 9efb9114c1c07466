#include "cli/shared/unknown.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_word.hpp"
#include "cli/shared/grammar.hpp"

namespace command {

namespace {

std::vector<std::string> all_spellings(const CLI::App& app) {
  std::vector<std::string> all;
  for (const CLI::Option* one : options_of(app))
    for (const std::string& name : spellings_of(*one)) all.push_back(name);
  return all;
}

std::vector<std::string> names_of(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> all;
  for (const CLI::App* one : commands) all.push_back(one->get_name());
  return all;
}

/// Gives the word that is meant by one that is none of these.
std::string nearest(const std::string& written, const std::vector<std::string>& words) {
  return maslin::base::nearest_word(written, words);
}

}  // namespace

std::optional<unknown_word> first_unknown(const std::vector<command_word>& words) {
  for (const command_word& word : words) {
    const std::string here = full_name_of(*word.at);
    if (!word.is_option) {
      if (word.command) continue;
      return unknown_word{word.at, fmt::format("'{}'", word.text), fmt::format("a command of {}", here),
                          nearest(word.text, names_of(commands_of(*word.at)))};
    }
    if (!word.option)
      return unknown_word{word.at, word.text, fmt::format("an option of {}", here),
                          nearest(word.text, all_spellings(*word.at))};
    const auto choices = choices_of(*word.option);
    if (!choices.empty() && std::find(choices.begin(), choices.end(), word.value) == choices.end())
      return unknown_word{word.at, fmt::format("'{}'", word.value), fmt::format("a value of {}", word.text),
                          nearest(word.value, choices)};
  }
  return std::nullopt;
}

}  // namespace command
