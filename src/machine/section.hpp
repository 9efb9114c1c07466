#pragma once
// A description's tables while they are read: every complaint names file, line and column.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest_word.hpp"
#include "maslin/error.hpp"

namespace maslin::machine {

/// Bounds of a number, both inclusive.
struct bounds {
  double least;
  double most;
};
inline constexpr bounds a_count{1, 1e9};
inline constexpr bounds a_size{1, 1e18};
inline constexpr bounds a_store{1 << 10, 1 << 30};  // bytes; as MASLIN_STORE
inline constexpr bounds a_speed{1e-6, 1e6};
inline constexpr bounds a_time{0, 1e9};   // of one step: virtual time ends after 9e12 us
inline constexpr bounds a_core{1, 1024};  // of hardware threads
inline constexpr bounds a_bandwidth{1e-6, 1e9};

class document {
 public:
  document(const std::string& path, std::string_view text) : path_(path) {
    try {
      root_ = toml::parse(text, path);
    } catch (const toml::parse_error& e) {
      fail(e.source(), fmt::format("this is not TOML: {}", e.description()));
    }
  }

  [[noreturn]] void fail(const toml::source_region& at, const std::string& what) const {
    throw error(fmt::format("{}:{}:{}: {}", path_, std::max<std::uint32_t>(at.begin.line, 1),
                            std::max<std::uint32_t>(at.begin.column, 1), what));
  }

  const toml::table& root() const { return root_; }

 private:
  std::string path_;
  toml::table root_;
};

/// One table of the document while it is read; what was not asked for is unknown.
class section {
 public:
  section(const document& in, const toml::table& table, std::string name)
      : in_(in), table_(table), name_(std::move(name)) {}

  bool has(std::string_view key) {
    known_.emplace_back(key);
    return table_.contains(key);
  }

  std::string text(std::string_view key) {
    const toml::node& node = need(key);
    const auto value = node.value_exact<std::string>();
    if (!value) wrong_type(node, key, "a text in quotes");
    if (value->empty()) in_.fail(node.source(), fmt::format("'{}' is empty; expected a text", full(key)));
    return *value;
  }

  std::string text_or(std::string_view key, std::string otherwise) {
    return has(key) ? text(key) : std::move(otherwise);
  }

  double number(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    if (!node.is_number()) wrong_type(node, key, "a number");
    const double value = node.is_integer() ? static_cast<double>(*node.value<std::int64_t>()) : *node.value<double>();
    if (!(value >= within.least && value <= within.most)) out_of_range(node, key, value, within);
    return value;
  }

  std::optional<double> optional_number(std::string_view key, bounds within) {
    return has(key) ? std::optional(number(key, within)) : std::nullopt;
  }

  std::int64_t whole(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    if (!node.is_integer()) wrong_type(node, key, "a whole number");
    const std::int64_t value = *node.value<std::int64_t>();
    const auto as_number = static_cast<double>(value);
    if (!(as_number >= within.least && as_number <= within.most)) out_of_range(node, key, as_number, within);
    return value;
  }

  /// At least one number.
  std::vector<double> numbers(std::string_view key, bounds within) {
    const toml::node& node = need(key);
    const toml::array* const all = node.as_array();
    if (!all || all->empty()) wrong_type(node, key, "numbers in brackets, such as [1, 2, 4]");
    std::vector<double> values;
    for (const toml::node& element : *all) {
      if (!element.is_number()) wrong_type(element, key, "numbers in brackets, such as [1, 2, 4]");
      const double value = *element.value<double>();
      if (!(value >= within.least && value <= within.most)) out_of_range(element, key, value, within);
      values.push_back(value);
    }
    return values;
  }

  int count(std::string_view key) { return static_cast<int>(whole(key, a_count)); }
  int count_or(std::string_view key, int otherwise, bounds within = a_count) {
    return has(key) ? static_cast<int>(whole(key, within)) : otherwise;
  }

