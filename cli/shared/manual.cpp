#include "cli/shared/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "cli/shared/grammar.hpp"

namespace command {

namespace {

/// Gives a text as troff takes it: no line of it is a request, and hyphens can be copied into a shell.
std::string in_troff(std::string_view text) {
  std::string out;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) out += "\\&";
    at_begin = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

class page {
 public:
  explicit page(const CLI::App& app) : app_(app) {}

  std::string write(const manual_facts& facts) {
    add(".TH {} 1 \"\" \"{} {}\" \"Maslin\"\n", in_troff(upper(app_.get_name())), in_troff(app_.get_name()),
        facts.version);
    section("NAME");
    add("{} \\- {}\n", in_troff(app_.get_name()), in_troff(app_.get_description()));
    section("SYNOPSIS");
    const auto commands = all_commands(app_);
    if (commands.empty()) add("{}\n", synopsis(app_));
    for (const CLI::App* one : commands) add(".br\n{}\n", synopsis(*one));
    section("OPTIONS");
    options(app_);
    if (commands.empty())
      footer(app_);
    else
      section("COMMANDS");
    for (const CLI::App* one : commands) command(*one);
    section("EXIT STATUS");
    for (const exit_status& one : exit_statuses) item(one.number, meaning_of(one, facts));
    if (!facts.environment.empty()) {
      section("ENVIRONMENT");
      for (const auto& one : facts.environment) item(one.name, one.meaning);
    }
    if (!facts.see_also.empty()) {
      section("SEE ALSO");
      for (std::size_t i = 0; i < facts.see_also.size(); ++i)
        add("{}{}\n", in_troff(facts.see_also[i]), i + 1 < facts.see_also.size() ? "," : "");
    }
    return out_;
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void section(const char* name) { add(".SH {}\n", name); }

  void item(const std::string& name, const std::string& text) {
    add(".TP\n\\fB{}\\fR\n{}\n", in_troff(name), in_troff(text));
  }

  /// Gives the commands that do something themselves.
  static std::vector<const CLI::App*> all_commands(const CLI::App& app) {
    std::vector<const CLI::App*> all;
    for (const CLI::App* one : commands_of(app)) {
      const auto below = all_commands(*one);
      if (below.empty()) all.push_back(one);
      all.insert(all.end(), below.begin(), below.end());
    }
    return all;
  }

  static std::string synopsis(const CLI::App& command) {
    std::string out = fmt::format("\\fB{}\\fR", in_troff(full_name_of(command)));
    if (options_of(command).size() > 1) out += " [\\fIoptions\\fR]";  // there is --help always
    for (const CLI::Option* one : positionals_of(command)) {
      const std::string name =
          fmt::format("\\fI{}\\fR{}", in_troff(value_name_of(*one)), one->get_items_expected_max() > 1 ? " ..." : "");
      out += one->get_required() ? " " + name : " [" + name + "]";
    }
    if (command.get_prefix_command()) out += " \\fIPROGRAM\\fR [\\fIARGUMENTS\\fR]";
    return out;
  }

  void options(const CLI::App& command) {
    for (const CLI::Option* one : positionals_of(command))
      add(".TP\n\\fI{}\\fR\n{}\n", in_troff(value_name_of(*one)), in_troff(one->get_description()));
    for (const CLI::Option* one : options_of(command)) {
      std::string names;
      for (const std::string& name : spellings_of(*one))
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", in_troff(name));
      if (!is_flag(*one)) names += fmt::format(" \\fI{}\\fR", in_troff(value_name_of(*one)));
      std::string text = one->get_description();
      if (!one->get_default_str().empty()) text += fmt::format(" (default: {})", one->get_default_str());
      if (one->get_required()) text += " (required)";
      if (!one->get_envname().empty()) text += fmt::format(" (environment: {})", one->get_envname());
      add(".TP\n{}\n{}\n", names, in_troff(text));
    }
  }

  void command(const CLI::App& command) {
    add(".SS {}\n{}\n", in_troff(full_name_of(command)), in_troff(command.get_description()));
    options(command);
    footer(command);
  }

  void footer(const CLI::App& command) {
    std::string text = command.get_footer();
    if (text.find_first_not_of('\n') == text.npos) return;
    text.erase(0, text.find_first_not_of('\n'));
    add(".PP\n.nf\n{}\n.fi\n", in_troff(text));
  }

  const CLI::App& app_;
  std::string out_;
};

}  // namespace

std::string meaning_of(const exit_status& status, const manual_facts& facts) {
  const bool is_failure = std::string_view(status.number) == "1" && !facts.failure.empty();
  return is_failure ? facts.failure + ", or " + status.meaning : status.meaning;
}

std::string manual(const CLI::App& app, const manual_facts& facts) { return page(app).write(facts); }

}  // namespace command
