// `maslin settings`: the variables of the environment that Maslin reads.

#include "maslin/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "json_text.hpp"
#include "maslin/error.hpp"
#include "output.hpp"

namespace {

using json = nlohmann::ordered_json;
using maslin::plain;
using maslin::setting;

constexpr std::string_view places[] = {"everywhere", "on this machine, not on described ones", "on described machines",
                                       "in maslin-phylo"};
constexpr std::string_view kinds[] = {"words", "number", "size", "file", "text"};

std::string_view place_of(const setting& s) { return places[static_cast<std::size_t>(s.counts)]; }

/// Gives the lines of a text that is at most so wide; a word that is wider is cut.
std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    std::size_t end = text.rfind(' ', width);
    if (end == 0 || end == std::string_view::npos) end = width;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(text[end] == ' ' ? end + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

constexpr std::size_t columns = 5;
constexpr std::array<std::size_t, columns> widths{19, 28, 14, 14, 37};  // and two blanks between them: 120

std::string row_of(const std::array<std::string, columns>& cells) {
  std::array<std::vector<std::string>, columns> parts;
  std::size_t height = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    parts[c] = wrap(cells[c], widths[c]);
    height = std::max(height, parts[c].size());
  }
  std::string all;
  for (std::size_t l = 0; l < height; ++l) {
    std::string one;
    for (std::size_t c = 0; c < columns; ++c)
      one += fmt::format("{:<{}}", l < parts[c].size() ? parts[c][l] : "", widths[c] + 2);
    line(all, "{}", one.substr(0, one.find_last_not_of(' ') + 1));
  }
  return all;
}

std::string list() {
  std::string out = row_of({"setting", "values", "if not set", "now", "what it does"});
  std::string_view place;
  for (const setting& s : maslin::settings()) {
    if (place != place_of(s)) line(out, "\n{}", place_of(s));
    place = place_of(s);
    const std::string now = maslin::given_value_of(s);
    out += row_of({s.name, plain(values_of(s)), plain(unset_value_of(s)),
                   problem_with(s).empty() ? now : now + " (bad)", plain(s.help)});
  }
  return out;
}

std::string details_of(const setting& s) {
  std::string out;
  constexpr std::size_t width = 120;
  line(out, "{}", s.name);
  for (const std::string_view text : {s.help, s.more})
    if (!text.empty())
      for (const std::string& one : wrap(plain(text), width)) line(out, "{}", one);
  line(out, "");
  line(out, "where       {}", place_of(s));
  const std::string values = plain(values_of(s));
  const char* title = "values";
  for (const std::string& one : wrap(values, width - 12)) line(out, "{:<12}{}", std::exchange(title, ""), one);
  for (const maslin::setting_word& one : s.words)
    if (!one.meaning.empty()) line(out, "{:<12}{}: {}", "", one.word, one.meaning);
  line(out, "if not set  {}", plain(unset_value_of(s)));
  const std::string now = maslin::given_value_of(s);
  line(out, "now         {}", now.empty() ? "not set" : now);
  return out;
}

std::string markdown() {
  std::string out;
  std::string_view place;
  for (const setting& s : maslin::settings()) {
    if (place != place_of(s)) {
      line(out, "{}These count {}:\n\n| variable | value | if not set | what it does |\n|---|---|---|---|",
           place.empty() ? "" : "\n", place_of(s));
      place = place_of(s);
    }
    line(out, "| `{}` | {} | {} | {}{}{} |", s.name, values_of(s), unset_value_of(s), s.help, s.more.empty() ? "" : " ",
         s.more);
  }
  return out;
}

json as_json(const setting& s) {
  const auto text_or_null = [](std::string_view text) { return text.empty() ? json(nullptr) : json(text); };
  json out = {{"name", s.name},
              {"kind", kinds[static_cast<std::size_t>(s.is)]},
              {"where", place_of(s)},
              {"values", plain(values_of(s))}};
  for (const maslin::setting_word& one : s.words)
    if (!one.word.empty()) out["words"].push_back({{"word", one.word}, {"meaning", text_or_null(one.meaning)}});
  if (!s.unit.empty()) {
    out["least"] = s.least;
    out["most"] = s.most == setting::no_bound ? json(nullptr) : json(s.most);
    out["unit"] = s.unit;
  }
  out["if_not_set"] = plain(unset_value_of(s));
  out["now"] = text_or_null(maslin::given_value_of(s));
  out["problem"] = text_or_null(problem_with(s));
  out["help"] = plain(s.help);
  out["more"] = text_or_null(plain(s.more));
  return out;
}

const setting& named(const std::string& name) {
  for (const setting& s : maslin::settings())
    if (s.name == name) return s;
  const std::string_view meant = maslin::nearest_setting(name);
  throw maslin::error(
      fmt::format("{} is not a setting; {}", name,
                  meant.empty() ? "`maslin settings` lists all" : fmt::format("did you mean {}?", meant)));
}

struct wishes {
  std::string name;
  bool as_json = false;
  bool as_markdown = false;
};

void run(const wishes& wish) {
  const auto of = wish.name.empty() ? maslin::settings() : std::span<const setting>(&named(wish.name), std::size_t{1});
  if (wish.as_markdown) return fmt::print("{}", markdown());
  if (wish.as_json) {
    json all = json::array();
    for (const setting& s : of) all.push_back(as_json(s));
    fmt::print("{}\n", json_text(wish.name.empty() ? all : all[0]));
  } else {
    fmt::print("{}", wish.name.empty() ? list() : details_of(of[0]));
  }
  std::fflush(stdout);
  if (wish.name.empty())
    for (const maslin::misspelt_setting& one : maslin::misspelt_settings())
      fmt::print(stderr, "maslin: {} is not a setting; did you mean {}?\n", one.name, one.meant);
  int problems = 0;
  for (const setting& s : of)
    if (const std::string problem = problem_with(s); !problem.empty()) {
      fmt::print(stderr, "maslin: {}\n", problem);
      ++problems;
    }
  constexpr int wrong_request = 2;
  if (problems > 0) throw CLI::RuntimeError(wrong_request);
}

}  // namespace

void add_settings(CLI::App& app) {
  auto wish = std::make_shared<wishes>();
  CLI::App* command =
      app.add_subcommand("settings", "The variables of the environment: what they may be, what they are, what they do");
  command->add_option("NAME", wish->name, "Only this one, in detail");
  auto* form = command->add_flag("--json", wish->as_json, "Print JSON");
  command->add_flag("--markdown", wish->as_markdown, "Print the tables of docs/environment.md")->excludes(form);
  command->callback([wish] { run(*wish); });
}