  /// At least one text, none empty.
  std::vector<std::string> texts(std::string_view key) {
    const toml::node& node = need(key);
    const toml::array* const all = node.as_array();
    constexpr std::string_view expected = "texts in brackets, such as [\"EIB\"]";
    if (!all || all->empty()) wrong_type(node, key, expected);
    std::vector<std::string> values;
    for (const toml::node& element : *all) {
      const auto value = element.value_exact<std::string>();
      if (!value || value->empty()) wrong_type(element, key, expected);
      values.push_back(*value);
    }
    return values;
  }

  /// Gives the place of the word in `words`.
  std::size_t one_of(std::string_view key, const std::vector<std::string>& words) {
    const std::string word = text(key);
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end())
      in_.fail(table_.get(key)->source(),
               fmt::format("'{}' is \"{}\"; expected one of {}", full(key), word, fmt::join(words, ", ")));
    return static_cast<std::size_t>(at - words.begin());
  }

  std::optional<section> table(std::string_view key) {
    if (!has(key)) return std::nullopt;
    const toml::node& node = *table_.get(key);
    if (!node.is_table()) wrong_type(node, key, fmt::format("a table, [{}]", full(key)));
    return section(in_, *node.as_table(), full(key));
  }

  section needed_table(std::string_view key) {
    need(key);
    return *table(key);
  }

  std::vector<section> tables(std::string_view key) {
    std::vector<section> all;
    if (!has(key)) return all;
    const toml::node& node = *table_.get(key);
    if (!node.is_array()) wrong_type(node, key, fmt::format("tables, each headed [[{}]]", full(key)));
    for (const toml::node& element : *node.as_array()) {
      if (!element.is_table()) wrong_type(element, key, fmt::format("tables, each headed [[{}]]", full(key)));
      all.emplace_back(in_, *element.as_table(), full(key));
    }
    return all;
  }

  /// Every number carries its source.
  std::string source() { return text("source"); }

  /// Complains about what `key` says together with others.
  [[noreturn]] void fail_at(std::string_view key, const std::string& what) const {
    const toml::node* node = table_.get(key);
    in_.fail(node ? node->source() : table_.source(), what);
  }

  /// Complains about the first key that nobody asked for.
  void done() const {
    for (const auto& [key, value] : table_) {
      if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
      const std::string guess = base::nearest_word(key.str(), known_);
      in_.fail(key.source(),
               fmt::format("unknown key '{}'{}; expected here: {}", full(key.str()),
                           guess.empty() ? "" : fmt::format(", did you mean '{}'?", guess), fmt::join(known_, ", ")));
    }
  }

 private:
  std::string full(std::string_view key) const {
    return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
  }

  const toml::node& need(std::string_view key) {
    if (!has(key)) {
      for (const auto& [found, value] : table_)  // a slip in the name is a likelier cause than its absence
        if (base::nearest_word(found.str(), {std::string(key)}) == key)
          in_.fail(found.source(),
                   fmt::format("unknown key '{}', did you mean '{}', which is missing?", full(found.str()), full(key)));
      in_.fail(table_.source(), fmt::format("missing key '{}'{}; specs/README.md says what it means", full(key),
                                            name_.empty() ? "" : fmt::format(" in [{}]", name_)));
    }
    return *table_.get(key);
  }

  [[noreturn]] void wrong_type(const toml::node& node, std::string_view key, std::string_view expected) const {
    static const std::map<toml::node_type, std::string_view> names = {
        {toml::node_type::table, "a table"},     {toml::node_type::array, "an array"},
        {toml::node_type::string, "a text"},     {toml::node_type::integer, "a whole number"},
        {toml::node_type::boolean, "a boolean"}, {toml::node_type::floating_point, "a number with a fraction"}};
    const auto name = names.find(node.type());
    in_.fail(node.source(), fmt::format("'{}' is {}; expected {}", full(key),
                                        name == names.end() ? "a date or time" : name->second, expected));
  }

  [[noreturn]] void out_of_range(const toml::node& node, std::string_view key, double value, bounds within) const {
    in_.fail(node.source(), fmt::format("'{}' is {}; expected {} to {}", full(key), value, within.least, within.most));
  }

  const document& in_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> known_;
};

}  // namespace maslin::machine
