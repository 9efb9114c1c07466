#include "base/nearest_word.hpp"

#include <algorithm>
#include <numeric>

namespace maslin::base {

namespace {

/// Gives the distance of Damerau and Levenshtein between neighbours (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string>& words) {
  std::string nearest;
  // A third, but one at least, and something of it stays.
  std::size_t fewest = std::min(std::max<std::size_t>(1, (written.size() + 1) / 3) + 1, written.size());
  for (const std::string& word : words) {
    const std::size_t distance = edits(written, word);
    if (distance < fewest) {
      fewest = distance;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace maslin::base
