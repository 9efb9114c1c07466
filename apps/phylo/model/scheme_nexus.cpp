// Partitions in NEXUS.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "phylo/io/formats.hpp"
#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/model/site_ranges.hpp"

namespace phylo {
namespace {

constexpr const char* nexus_form =
    "charset NAME = SITES; for each partition, as in charset first = 1-100 150-200\\3;, and charpartition NAME = "
    "MODEL:CHARSET, ...;";

class SetsReader {
 public:
  SetsReader(std::string_view text, const std::string& source) : text_(text), source_(source), in_(text) {}

  Scheme read() {
    in_.expect_word("#NEXUS");
    while (const std::optional<NexusWord> block = in_.next_block())
      if (block->is("SETS"))
        read_sets();
      else
        in_.skip_block();
    if (scheme_.parts.empty())
      throw format_error{text_.size(), fmt::format("the file ends without a charpartition; expected {}", nexus_form)};
    return std::move(scheme_);
  }

  // What `read_range` needs.
  std::size_t offset() const { return in_.offset(); }
  bool at_end() const { return in_.at_end(); }
  char peek() const { return in_.peek(); }
  void take() { in_.take(); }
  void skip() { in_.skip(); }
  /// Offsets never fall, so the text is walked over once.
  position place_of(std::size_t offset) {
    for (; counted_ < offset; ++counted_) {
      if (text_[counted_] != '\n') continue;
      ++line_;
      line_begin_ = counted_ + 1;
    }
    return {line_, offset - line_begin_ + 1};
  }
  [[noreturn]] void fail_at(std::size_t offset, const std::string& expected) const {
    std::string_view rest = text_.substr(std::min(offset, text_.size())).substr(0, 12);
    rest = rest.substr(0, rest.find('\n'));
    const std::string found = rest.empty() ? "the end of the file" : shown(rest);
    throw format_error{offset, fmt::format("found {}; expected {} ({})", found, expected, nexus_form)};
  }

 private:
  void read_sets() {
    for (;;) {
      const NexusWord command = in_.expect_word("END;");
      if (command.is(";")) continue;
      if (command.is("CHARSET")) {
        read_charset();
      } else if (command.is("CHARPARTITION")) {
        read_partitions(command.offset);
      } else {
        in_.skip_command();
        if (command.is_end()) return;
      }
    }
  }

  NexusWord name(const char* whose) {
    NexusWord word = in_.expect_word(whose);
    if (word.text.empty() || word.is(";") || word.is("=") || word.is(",")) fail_at(word.offset, whose);
    return word;
  }

  void expect_equals() {
    const NexusWord word = in_.expect_word("'='");
    if (!word.is("=")) fail_at(word.offset, "'='");
  }

  void read_charset() {
    const NexusWord set = name("the charset's name");
    if (!is_printable_utf8(set.text) || set.text.find_first_of("=,") != std::string::npos ||
        is_blank(set.text.front()) || is_blank(set.text.back()))
      fail_at(set.offset, "a name of printable characters, in UTF-8, without '=', ',' and blanks at its ends");
    expect_equals();
    std::vector<SiteRange> ranges;
    do {
      ranges.push_back(read_range(*this));
      skip();
      if (!at_end() && peek() == ',') take();
      skip();
    } while (!at_end() && peek() != ';');
    if (at_end()) fail_at(offset(), "';'");
    take();
    if (!charsets_.emplace(set.text, std::move(ranges)).second)
      throw format_error{set.offset, fmt::format("a second charset {}; names must be distinct", shown(set.text))};
  }

  void read_partitions(std::size_t at) {
    if (!scheme_.parts.empty()) throw format_error{at, "a second charpartition; expected one, of all sites"};
    name("the charpartition's name");
    expect_equals();
    for (;;) {
      scheme_.parts.push_back(read_partition());
      const NexusWord next = in_.expect_word("',' or ';'");
      if (next.is(";")) return;
      if (!next.is(",")) fail_at(next.offset, "',' and a further MODEL:CHARSET, or ';'");
    }
  }

  /// Gives the text up to ':' or a blank. Inside braces, blanks and commas belong to the model.
  NexusWord read_model() {
    skip();
    NexusWord word;
    word.offset = offset();
    bool inside = false;
    while (!at_end() && peek() != ':' && peek() != ';' && peek() != '[' && peek() != '\n') {
      if (!inside && (peek() == ',' || peek() == '=' || is_blank(peek()))) break;
      if (peek() == '{' || peek() == '}') inside = peek() == '{';
      word.text += in_.take();
    }
    if (word.text.empty()) fail_at(word.offset, "MODEL:CHARSET");
    return word;
  }

  SchemePart read_partition() {
    const NexusWord model = read_model();
    SchemePart part;
    part.model = parse_model(model.text, source_, place_of(model.offset), Notation::iqtree);
    skip();
    if (at_end() || peek() != ':') fail_at(offset(), "':' and the charset's name");
    take();
    const NexusWord set = name("the charset's name");
    const auto found = charsets_.find(set.text);
    if (found == charsets_.end()) throw format_error{set.offset, unknown(set.text)};
    for (const SchemePart& other : scheme_.parts)
      if (other.name == set.text)
        throw format_error{set.offset,
                           fmt::format("charset {} is in two partitions; expected it in one", shown(set.text))};
    part.name = set.text;
    part.ranges = found->second;
    return part;
  }

  std::string unknown(const std::string& set) const {
    std::vector<std::string> names;
    for (const auto& [one, ranges] : charsets_) names.push_back(one);
    const std::string nearest = nearest_name(set, names);
    const std::size_t brace = std::min(set.find('{'), set.size());
    if (set.ends_with('}') && charsets_.contains(set.substr(0, brace)))
      return fmt::format("no charset {} stands before this; leave out {}, the length of that partition's tree",
                         shown(set), shown(set.substr(brace)));
    const std::string expected = names.empty()     ? "expected charset NAME = SITES; before"
                                 : nearest.empty() ? "expected one of " + first_few(names)
                                                   : "is " + shown(nearest) + " meant?";
    return fmt::format("no charset {} stands before this; {}", shown(set), expected);
  }

  std::string_view text_;
  const std::string& source_;
  NexusScanner in_;
  Scheme scheme_{source_, {}};
  std::map<std::string, std::vector<SiteRange>> charsets_;
  std::size_t counted_ = 0;  // for place_of: so many bytes were looked at
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

Scheme parse_nexus_scheme(std::string_view text, const std::string& source) {
  try {
    return SetsReader(text, source).read();
  } catch (const format_error& e) {
    fail(source, position_of(text, e.offset), e.message);
  }
}

}  // namespace phylo
