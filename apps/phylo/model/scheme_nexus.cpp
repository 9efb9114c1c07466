// Partitions in NEXUS.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
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
    "MODEL:CHARSET, ...; or --model for all";

class SetsReader {
 public:
  SetsReader(std::string_view text, const std::string& source, const Model* beside)
      : text_(text), source_(source), beside_(beside), in_(text) {}

  Scheme read() {
    in_.expect_word("#NEXUS");
    while (const std::optional<NexusWord> block = in_.next_block())
      if (block->is("SETS"))
        read_sets();
      else
        in_.skip_block();
    if (beside_ != nullptr) {
      if (!scheme_.parts.empty()) refuse_beside(source_);
      for (const Charset& set : charsets_) add(set, *beside_, set.offset);
    }
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
  struct Charset {
    std::string name;
    std::size_t offset;  ///< of its name
    std::vector<SiteRange> ranges;
    std::optional<DataType> type;  ///< if it is said
  };

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
    Charset charset{set.text, set.offset, {}, read_data_type()};
    do {
      charset.ranges.push_back(read_range(*this));
      skip();
      if (!at_end() && peek() == ',') take();
      skip();
    } while (!at_end() && peek() != ';');
    if (at_end()) fail_at(offset(), "';'");
    take();
    if (find(set.text) != nullptr)
      throw format_error{set.offset, fmt::format("a second charset {}; names must be distinct", shown(set.text))};
    charsets_.push_back(std::move(charset));
  }

  /// Reads what may stand before the sites: DNA, as IQ-TREE has it.
  std::optional<DataType> read_data_type() {
    skip();
    const std::size_t begin = offset();
    const std::size_t behind = text_.find_first_of(":;[", begin);
    if (behind != text_.npos && text_[behind] == ':')
      throw format_error{begin, fmt::format("this charset is one of an alignment of its own, {}; expected sites of the "
                                            "alignment (--msa): write the alignments side by side into one",
                                            shown(text_.substr(begin, behind - begin)))};
    std::string word;
    while (!at_end() && ((peek() >= 'A' && peek() <= 'Z') || (peek() >= 'a' && peek() <= 'z'))) word += in_.take();
    if (word.empty()) return std::nullopt;
    const std::optional<DataType> type = find_data_type(word);
    skip();
    if (!type || at_end() || peek() != ',')
      fail_at(begin, "the number of a site, from 1 on, or DNA, AA, BIN or MORPH and a comma before it");
    take();
    return type;
  }

  const Charset* find(std::string_view name) const {
    const auto at =
        std::find_if(charsets_.begin(), charsets_.end(), [&](const Charset& set) { return set.name == name; });
    return at == charsets_.end() ? nullptr : &*at;
  }

  /// Makes the charset a partition with that model; complaints are about what stands at `at`.
  SchemePart& add(const Charset& set, Model model, std::size_t at) {
    for (const SchemePart& other : scheme_.parts)
      if (other.name == set.name)
        throw format_error{at, fmt::format("charset {} is in two partitions; expected it in one", shown(set.name))};
    if (set.type && model.alphabet->type != *set.type)
      throw format_error{at,
                         fmt::format("charset {} holds other data than the model {}, which is one of {}; expected a "
                                     "model of those",
                                     shown(set.name), to_string(model), model.alphabet->name)};
    scheme_.parts.push_back({std::move(model), set.name, set.ranges, 0, {}});
    return scheme_.parts.back();
  }

  void read_partitions(std::size_t at) {
    if (!scheme_.parts.empty()) throw format_error{at, "a second charpartition; expected one, of all sites"};
    name("the charpartition's name");
    expect_equals();
    for (;;) {
      read_partition();
      const NexusWord next = in_.expect_word("',' or ';'");
      if (next.is(";")) break;
      if (!next.is(",")) fail_at(next.offset, "',' and a further MODEL:CHARSET, or ';'");
    }
    const auto& parts = scheme_.parts;
    const auto has = [](const SchemePart& part) { return part.tree_length > 0; };
    const auto one = std::find_if(parts.begin(), parts.end(), has);
    if (one != parts.end() && !std::all_of(parts.begin(), parts.end(), has))
      fail(source_, one->length_at,
           "some partitions have lengths of their trees, others have none; expected {LENGTH} "
           "behind each charset, or behind none");
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

  void read_partition() {
    const NexusWord text = read_model();
    const Model model = parse_model(text.text, source_, place_of(text.offset), Notation::iqtree);
    skip();
    if (at_end() || peek() != ':') fail_at(offset(), "':' and the charset's name");
    take();
    NexusWord word = name("the charset's name");
    std::size_t brace = word.text.size();
    if (!word.quoted && word.text.ends_with('}') && find(word.text) == nullptr)
      brace = std::min(word.text.find('{'), brace);
    const std::string length = word.text.substr(brace);
    word.text.resize(brace);
    const Charset* const set = find(word.text);
    if (set == nullptr) throw format_error{word.offset, unknown(word.text)};
    SchemePart& part = add(*set, model, word.offset);
    if (length.empty()) return;
    part.length_at = place_of(word.offset + brace);
    const char* const end = length.data() + length.size() - 1;
    const auto [rest, status] = std::from_chars(length.data() + 1, end, part.tree_length);
    if (status != std::errc() || rest != end || !(part.tree_length > 0 && std::isnormal(part.tree_length)))
      fail_at(word.offset + brace, "the length of this partition's tree, as in {1.2}");
  }

  std::string unknown(const std::string& set) const {
    std::vector<std::string> names;
    for (const Charset& one : charsets_) names.push_back(one.name);
    const std::string nearest = nearest_name(set, names);
    const std::string expected = names.empty()     ? "expected charset NAME = SITES; before"
                                 : nearest.empty() ? "expected one of " + first_few(names)
                                                   : "is " + shown(nearest) + " meant?";
    return fmt::format("no charset {} stands before this; {}", shown(set), expected);
  }

  std::string_view text_;
  const std::string& source_;
  const Model* beside_;
  NexusScanner in_;
  Scheme scheme_{source_, {}};
  std::vector<Charset> charsets_;
  std::size_t counted_ = 0;  // for place_of: so many bytes were looked at
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
};

}  // namespace

Scheme parse_nexus_scheme(std::string_view text, const std::string& source, const Model* beside) {
  try {
    return SetsReader(text, source, beside).read();
  } catch (const format_error& e) {
    fail(source, position_of(text, e.offset), e.message);
  }
}

}  // namespace phylo
