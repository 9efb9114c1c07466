#include "source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>

namespace compiler {

namespace {

/// Calls `take(line)` for each line of a text.
template <class Take>
void each_line(std::string_view text, Take&& take) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    take(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

constexpr std::string_view pragma_name = "maslin_css_pragma_";

/// Gives what follows if the line begins with these words, which may be apart; otherwise nothing.
std::string_view after(std::string_view line, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    if (!line.starts_with(word)) return {};
    line.remove_prefix(word.size());
  }
  if (!line.empty() && is_of_word(line[0])) return {};
  return line.empty() ? std::string_view(" ") : line;
}

std::string line_of_file(const place& at) {
  std::ifstream in(at.file);
  std::string line;
  for (int i = 0; i < at.line && std::getline(in, line); ++i) {
  }
  return in ? line : "";
}

}  // namespace

bool is_of_word(char one) { return std::isalnum(static_cast<unsigned char>(one)) || one == '_'; }

std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

void say(const place& where, std::string_view kind, std::string_view what, std::string_view word) {
  const std::string line = line_of_file(where);
  std::size_t at = std::string::npos;
  if (!word.empty()) {
    const auto goes_on = [&](std::size_t i) { return i < line.size() && is_of_word(line[i]); };
    const std::size_t css = line.find("css");
    at = line.find(word, css == std::string::npos ? 0 : css);
    while (at != std::string::npos && goes_on(at) && ((at > 0 && goes_on(at - 1)) || goes_on(at + word.size())))
      at = line.find(word, at + 1);
  }
  if (at == std::string::npos) at = std::min(line.find_first_not_of(" \t"), line.size());
  fmt::print(stderr, "{}:{}:{}: {}: {}\n", where.file, where.line, at + 1, kind, what);
  if (line.empty()) return;
  std::string before = line.substr(0, at);
  for (char& c : before)
    if (c != '\t') c = ' ';
  fmt::print(stderr, "{:5} | {}\n      | {}^\n", where.line, line, before);
}

const source::line& source::line_of(std::size_t offset) const {
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                     [](std::size_t at, const line& one) { return at < one.offset; });
  return *(next - 1);
}

place source::where(std::size_t offset) const {
  const line& at = line_of(offset);
  return {files_[static_cast<std::size_t>(at.file)], at.number};
}

std::string source::marker(std::size_t offset, bool as_system) const {
  const line& at = line_of(offset);
  return fmt::format("# {} {}{}\n", at.number, quoted(files_[static_cast<std::size_t>(at.file)]),
                     as_system || at.is_system ? " 3" : "");
}

source read(const std::string& preprocessed, const std::function<std::string(const std::string&)>& expand) {
  source made;
  made.text.reserve(preprocessed.size());
  made.files_.emplace_back("<unknown>");
  std::string macros;  // their definitions in order, and the pragmas between them
  int file = 0, number = 1;
  bool is_system = false;
  each_line(preprocessed, [&](std::string_view line) {
    made.lines_.push_back({made.text.size(), file, number, is_system});
    if (line.starts_with("# ") && line.size() > 2 && std::isdigit(static_cast<unsigned char>(line[2]))) {
      // # LINE "FILE" FLAGS
      number = std::atoi(line.data() + 2);
      const std::size_t open = line.find('"');
      std::string name;
      std::size_t at = open == std::string_view::npos ? line.size() : open + 1;
      for (; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size()) ++at;
        name += line[at];
      }
      const std::string_view flags = at < line.size() ? line.substr(at + 1) : std::string_view();
      is_system = flags.find('3') != std::string_view::npos;
      const auto known = std::find(made.files_.begin(), made.files_.end(), name);
      file = static_cast<int>(known - made.files_.begin());
      if (known == made.files_.end()) made.files_.push_back(name);
      made.text += line;
    } else if (line.starts_with("#define ") || line.starts_with("#undef ")) {
      if (line.find(" __STDC") == std::string_view::npos) (macros += line) += '\n';
      ++number;
    } else if (const std::string_view words = after(line, {"#", "pragma", "css"}); !words.empty()) {
      macros += fmt::format("{}{} {}\n", pragma_name, made.pragmas.size(), words);
      made.pragmas.push_back({made.text.size(), {made.files_[static_cast<std::size_t>(file)], number}, ""});
      ++number;
    } else {
      made.text += line;
      ++number;
    }
    made.text += '\n';
  });
  made.lines_.push_back({made.text.size(), file, number, is_system});
  if (made.pragmas.empty()) return made;

  each_line(expand(macros), [&](std::string_view line) {
    if (!line.starts_with(pragma_name)) return;
    const std::size_t index = std::strtoul(line.data() + pragma_name.size(), nullptr, 10);
    const std::size_t words = std::min(line.find(' '), line.size());
    if (index < made.pragmas.size()) made.pragmas[index].words = line.substr(words);
  });
  return made;
}

}  // namespace compiler
