#include "phylo/run/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "cli/shared/digest.hpp"
#include "phylo/io/error.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/io/text.hpp"
#include "phylo/run/constrained.hpp"

namespace phylo {

namespace {

constexpr const char* option = "--start-trees";
constexpr int most = 1000000;  // as of --starts

/// Gives N of "word{N}" or of "word" alone, where it is 1; nothing if the item is not about this word.
std::optional<int> count_of(std::string_view item, std::string_view word) {
  if (item == word) return 1;
  if (!item.starts_with(word) || !item.substr(word.size()).starts_with('{')) return {};
  const char* const first = item.data() + word.size() + 1;
  const char* const last = item.data() + item.size();
  int count = 0;
  const auto [end, problem] = std::from_chars(first, last, count);
  if (problem != std::errc() || std::string_view(end, last) != "}" || count < 1 || count > most)
    fail(option,
         fmt::format("{}: expected the number of trees in braces, 1 to {}, as in {}{{10}}", shown(item), most, word));
  return count;
}

void add(Starts& starts, const Start& start, const std::string& origin, int count = 1) {
  starts.trees.insert(starts.trees.end(), static_cast<std::size_t>(count), start);
  starts.origins.insert(starts.origins.end(), static_cast<std::size_t>(count), origin);
}

/// Adds all trees of a file.
void add_file(Starts& starts, const std::string& file, const std::vector<std::string>& names,
              const Constraint* constraint) {
  const NewickFile read = read_newick(file);
  const std::vector<Tree> trees = to_trees(read, names, "the alignment", Lengths::optional);
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (const auto missing = constraint ? missing_from(trees[i], *constraint, names) : std::vector<std::string>();
        !missing.empty())
      read.fail_at(
          read.trees[i].nodes.front().offset,
          fmt::format("tree {} of {} does not display the constraint (--tree-constraint), by which {} of its taxa "
                      "stand apart from the other constrained ones: {}; expected trees that do",
                      i + 1, trees.size(), missing.size(), first_few(missing)));
    add(starts, trees[i], fmt::format("{}, tree {}", file, i + 1));
  }
}

}  // namespace

Starts read_starts(const std::string& list, const std::vector<std::string>& names, const Constraint* constraint) {
  Starts starts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string item = list.substr(begin, end - begin);
    begin = end + 1;
    if (item.empty())
      fail(option,
           fmt::format("{}: an item is empty; expected pars{{N}}, rand{{N}} and files of trees, with commas between",
                       shown(list)));
    if (const std::optional<int> parsimony = count_of(item, "pars"))
      add(starts, ParsimonyStart(), "parsimony", *parsimony);
    else if (const std::optional<int> random = count_of(item, "rand"))
      add(starts, RandomStart(), "random", *random);
    else
      add_file(starts, item, names, constraint);
    if (starts.trees.size() > most)
      fail(option, fmt::format("{}: {} trees; expected {} at most", shown(list), starts.trees.size(), most));
  }
  return starts;
}

Starts parsimony_starts(int count) {
  Starts starts;
  add(starts, ParsimonyStart(), "parsimony", count);
  return starts;
}

Effort effort_of(const std::string& word) {
  return word == "fast" ? fast_effort : word == "thorough" ? thorough_effort : standard_effort;
}

Starts planned_starts(const SearchPlan& plan, const std::vector<ParsimonyTree>& made) {
  Starts starts;
  for (int i = 0; i < plan.parsimony; ++i) add(starts, made.at(static_cast<std::size_t>(i)), "parsimony");
  add(starts, RandomStart(), "random", plan.random);
  return starts;
}

std::string digest_of(const Starts& starts, const std::vector<std::string>& names) {
  std::string all;
  bool only_parsimony = true;
  for (const Start& start : starts.trees) {
    const Tree* const given = std::get_if<Tree>(&start);
    const bool random = std::holds_alternative<RandomStart>(start);
    all += given ? to_newick(*given, names) : random ? "random" : "parsimony";
    all += '\n';
    only_parsimony = only_parsimony && !given && !random;
  }
  return only_parsimony ? std::string() : command::hex(command::digest(all));
}

}  // namespace phylo
