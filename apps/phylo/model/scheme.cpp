#include "phylo/model/scheme.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "phylo/io/nexus_words.hpp"
#include "phylo/io/text.hpp"
#include "phylo/model/notation.hpp"
#include "phylo/model/site_ranges.hpp"

namespace phylo {
namespace {

constexpr const char* form = "in each line: MODEL, NAME = SITES, as in LG+G, first = 1-100, 150-200\\3";

constexpr struct {
  std::string_view word;
  DataType type;
} data_types[] = {{"DNA", DataType::dna},
                  {"AA", DataType::protein},
                  {"BIN", DataType::binary},
                  {"MULTI", DataType::multistate},
                  {"MORPH", DataType::multistate}};

/// Reads one line from the left.
class LineReader {
 public:
  LineReader(std::string_view line, const std::string& source, std::size_t number, const Model* beside)
      : line_(line), source_(source), number_(number), beside_(beside) {}

  SchemePart read() {
    SchemePart part;
    const std::size_t comma = line_.find(',');
    const std::string_view model = line_.substr(0, comma);
    if (beside_ != nullptr && comma != line_.npos) part.model = named_in_raxml(model);
    if (!took_beside_) part.model = parse_model(model, source_, {number_, 1});
    if (comma == line_.npos) return part;
    at_ = comma + 1;
    skip();
    const std::size_t name = at_;
    at_ = std::min(line_.find_first_of("=,", at_), line_.size());
    std::size_t end = at_;
    while (end > name && is_blank(line_[end - 1])) --end;
    part.name = std::string(line_.substr(name, end - name));
    if (part.name.empty()) fail_at(name, "the partition's name");
    if (!is_printable_utf8(part.name)) fail_at(name, "a name of printable characters, in UTF-8");
    expect('=');
    do {
      part.ranges.push_back(read_range(*this));
      skip();
      // IQ-TREE writes blanks between them.
    } while (at_ < line_.size() && ((line_[at_] >= '0' && line_[at_] <= '9') || (line_[at_] == ',' && ++at_ > 0)));
    if (at_ < line_.size()) fail_at(at_, "',' and further sites, or the end of the line");
    return part;
  }
  /// Whether the model needed the one beside the file.
  bool took_beside() const { return took_beside_; }

  // What `read_range` needs.
  std::size_t offset() const { return at_; }
  bool at_end() const { return at_ >= line_.size(); }
  char peek() const { return line_[at_]; }
  void take() { ++at_; }
  void skip() {
    while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
  }
  position place_of(std::size_t at) const { return {number_, at + 1}; }
  [[noreturn]] void fail_at(std::size_t at, const std::string& expected) const {
    const std::string found = at < line_.size() ? shown(line_.substr(at, 12)) : std::string("the end of the line");
    fail(source_, place_of(at), fmt::format("found {}; expected {} ({})", found, expected, form));
  }

 private:
  /// Gives the model of a word such as DNA, DNAF, LG and LGX, if it is one.
  Model named_in_raxml(std::string_view text) {
    std::size_t begin = 0;
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    while (begin < text.size() && is_blank(text[begin])) ++begin;
    const std::string_view word = text.substr(begin);
    Model model;
    if (stands_for(word, begin, model) || word.empty()) return model;
    const char last = word.back() == 'f' || word.back() == 'F'   ? 'F'
                      : word.back() == 'x' || word.back() == 'X' ? 'X'
                                                                 : 0;
    if (last == 0 || !stands_for(word.substr(0, word.size() - 1), begin, model)) return model;
    if (model.equal_frequencies)
      fail_at(begin, fmt::format("{} without {}, because the frequencies of {} are equal by definition",
                                 word.substr(0, word.size() - 1), last, to_string(model)));
    model.frequencies_from = last == 'F' ? Origin::empirical : Origin::optimized;
    return model;
  }

  bool stands_for(std::string_view word, std::size_t begin, Model& model) {
    if (const std::optional<DataType> type = find_data_type(word)) {
      if (beside_->alphabet->type != *type)
        fail_at(begin, fmt::format("a model of these data, because --model {} is one of {}", to_string(*beside_),
                                   beside_->alphabet->name));
      model = *beside_;
    } else if (const ProteinMatrix* const matrix = find_protein_matrix(word)) {
      model = model_of(*matrix);
      take_rates_over_sites(model, *beside_);
      if (model.constant_sites.size() > 1 && beside_->alphabet != model.alphabet)
        fail_at(begin, fmt::format("a model with constant sites of its own, because those of --model {} are of {}",
                                   to_string(*beside_), beside_->alphabet->name));
    } else {
      return false;
    }
    return took_beside_ = true;
  }

  void expect(char c) {
    skip();
    if (at_ == line_.size() || line_[at_] != c) fail_at(at_, fmt::format("'{}'", c));
    ++at_;
  }

  std::string_view line_;
  const std::string& source_;
  std::size_t number_;
  const Model* beside_;
  bool took_beside_ = false;
  std::size_t at_ = 0;
};

std::string text_of(const SchemePart& part, std::string model) {
  return part.ranges.empty() ? model : fmt::format("{}, {} = {}", model, part.name, part.sites());
}

}  // namespace

std::string SchemePart::sites() const {
  std::string text;
  for (const SiteRange& range : ranges) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", range.first);
    if (range.last == SiteRange::to_the_end)
      text += "-.";
    else if (range.last != range.first || range.step != 1)
      text += fmt::format("-{}", range.last);
    if (range.step != 1) text += fmt::format("\\{}", range.step);
  }
  return text;
}

