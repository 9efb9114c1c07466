#include "base/settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/nearest_word.hpp"
#include "maslin/error.hpp"

namespace maslin {

namespace {

constexpr std::string_view prefix = "MASLIN_";
constexpr std::uint64_t kib = 1024;

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "0";
  return bytes % (kib * kib) == 0 ? fmt::format("{}M", bytes / kib / kib) : fmt::format("{}K", bytes / kib);
}

std::string range_of(const setting& of) {
  if (of.most == setting::no_bound) return fmt::format("{} or more", of.least);
  const bool is_size = of.is == setting::kind::size;
  return is_size ? size_text(of.least) + " to " + size_text(of.most) : fmt::format("{} to {}", of.least, of.most);
}

bool is_setting(std::string_view name) {
  for (const setting& row : base::all_settings)
    if (row.name == name) return true;
  return false;
}

}  // namespace

std::span<const setting> settings() noexcept { return base::all_settings; }

std::string values_of(const setting& of) {
  if (of.is == setting::kind::number || of.is == setting::kind::size) return range_of(of) + " " + std::string(of.unit);
  std::string all(of.form);
  for (const setting_word& one : base::words_of(of)) all += fmt::format("{}`{}`", all.empty() ? "" : ", ", one.word);
  return all;
}

std::string unset_value_of(const setting& of) {
  return of.unset.empty() ? fmt::format("`{}`", of.otherwise) : std::string(of.unset);
}

std::string plain(std::string_view markdown) {
  std::string text;
  bool is_link = false;
  for (std::size_t at = 0; at < markdown.size(); ++at) {
    const char c = markdown[at];
    if (c == '[') {
      is_link = true;
    } else if (c == ']' && is_link) {
      at = std::min(markdown.find(')', at), markdown.size());
      is_link = false;
    } else if (c != '`') {
      text += c;
    }
  }
  return text;
}

std::string given_value_of(const setting& of) {
  const char* const text = base::text_of(of);
  return text ? text : "";
}

std::string_view nearest_setting(std::string_view name) {
  std::vector<std::string> names;
  for (const setting& row : base::all_settings) names.emplace_back(std::string_view(row.name).substr(prefix.size()));
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  const std::string nearest = base::nearest_word(name, names);
  for (const setting& row : base::all_settings)
    if (std::string_view(row.name).substr(prefix.size()) == nearest) return row.name;
  return {};
}

std::vector<misspelt_setting> misspelt_settings() {
  std::vector<misspelt_setting> all;
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with(prefix)) continue;
    const std::string_view name = text.substr(0, text.find('='));
    if (is_setting(name)) continue;
    if (const std::string_view meant = nearest_setting(name); !meant.empty()) all.push_back({std::string(name), meant});
  }
  return all;
}

namespace base {

const char* text_of(known_setting of) noexcept {
  const char* text = std::getenv(of->name);
  return text && *text ? text : nullptr;
}

std::size_t word_of(known_setting of) {
  const char* given = text_of(of);
  const std::string_view text = given ? given : of->otherwise;
  const auto place = find_word(of, text);
  if (!place) fail(of, text);
  return *place;
}

std::optional<std::uint64_t> number_of(known_setting of) {
  const char* given = text_of(of);
  const std::string_view text = given ? given : of->otherwise;
  if (text.empty()) return std::nullopt;
  return parse_number(of, text);
}

std::span<const setting_word> words_of(const setting& of) noexcept {
  std::size_t count = 0;
  while (count < setting::most_words && !of.words[count].word.empty()) ++count;
  return {of.words, count};
}

std::optional<std::size_t> find_word(known_setting of, std::string_view text) noexcept {
  const auto words = words_of(of.row());
  for (std::size_t place = 0; place < words.size(); ++place)
    if (words[place].word == text) return place;
  return std::nullopt;
}

std::uint64_t parse_number(known_setting of, std::string_view text) {
  std::uint64_t number = 0;
  const char* const behind = text.data() + text.size();
  const auto [end, failed] = std::from_chars(text.data(), behind, number);
  const std::string_view suffix(end, static_cast<std::size_t>(behind - end));
  const bool is_size = of->is == setting::kind::size;
  const std::uint64_t scale = suffix.empty()             ? 1
                              : is_size && suffix == "K" ? kib
                              : is_size && suffix == "M" ? kib * kib
                                                         : 0;
  if (failed != std::errc() || scale == 0 || number > of->most / scale || number * scale < of->least) fail(of, text);
  return number * scale;
}

void check(const setting& of, std::string_view text) {
  if (of.is == setting::kind::words && !find_word(of, text)) fail(of, text);
  if (of.is == setting::kind::number || of.is == setting::kind::size) parse_number(of, text);
}

std::string expected(known_setting of, std::string_view text) {
  if (of->is == setting::kind::number || of->is == setting::kind::size)
    return fmt::format("expected a number of {}{}{}{}", of->unit, of->most == setting::no_bound ? ", " : " from ",
                       range_of(of.row()), of->is == setting::kind::size ? ", such as 256K or 1M" : "");
  if (of->is != setting::kind::words) return "expected " + plain(values_of(of.row()));
  std::string all = "expected ";
  std::vector<std::string> names;
  const auto words = words_of(of.row());
  for (const setting_word& one : words) {
    names.emplace_back(one.word);
    all += one.word;
    if (!one.meaning.empty()) all += fmt::format(" ({})", one.meaning);
    all += &one == &words.back() ? "" : &one == &words.back() - 1 ? " or " : ", ";
  }
  const std::string nearest = nearest_word(text, names);
  return nearest.empty() ? all : fmt::format("{}, did you mean '{}'?", all, nearest);
}

void fail(known_setting of, std::string_view text, std::string_view found) {
  const std::string what =
      found.empty() ? expected(of, text) : fmt::format("{}; write {}", found, plain(values_of(of.row())));
  throw error(fmt::format("{}={}: {}; if not set: {}", of->name, text, what, plain(unset_value_of(of.row()))));
}

void tell_misspelt_settings() {
  static const bool told = [] {
    for (const misspelt_setting& one : misspelt_settings())
      std::fprintf(stderr, "maslin: %s is not a setting; did you mean %s?\n", one.name.c_str(), one.meant.data());
    return true;
  }();
  (void)told;
}

}  // namespace base

}  // namespace maslin
