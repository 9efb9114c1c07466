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

/// Reads one line from the left.
class LineReader {
 public:
  LineReader(std::string_view line, const std::string& source, std::size_t number)
      : line_(line), source_(source), number_(number) {}

  SchemePart read() {
    SchemePart part;
    const std::size_t comma = line_.find(',');
    part.model = parse_model(line_.substr(0, comma), source_, {number_, 1});
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
    } while (at_ < line_.size() && line_[at_] == ',' && ++at_ > 0);
    if (at_ < line_.size()) fail_at(at_, "',' and further sites, or the end of the line");
    return part;
  }

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
  void expect(char c) {
    skip();
    if (at_ == line_.size() || line_[at_] != c) fail_at(at_, fmt::format("'{}'", c));
    ++at_;
  }

  std::string_view line_;
  const std::string& source_;
  std::size_t number_;
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
    if (range.last != range.first || range.step != 1) text += fmt::format("-{}", range.last);
    if (range.step != 1) text += fmt::format("\\{}", range.step);
  }
  return text;
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

Scheme parse_scheme(std::string_view text, const std::string& source) {
  if (is_nexus(text)) return parse_nexus_scheme(text, source);
  Scheme scheme{source, {}};
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
    scheme.parts.push_back(LineReader(line, source, number).read());
    const SchemePart& part = scheme.parts.back();
    if (scheme.parts.size() > 1 && part.ranges.empty())
      fail(source, {number, line.size() + 1}, fmt::format("expected the sites of this model, {}", form));
    for (std::size_t other = 0; other + 1 < scheme.parts.size(); ++other)
      if (scheme.parts[other].name == part.name)
        fail(source, {number, line.find(part.name, line.find(',')) + 1},
             fmt::format("a second partition {}; names must be distinct", shown(part.name)));
  }
  if (scheme.parts.empty()) scheme.parts.push_back({parse_model(text, source), {}, {}});
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
