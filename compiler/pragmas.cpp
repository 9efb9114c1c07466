#include "pragmas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/nearest_word.hpp"

namespace compiler {

namespace {

class words {
 public:
  explicit words(const pragma_line& line) : line_(line), rest_(line.words) {}

  bool is_empty() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
    return rest_.empty();
  }
  bool take(char mark) {
    if (is_empty() || rest_[0] != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char mark, std::string_view behind) {
    if (!take(mark)) wrong(fmt::format("expected '{}' behind '{}'{}", mark, behind, found()), behind);
  }
  /// Gives an identifier; empty where none stands.
  std::string word() {
    if (is_empty()) return "";
    std::size_t n = 0;
    while (n < rest_.size() && is_of_word(rest_[n])) ++n;
    if (n == 0 || std::isdigit(static_cast<unsigned char>(rest_[0]))) return "";
    std::string taken(rest_.substr(0, n));
    rest_.remove_prefix(n);
    return taken;
  }
  /// Gives what stands in front of one of the marks, outside of any brackets.
  std::string expression(std::string_view marks, std::string_view of) {
    is_empty();
    int open = 0;
    char quote = 0;
    std::size_t n = 0;
    for (; n < rest_.size(); ++n) {
      const char c = rest_[n];
      if (quote) {
        if (c == '\\') ++n;
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if ((open == 0 && marks.find(c) != std::string_view::npos) || ((c == ')' || c == ']') && --open < 0)) {
        break;
      } else if (c == '(' || c == '[') {
        ++open;
      }
    }
    std::string taken(rest_.substr(0, std::min(n, rest_.size())));
    rest_.remove_prefix(taken.size());
    while (!taken.empty() && std::isspace(static_cast<unsigned char>(taken.back()))) taken.pop_back();
    if (taken.empty()) wrong(fmt::format("expected an expression behind '{}'{}", of, found()), of);
    return taken;
  }
  std::string found() {
    if (is_empty()) return ", found the end of the line";
    const std::string next = word();
    return fmt::format(", found '{}'", next.empty() ? std::string(1, rest_[0]) : next);
  }
  [[noreturn]] void wrong(const std::string& what, std::string_view at) const {
    throw mistake(line_.where, what, std::string(at));
  }
  void expect_end(std::string_view behind) {
    if (!is_empty()) wrong(fmt::format("expected nothing behind '{}'{}", behind, found()), behind);
  }

 private:
  const pragma_line& line_;
  std::string_view rest_;
};

[[noreturn]] void unknown(const words& line, const std::string& found, const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& one : known) list += (list.empty() ? "" : ", ") + one;
  const std::string meant = maslin::base::nearest_word(found, known);
  line.wrong(fmt::format("'{}' means nothing here; {}", found,
                         meant.empty() ? "expected " + list : fmt::format("did you mean {}?", meant)),
             found);
}

constexpr std::array directions = {direction::input, direction::output, direction::inout};

void parse_clause(words& line, pragma& made, direction goes) {
  const std::string clause = name_of(goes);
  line.expect('(', clause);
  do {
    pragma::parameter one{goes, line.word(), {}};
    if (one.name.empty()) line.wrong(fmt::format("{}(): expected a parameter's name{}", clause, line.found()), clause);
    for (const pragma::parameter& other : made.parameters)
      if (other.name == one.name)
        line.wrong(fmt::format("'{}' is named twice; what is read and written is inout", one.name), one.name);
    while (line.take('[')) {
      one.extents.push_back(line.expression("]", one.name + "["));
      line.expect(']', one.extents.back());
    }
    made.parameters.push_back(std::move(one));
  } while (line.take(','));
  line.expect(')', made.parameters.back().name);
}

}  // namespace

const char* name_of(direction one) {
  return one == direction::input ? "input" : one == direction::output ? "output" : "inout";
}

pragma parse(const pragma_line& from) {
  words line(from);
  const std::string what = line.word();
  using enum pragma::kind;
  if (what == "barrier" || what == "start" || what == "finish") {
    line.expect_end(what);
    return {what == "barrier" ? barrier : what == "start" ? start : finish, false, {}, {}};
  }
  if (what == "wait") {
    pragma made{wait_on, false, {}, {}};
    if (const std::string on = line.word(); on != "on")
      line.wrong("expected 'wait on(...)'; 'barrier' waits for all tasks", what);
    line.expect('(', "on");
    do made.expressions.push_back(line.expression(",", "on"));
    while (line.take(','));
    line.expect(')', made.expressions.back());
    line.expect_end(")");
    return made;
  }
  if (what != "task") unknown(line, what, {"task", "barrier", "wait on(...)", "start", "finish"});
  pragma made{task, false, {}, {}};
  while (!line.is_empty()) {
    const std::string clause = line.word();
    const auto goes =
        std::find_if(directions.begin(), directions.end(), [&](auto one) { return clause == name_of(one); });
    if (goes != directions.end())
      parse_clause(line, made, *goes);
    else if (clause == "highpriority")
      made.is_urgent = true;
    else if (clause.empty())
      line.wrong(fmt::format("expected input(...), output(...), inout(...) or highpriority{}", line.found()), "task");
    else
      unknown(line, clause, {"input", "output", "inout", "highpriority"});
  }
  return made;
}

}  // namespace compiler
