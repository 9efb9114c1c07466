#include "cli/shared/unknown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

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

const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* one : options_of(app)) {
    const auto spellings = spellings_of(*one);
    if (std::find(spellings.begin(), spellings.end(), name) != spellings.end()) return one;
  }
  return nullptr;
}

/// Gives the word that is meant by one that is none of these.
std::string nearest(const std::string& written, const std::vector<std::string>& words) {
  return maslin::base::nearest_word(written, words);
}

}  // namespace

unknown_word first_unknown(const CLI::App& app, int argc, char** argv) {
  const CLI::App* at = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string here = full_name_of(*at);
    if (word == "--") break;
    if (word.size() > 1 && word[0] == '-') {
      const auto equals = word.starts_with("--") ? word.find('=') : word.npos;
      const std::string name = word.starts_with("--") ? word.substr(0, equals) : word.substr(0, 2);
      const CLI::Option* const option = option_of(*at, name);
      if (!option) return {here, name, fmt::format("an option of {}", here), nearest(name, all_spellings(*at))};
      if (is_flag(*option)) continue;
      std::string value;
      if (equals != word.npos)
        value = word.substr(equals + 1);
      else if (!word.starts_with("--") && word.size() > 2)
        value = word.substr(2);
      else if (++i < argc)
        value = argv[i];
      const auto choices = choices_of(*option);
      if (!choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end())
        return {here, fmt::format("'{}'", value), fmt::format("a value of {}", name), nearest(value, choices)};
      continue;
    }
    const auto below = commands_of(*at);
    if (below.empty()) continue;  // a file, a name
    const auto found =
        std::find_if(below.begin(), below.end(), [&](const auto* one) { return one->get_name() == word; });
    if (found == below.end())
      return {here, fmt::format("'{}'", word), fmt::format("a command of {}", here), nearest(word, names_of(below))};
    at = *found;
  }
  return {full_name_of(*at), "", "", ""};
}

}  // namespace command
