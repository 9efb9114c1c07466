#pragma once
// One bit a worker, for very many workers: who holds work, who sleeps.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace maslin {

/// Level 0 holds the bits, 64 a word; a bit of a level above says that the word below it is not zero. So every call
/// takes as many steps as there are levels: three for 100,000 workers.
class bit_tree {
 public:
  explicit bit_tree(int bits) {
    std::size_t words = static_cast<std::size_t>(bits);
    do {
      words = (words + 63) / 64;
      levels_.emplace_back(words);
    } while (words > 1);
  }

  bool test(int i) const { return levels_[0][word(i)] & mask(i); }
  void set(int i) {
    for (auto& level : levels_) {
      std::uint64_t& here = level[word(i)];
      const bool was_empty = here == 0;
      here |= mask(i);
      if (!was_empty) return;
      i /= 64;
    }
  }
  void clear(int i) {
    for (auto& level : levels_) {
      std::uint64_t& here = level[word(i)];
      here &= ~mask(i);
      if (here != 0) return;
      i /= 64;
    }
  }

  void clear_if_set(int i) { clear(i); }

  /// Gives the first set bit in [from, to), or -1.
  int first_set(int from, int to) const {
    if (from >= to) return -1;
    std::size_t level = 0;
    auto at = static_cast<std::size_t>(from);
    for (;;) {  // up, until there is one at or after `at`
      if (at / 64 >= levels_[level].size()) return -1;
      const std::uint64_t rest = levels_[level][at / 64] & ~std::uint64_t{0} << (at % 64);
      if (rest != 0) {
        at = at / 64 * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        break;
      }
      at = at / 64 + 1;
      if (++level == levels_.size()) return -1;
    }
    while (level > 0) at = at * 64 + static_cast<std::size_t>(std::countr_zero(levels_[--level][at]));
    return at < static_cast<std::size_t>(to) ? static_cast<int>(at) : -1;
  }

 private:
  static std::size_t word(int i) { return static_cast<std::size_t>(i) / 64; }
  static std::uint64_t mask(int i) { return std::uint64_t{1} << (i % 64); }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace maslin
