#include "machine/nearest_word.hpp"

#include <algorithm>
#include <numeric>

namespace maslin::machine {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string>& words) {
  std::string nearest;
  std::size_t fewest = std::max<std::size_t>(1, (written.size() + 1) / 3) + 1;
  for (const std::string& word : words) {
    const std::size_t distance = edits(written, word);
    if (distance < fewest) {
      fewest = distance;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace maslin::machine
