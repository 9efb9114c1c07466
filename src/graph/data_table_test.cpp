#include "graph/data_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace maslin::graph {
namespace {

region make(std::uintptr_t start, std::size_t bytes, std::size_t columns, std::size_t stride) {
  detail::declared d{};
  d.data = reinterpret_cast<void*>(start);
  d.bytes = bytes;
  d.columns = columns;
  d.stride = stride;
  return region(d);
}

/// Names all regions in one addition, so that none is over, and gives whether each datum knows just those as aliases
/// that overlap it.
void expect_aliases_of(const std::vector<region>& all) {
  data_table table;
  table.make_room(all.size());
  for (const region& r : all) table.find(r);
  std::size_t aliases = 0;
  for (datum* d : table) {
    std::vector<datum*> expected;
    for (datum* other : table)
      if (other != d && overlap(d->home, other->home)) expected.push_back(other);
    std::vector<datum*> known = d->more ? d->more->aliases : std::vector<datum*>();
    std::sort(expected.begin(), expected.end());
    std::sort(known.begin(), known.end());
    ASSERT_EQ(known, expected) << d->home.start << ' ' << d->home.bytes << 'x' << d->home.columns << '/'
                               << d->home.stride;
    aliases += known.size();
  }
  EXPECT_GT(aliases, 0u);
  EXPECT_LT(aliases, table.size() * table.size() / 2);
}

TEST(DataTable, RegionsOfAllSizesAndStridesFindTheirAliases) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return random() % bound; };
  for (int i = 0; i < 60; ++i) {
    const std::size_t memory = std::size_t{1} << (12 + below(10));
    std::vector<region> all;
    while (all.size() < 300) {
      const std::size_t bytes = 1 + below(std::size_t{1} << below(9));
      const std::size_t columns = below(3) ? 1 + below(std::size_t{1} << below(7)) : 1;
      const std::size_t stride = bytes + below(std::size_t{1} << below(14));
      if (const region r = make(1 << 20, bytes, columns, stride); r.end() < (1u << 20) + memory)
        all.push_back(make((1 << 20) + below((1u << 20) + memory - r.end()), bytes, columns, stride));
    }
    expect_aliases_of(all);
  }
}

TEST(DataTable, BlocksOfPlanesOfACubeInAllDirectionsFindTheirAliases) {
  constexpr std::size_t n = 16, block = 4, element = 8, start = 1 << 20;
  std::vector<region> all;
  for (std::size_t first = 0; first < n * n; first += 2)
    all.push_back(make(start + first * n * element, 2 * n * element, 1, 0));  // slices of rows
  for (const auto& [plane, apart] : {std::pair{n * n, n}, std::pair{n, n * n}})
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t i = 0; i < n; i += block)
        for (std::size_t j = 0; j < n; j += block)
          all.push_back(make(start + (p * plane + i * apart + j) * element, block * element, block, apart * element));
  for (int order = 0; order < 4; ++order) {
    std::shuffle(all.begin(), all.end(), std::mt19937(static_cast<unsigned>(order)));
    expect_aliases_of(all);
  }
}

}  // namespace
}  // namespace maslin::graph
