#include "phylo/io/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "phylo/io/text.hpp"

namespace phylo {

namespace {

/// Gives "a, b, c and 4 others".
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::size_t named = names.size() > most + 1 ? most : names.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + shown(names[i]);
  if (named < names.size()) text += fmt::format(" and {} others", names.size() - named);
  return text;
}

}  // namespace

std::vector<std::string> notes_on(const Alignment& alignment) {
  std::vector<std::string> empty, copies;
  std::map<std::string_view, std::string> first_of;  // by sequence
  std::string example;
  for (std::size_t i = 0; i < alignment.rows.size(); ++i) {
    const std::string &row = alignment.rows[i], &name = alignment.names[i];
    if (row.find_first_not_of('-') == row.npos) {
      empty.push_back(name);
      continue;
    }
    const auto [first, is_new] = first_of.try_emplace(row, name);
    if (is_new) continue;
    copies.push_back(name);
    if (example.empty()) example = fmt::format("{} is the same as {}", shown(name), shown(first->second));
  }
  std::vector<std::string> notes;
  if (!alignment.unmodelled.empty()) {
    std::size_t all = 0;
    std::string each;
    for (const auto& [character, count] : alignment.unmodelled) {
      all += count;
      each += fmt::format("{}{} {}", each.empty() ? "" : ", ", count, shown(character));
    }
    notes.push_back(fmt::format("{} for what no model has, and {} as unknown: {}",
                                all == 1 ? "one character stands" : fmt::format("{} characters stand", all),
                                all == 1 ? "counts" : "count", each));
  }
  if (!empty.empty())
    notes.push_back(fmt::format("{} without a determined {}; any place in a tree is as good: {}",
                                empty.size() == 1 ? "one taxon" : fmt::format("{} taxa", empty.size()),
                                alignment.alphabet->unit, listed(empty)));
  if (!copies.empty())
    notes.push_back(fmt::format(
        "{} of an earlier taxon, as {}; how they stand to each other in a tree means nothing: {}",
        copies.size() == 1 ? "one sequence is a copy" : fmt::format("{} sequences are copies", copies.size()), example,
        listed(copies)));
  return notes;
}

std::size_t constant_sites(const Patterns& patterns) {
  const std::vector<std::uint32_t> common = common_states(patterns);
  std::size_t constant = 0;
  for (std::size_t p = 0; p < common.size(); ++p)
    if (common[p] != 0) constant += patterns.weights[p];
  return constant;
}

std::optional<std::string> note_on_constant(std::size_t constant, std::size_t sites, int taxa) {
  if (constant == sites)
    return fmt::format("all {} sites are the same in all taxa, or may be; they don't tell one tree from another",
                       sites);
  const std::size_t varying = sites - constant, branches = static_cast<std::size_t>(taxa - 3);
  if (20 * varying >= sites || varying >= branches) return std::nullopt;
  return fmt::format(
      "{} of {} sites {}, fewer than the {} inner branches of a tree of {} taxa; much of the tree may be arbitrary",
      varying, sites, varying == 1 ? "varies" : "vary", branches, taxa);
}

}  // namespace phylo
