// The best local alignment of two sequences (Smith and Waterman, 1981). Each cell of the table needs its neighbours
// above, to the left, and above to the left. The table is computed in blocks, one task each; of a block only its last
// row and its last column are kept.

#include <maslin/maslin.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace ms = maslin;
using namespace std::chrono_literals;

constexpr int match = 2, mismatch = -1, gap = -2;
constexpr std::size_t extent = 250;  // rows and columns of a block
constexpr std::size_t blocks = 24;   // in each direction

std::string make_sequence(std::size_t length, unsigned seed) {
  std::string sequence(length, ' ');
  for (char& base : sequence) base = "ACGT"[(seed = seed * 1664525U + 1013904223U) >> 30];
  return sequence;
}

/// Computes one block. `above` is the row above it, from the cell above to the left on, and becomes the block's last
/// row; `left` is the column to its left, and becomes its last column. Gives the largest cell.
int compute(std::string_view down, std::string_view across, ms::view<int> above, ms::view<int> left) {
  int best = 0;
  for (std::size_t i = 0; i < down.size(); ++i) {
    int diagonal = above[0];
    above[0] = left[i];
    for (std::size_t j = 0; j < across.size(); ++j) {
      const int score = diagonal + (down[i] == across[j] ? match : mismatch);
      diagonal = above[j + 1];
      above[j + 1] = std::max({0, score, above[j] + gap, diagonal + gap});
      best = std::max(best, above[j + 1]);
    }
    left[i] = above[across.size()];
  }
  return best;
}

int main() {
  const std::string down = make_sequence(extent * blocks, 1);
  std::string across = make_sequence(extent * blocks, 2);
  across.replace(1000, 2000, down, 3000, 2000);  // something to be found
  for (std::size_t i = 1000; i < 3000; i += 10) across[i] = 'A';

  std::vector<std::vector<int>> rows(blocks, std::vector<int>(extent + 1));
  std::vector<std::vector<int>> columns(blocks, std::vector<int>(extent));
  int best = 0;
  const auto begin = ms::time();
  // In the order of a serial program. The tasks of a diagonal share no data, so they run at the same time.
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < blocks; ++j)
      ms::task(
          [](std::string_view d, std::string_view a, ms::view<int> above, ms::view<int> left, ms::view<int> largest) {
            largest[0] = std::max(largest[0], compute(d, a, above, left));
            ms::cost(1ns * d.size() * a.size());  // on a machine that is only described; does nothing elsewhere
          },
          std::string_view(down).substr(i * extent, extent), std::string_view(across).substr(j * extent, extent),
          ms::inout(rows[j]), ms::inout(columns[i]), ms::reduction<ms::maximum>(best));
  ms::wait();
  const double seconds = (ms::time() - begin).count();

  std::vector<int> row(across.size() + 1), column(down.size());
  const int expected = compute(down, across, row, column);  // the whole table as one block
  if (best != expected) {
    std::printf("wrong: the best score is %d, and not %d\n", expected, best);
    return 1;
  }
  std::printf("the best alignment of %zu and %zu bases scores %d\n", down.size(), across.size(), best);
  std::printf("%zu blocks took %.4f s on %d workers\n", blocks * blocks, seconds, ms::workers());
}
