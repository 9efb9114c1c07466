#include "cli/shared/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "cli/shared/grammar.hpp"

namespace command {

namespace {

template <class... Arguments>
void add(std::string& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(between)) + word;
  return out;
}

/// Gives the name of a shell function: maslin-phylo becomes _maslin_phylo.
std::string function_of(const CLI::App& app) {
  std::string name = "_" + full_name_of(app);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
  return name;
}

/// Gives the words of a command behind the program's name: "trace info".
std::string path_of(const CLI::App& app) {
  const std::string name = full_name_of(app);
  const auto blank = name.find(' ');
  return blank == name.npos ? "" : name.substr(blank + 1);
}

/// Gives what completes such a value in bash, as arguments of compgen; empty if nothing does.
std::string bash_words(const CLI::Option& option) {
  if (const auto words = choices_of(option); !words.empty()) return fmt::format("-W '{}'", joined(words, " "));
  switch (kind_of(option)) {
    case value_kind::file:
      return "-f";
    case value_kind::folder:
      return "-d";
    case value_kind::program:
      return "-c -f";
    case value_kind::other:
      break;
  }
  return "";
}

void bash_descent(const CLI::App& app, std::string& out) {
  for (const CLI::App* one : commands_of(app)) {
    add(out, "      '{}:{}') path='{}' ;;\n", path_of(app), one->get_name(), path_of(*one));
    bash_descent(*one, out);
  }
}

void bash_values(const CLI::App& app, std::string& out) {
  for (const CLI::Option* one : options_of(app)) {
    if (is_flag(*one)) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : spellings_of(*one)) patterns.push_back(fmt::format("'{}:{}'", path_of(app), name));
    add(out, "    {}) words=\"{}\" ;;\n", joined(patterns, " | "), bash_words(*one));
  }
  for (const CLI::App* one : commands_of(app)) bash_values(*one, out);
}

void bash_words_of(const CLI::App& app, std::string& out) {
  std::vector<std::string> options, commands;
  for (const CLI::Option* one : options_of(app))
    for (const std::string& name : spellings_of(*one)) options.push_back(name);
  for (const CLI::App* one : commands_of(app)) commands.push_back(one->get_name());
  std::string others = commands.empty() ? "" : fmt::format("-W '{}'", joined(commands, " "));
  for (const CLI::Option* one : positionals_of(app)) others += bash_words(*one);
  add(out, "    '{}') options='{}' words=\"{}\" ;;\n", path_of(app), joined(options, " "), others);
  for (const CLI::App* one : commands_of(app)) bash_words_of(*one, out);
}

/// Gives a text that stands in single quotes inside brackets of `_arguments`.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      (out += '\\') += c;
    else
      out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string zsh_action(const CLI::Option& option) {
  if (const auto words = choices_of(option); !words.empty()) return fmt::format("({})", joined(words, " "));
  switch (kind_of(option)) {
    case value_kind::file:
      return "_files";
    case value_kind::folder:
      return "_files -/";
    case value_kind::program:
      return "_command_names -e";
    case value_kind::other:
      break;
  }
  return " ";
}

void zsh_function(const CLI::App& app, std::string& out) {
  for (const CLI::App* one : commands_of(app)) zsh_function(*one, out);
  add(out, "{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n  _arguments -C", function_of(app));
  for (const CLI::Option* one : options_of(app)) {
    const std::string value =
        is_flag(*one) ? "" : fmt::format(":{}:{}", zsh_text(value_name_of(*one)), zsh_action(*one));
    for (const std::string& name : spellings_of(*one))
      add(out, " \\\n    '{}[{}]{}'", name, zsh_text(one->get_description()), value);
  }
  const auto below = commands_of(app);
  if (below.empty()) {
    for (const CLI::Option* one : positionals_of(app))
      add(out, " \\\n    '{}:{}:{}'", one->get_items_expected_max() > 1 ? "*" : "", zsh_text(value_name_of(*one)),
          zsh_action(*one));
    out += "\n}\n\n";
    return;
  }
  out +=
      " \\\n    '1:command:->command' '*::argument:->arguments'\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  for (const CLI::App* one : below) add(out, "        '{}:{}'\n", one->get_name(), zsh_text(one->get_description()));
  out += "      )\n      _describe -t commands command commands ;;\n    arguments)\n      case $line[1] in\n";
  for (const CLI::App* one : below) add(out, "        {}) {} ;;\n", one->get_name(), function_of(*one));
  out += "      esac ;;\n  esac\n}\n\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string out;
  add(out, "# Completes {} in bash.\n{}() {{\n", app.get_name(), function_of(app));
  out +=
      "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} path= options= words= i\n"
      "  if [[ $cur == = ]]; then\n"
      "    cur=\n"
      "  elif [[ $previous == = ]]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD - 2]}\n"
      "  fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case $path:${COMP_WORDS[i]} in\n";
  bash_descent(app, out);
  out += "    esac\n  done\n  case $path in\n";
  bash_words_of(app, out);
  out += "  esac\n  [[ $cur == -* ]] && words=\"-W '$options'\"\n  case $path:$previous in\n";
  bash_values(app, out);
  add(out,
      "  esac\n"
      "  [[ -n $words ]] || return 0\n"
      "  [[ $words == -W* ]] || compopt -o filenames 2>/dev/null\n"
      "  mapfile -t COMPREPLY < <(eval \"compgen $words -- \\\"\\$cur\\\"\")\n"
      "}}\n"
      "complete -F {} {}\n",
      function_of(app), app.get_name());
  return out;
}

std::string zsh_completion(const CLI::App& app) {
  std::string out = fmt::format("#compdef {}\n# Completes {} in zsh.\n\n", app.get_name(), app.get_name());
  zsh_function(app, out);
  // As a file of fpath it is the body of the function itself; sourced, it makes the function known.
  add(out, "if [[ $funcstack[1] == _{} ]]; then\n  {} \"$@\"\nelse\n  compdef {} {}\nfi\n", app.get_name(),
      function_of(app), function_of(app), app.get_name());
  return out;
}

}  // namespace command
