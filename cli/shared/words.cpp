#include "cli/shared/words.hpp"

#include <algorithm>
#include <utility>

#include "cli/shared/grammar.hpp"

namespace command {

namespace {

const CLI::Option* option_of(const CLI::App& app, const std::string& name) {
  for (const CLI::Option* one : options_of(app)) {
    const auto spellings = spellings_of(*one);
    if (std::find(spellings.begin(), spellings.end(), name) != spellings.end()) return one;
  }
  return nullptr;
}

}  // namespace

known_line read_line(const CLI::App& app, int argc, char** argv) {
  known_line line{{}, &app};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") break;
    command_word one;
    one.at = line.command;
    one.text = word;
    if (word.size() > 1 && word[0] == '-') {
      const auto equals = word.starts_with("--") ? word.find('=') : word.npos;
      one.is_option = true;
      one.text = word.starts_with("--") ? word.substr(0, equals) : word.substr(0, 2);
      one.option = option_of(*line.command, one.text);
      if (one.option && !is_flag(*one.option)) {
        if (equals != word.npos)
          one.value = word.substr(equals + 1);
        else if (!word.starts_with("--") && word.size() > 2)
          one.value = word.substr(2);
        else if (++i < argc)
          one.value = argv[i];
      }
    } else {
      const auto below = commands_of(*line.command);
      if (below.empty() && line.command->get_prefix_command()) break;  // a program, with words of its own
      if (below.empty()) continue;                                     // a file, a name
      const auto found =
          std::find_if(below.begin(), below.end(), [&](const auto* command) { return command->get_name() == word; });
      if (found != below.end()) line.command = one.command = *found;
    }
    const bool known = one.option || one.command;
    line.words.push_back(std::move(one));
    if (!known) break;
  }
  return line;
}

}  // namespace command
