// How often does each byte occur? Each block of the text is counted by itself, and the counts are added up: no counter
// is shared, so nobody waits for anybody.
//
//   histogram [FILE]        counts a text of 16 MiB that the program makes, if no file is named

#include <maslin/maslin.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace ms = maslin;

using histogram = std::array<std::int64_t, 256>;

/// Gives the counts of two texts as one.
histogram add(histogram sum, const histogram& more) {
  for (std::size_t byte = 0; byte < sum.size(); ++byte) sum[byte] += more[byte];
  return sum;
}

std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15U;
  return x ^ (x >> 29);
}

/// Gives a text whose letters are about as frequent as in English. Each is made from its place alone.
std::string make_text() {
  static constexpr char frequent[] = "eeeeeeeeeeeettttttttaaaaaaaooooooonnnnnniiiiiihhhhhhrrrrrrsssssslllldddduu  ";
  std::string text(std::size_t{16} << 20, ' ');
  ms::parallel_for(0, text.size(), [&](ms::range some) {
    for (auto i : some)
      text[i] = frequent[(scrambled(static_cast<std::uint64_t>(i + 1)) >> 20) % (sizeof frequent - 1)];
  });
  return text;
}

std::string read(const char* name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main(int argc, char** argv) {
  const std::string text = argc > 1 ? read(argv[1]) : make_text();
  if (text.empty()) {
    std::printf("%s cannot be read, or is empty\n", argv[1]);
    return 2;
  }

  const histogram counts = ms::parallel_reduce(0, text.size(), histogram{}, add, [&](ms::range some) {
    histogram part{};
    for (auto i : some) ++part[static_cast<unsigned char>(text[i])];
    return part;
  });

  histogram expected{};
  for (const char c : text) ++expected[static_cast<unsigned char>(c)];
  if (counts != expected) {
    std::puts("wrong: the counts differ from those of a loop on one worker");
    return 1;
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  const int byte = static_cast<int>(most - counts.begin());
  std::printf("%zu bytes, %lld of them are '%c'\n", text.size(), static_cast<long long>(*most), byte);
  std::printf("counted by %d workers\n", ms::workers());
}
