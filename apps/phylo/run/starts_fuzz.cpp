// Any bytes as the list of start trees in their first line, in which @ stands for a file with the other ones: starts
// that display the constraint, or an `input_error`.

#include "phylo/run/starts.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/check.hpp"
#include "fuzz/input_file.hpp"
#include "phylo/io/error.hpp"
#include "phylo/run/constrained.hpp"

namespace {

const std::vector<std::string> names = {"a", "b", "c", "d", "e", "f"};

/// Whether it asks for so many trees that making them takes long.
bool is_long(std::string_view list) {
  constexpr std::size_t most_digits = 4;
  std::size_t digits = 0;
  for (const char c : list) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > most_digits) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static input_file file;
  static const phylo::Constraint constraint = phylo::parse_constraint("((a,b),c,(d,e));", "constraint", names);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), size);
  const std::string_view trees = text.substr(std::min(end + 1, size));
  const std::string path = file.holding(trees.data(), trees.size());
  std::string list;
  for (const char c : text.substr(0, end)) {
    if (c == '/') return 0;  // other files are none of its business
    list += c == '@' ? path : std::string(1, c);
  }
  if (is_long(text.substr(0, end))) return 0;
  try {
    const phylo::Starts starts = phylo::read_starts(list, names, &constraint);
    check(!starts.trees.empty() && starts.origins.size() == starts.trees.size());
    for (const phylo::Start& start : starts.trees)
      if (const auto* tree = std::get_if<phylo::Tree>(&start))
        check(tree->complete() && constraint.displayed_by(*tree));
    phylo::digest_of(starts, names);
  } catch (const phylo::input_error& e) {
    check_message(e);
  }
  return 0;
}
