#include "cli/shared/grammar.hpp"

#include <algorithm>

namespace command {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* one) { return !one->get_name().empty() && !one->get_group().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->nonpositional() && !one->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options([](const CLI::Option* one) { return one->get_positional(); });
}

std::vector<std::string> spellings_of(const CLI::Option& option) {
  std::vector<std::string> all;
  for (const std::string& name : option.get_lnames()) all.push_back("--" + name);
  for (const std::string& name : option.get_snames()) all.push_back("-" + name);
  return all;
}

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begin = type.find('{'), end = type.find('}');
  std::vector<std::string> all;
  if (begin == type.npos || end == type.npos || end < begin) return all;
  for (auto from = begin + 1; from <= end;) {
    const auto to = std::min(type.find(',', from), end);
    all.push_back(type.substr(from, to - from));
    from = to + 1;
  }
  return all;
}

std::string value_name_of(const CLI::Option& option) {
  if (is_flag(option)) return "";
  const std::string type = option.get_type_name();
  if (const auto choices = type.find('{'); choices != type.npos) return type.substr(choices);
  if (option.get_positional()) return option.get_name(true);
  return type.substr(0, type.find(':'));
}

value_kind kind_of(const CLI::Option& option) {
  const std::string name = value_name_of(option);
  return name == "FILE"      ? value_kind::file
         : name == "FOLDER"  ? value_kind::folder
         : name == "PROGRAM" ? value_kind::program
                             : value_kind::other;
}

std::string full_name_of(const CLI::App& app) {
  const CLI::App* above = app.get_parent();
  return above ? full_name_of(*above) + " " + app.get_name() : app.get_name();
}

}  // namespace command