void Scheme::fit(std::size_t sites, bool unlinked) {
  double all = 0, length = 0;
  for (SchemePart& part : parts) {
    double count = 0;
    for (SiteRange& range : part.ranges) {
      if (range.last == SiteRange::to_the_end) range.last = std::max(range.first, sites);
      count += static_cast<double>((range.last - range.first) / range.step + 1);
    }
    all += count;
    length += count * part.tree_length;
  }
  if (length == 0 || unlinked) return;
  for (SchemePart& part : parts) {
    part.model.speed = part.tree_length * all / length;
    if (!(part.model.speed >= Bounds::speed_low && part.model.speed <= Bounds::speed_high))
      fail(source, part.length_at,
           fmt::format("the tree of partition {} is {:.6g} times as long as that of all; expected {} to {} times",
                       shown(part.name), part.model.speed, Bounds::speed_low, Bounds::speed_high));
  }
}

std::vector<int> Scheme::parts_of_sites(std::size_t sites) const {
  constexpr int nobody = -1;
  std::vector<int> owners(sites, parts.size() == 1 && parts.front().ranges.empty() ? 0 : nobody);
  for (std::size_t p = 0; p < parts.size(); ++p)
    for (const SiteRange& range : parts[p].ranges) {
      if (range.last > sites)
        fail(source, range.at,
             fmt::format("partition {} has sites up to {}, but the alignment has {}; expected sites from 1 to {}",
                         shown(parts[p].name), range.last, sites, sites));
      for (std::size_t site = range.first; site <= range.last; site += range.step) {
        int& owner = owners[site - 1];
        if (owner != nobody)
          fail(source, range.at,
               fmt::format("site {} is in partition {} and also in {}; a site can be in one only", site,
                           shown(parts[static_cast<std::size_t>(owner)].name), shown(parts[p].name)));
        owner = static_cast<int>(p);
      }
    }
  const auto left = std::count(owners.begin(), owners.end(), nobody);
  if (left > 0) {
    const auto first = std::find(owners.begin(), owners.end(), nobody) - owners.begin() + 1;
    fail(source, place_before(static_cast<std::size_t>(first)),
         fmt::format(
             "{} of the alignment's {} sites are in no partition, the first of them is {}; give each a model, or "
             "take it out of the alignment",
             left, sites, first));
  }
  return owners;
}

position Scheme::place_before(std::size_t site) const {
  const SiteRange* before = &parts.front().ranges.front();
  for (const SchemePart& part : parts)
    for (const SiteRange& range : part.ranges)
      if (range.last < site && (range.last > before->last || before->last >= site)) before = &range;
  return before->at;
}

Alphabets Scheme::alphabets(std::size_t most_sites) const {
  Alphabets alphabets(*parts.front().model.alphabet);
  if (std::all_of(parts.begin(), parts.end(), [&](const SchemePart& p) { return p.model.alphabet == alphabets.one; }))
    return alphabets;
  for (const SchemePart& part : parts)
    for (const SiteRange& range : part.ranges) {
      const std::size_t last = std::min(range.last, most_sites);
      if (alphabets.by_site.size() < last) alphabets.by_site.resize(last, alphabets.one);
      for (std::size_t site = range.first; site <= last; site += range.step)
        alphabets.by_site[site - 1] = part.model.alphabet;
    }
  return alphabets;
}

std::optional<DataType> find_data_type(std::string_view word) {
  for (const auto& one : data_types)
    if (same_word(one.word, word)) return one.type;
  return std::nullopt;
}

void refuse_beside(const std::string& source) {
  throw input_error(fmt::format(
      "--model and --model-file are both given, but {} names all its models; give one of them", shown_path(source)));
}

Scheme parse_scheme(std::string_view text, const std::string& source, const Model* beside) {
  if (is_nexus(text)) return parse_nexus_scheme(text, source, beside);
  Scheme scheme{source, {}};
  bool took_beside = false;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    const std::size_t start = line.find_first_not_of(" \t\v\f\r");
    if (start == line.npos || line[start] == '#') continue;
    if (!scheme.parts.empty() && scheme.parts.front().ranges.empty())
      fail(source, {number, 1}, fmt::format("a second line; expected one model in one line, or partitions, {}", form));
    LineReader reader(line, source, number, beside);
    scheme.parts.push_back(reader.read());
    took_beside |= reader.took_beside();
    const SchemePart& part = scheme.parts.back();
    if (scheme.parts.size() > 1 && part.ranges.empty())
      fail(source, {number, line.size() + 1}, fmt::format("expected the sites of this model, {}", form));
    for (std::size_t other = 0; other + 1 < scheme.parts.size(); ++other)
      if (scheme.parts[other].name == part.name)
        fail(source, {number, line.find(part.name, line.find(',')) + 1},
             fmt::format("a second partition {}; names must be distinct", shown(part.name)));
  }
  if (beside != nullptr && !took_beside) refuse_beside(source);
  if (scheme.parts.empty()) scheme.parts.push_back({parse_model(text, source), {}, {}, 0, {}});
  return scheme;
}

std::string to_string(const Scheme& scheme) {
  std::vector<std::string> lines;
  for (const SchemePart& part : scheme.parts) lines.push_back(text_of(part, to_string(part.model)));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string to_string_with_values(const Scheme& scheme, const std::vector<Model>& models) {
  std::vector<std::string> lines;
  for (std::size_t p = 0; p < models.size(); ++p)
    lines.push_back(text_of(scheme.parts[p], to_string_with_values(models[p])));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace phylo
