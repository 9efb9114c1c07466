// Quicksort. Both parts are sorted at the same time where a worker is free, and the program need not know where.

#include <maslin/maslin.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace ms = maslin;

using iterator = std::vector<std::string>::iterator;

/// Gives what lies in the middle of the first, the last and the middle element.
std::string pivot_of(iterator first, iterator last) {
  const std::string &a = *first, &b = first[(last - first) / 2], &c = last[-1];
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

void quicksort(iterator first, iterator last) {
  if (last - first < 16) return std::sort(first, last);  // for the sake of std::sort; Maslin needs no limit
  const std::string pivot = pivot_of(first, last);
  const iterator equal = std::partition(first, last, [&](const std::string& s) { return s < pivot; });
  const iterator greater = std::partition(equal, last, [&](const std::string& s) { return !(pivot < s); });
  ms::fork([=] { quicksort(first, equal); }, [=] { quicksort(greater, last); });
}

int main() {
  std::vector<std::string> words(300'000);
  unsigned state = 1;
  for (std::string& word : words)
    for (int i = 0; i < 6; ++i) word += "etaoinshrdlcumwf"[(state = state * 1664525U + 1013904223U) >> 28];
  std::vector<std::string> expected = words;

  const auto begin = ms::time();
  quicksort(words.begin(), words.end());
  const auto middle = ms::time();
  std::sort(expected.begin(), expected.end());
  const auto end = ms::time();

  if (words != expected) {
    std::puts("wrong: std::sort gives another order");
    return 1;
  }
  std::printf("%zu words from %s to %s\n", words.size(), words.front().c_str(), words.back().c_str());
  std::printf("quicksort took %.3f s on %d workers, std::sort %.3f s\n", (middle - begin).count(), ms::workers(),
              (end - middle).count());
}
