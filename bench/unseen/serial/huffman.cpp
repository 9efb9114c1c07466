// Huffman codes: a stream makes a text letter by letter (a Markov chain, serial), then off-loads its compression:
// letters are counted in a loop, the tree is built serially, blocks are encoded in a loop.

#include <array>
#include <queue>

#include "program.hpp"

namespace unseen {

namespace {

constexpr int letters = 32;
constexpr std::int64_t block = 2048;
constexpr double letter_seconds = 1.25e-9;
constexpr double count_seconds = 0.37e-9;
constexpr double tree_seconds = 6e-6;
constexpr double encode_seconds = 2.1e-9;

const kernel compress_kernel{"compress"};

struct code {
  std::array<std::uint32_t, letters> bits{};
  std::array<int, letters> length{};
};

struct text {
  std::vector<std::uint8_t> symbols;
  std::vector<std::array<std::int32_t, letters>> counts;
  std::vector<std::vector<std::uint64_t>> packed;  // a block each
  code by;
};

class huffman final : public program {
 public:
  explicit huffman(const size& what) : program(what, 100), length_(small_or<std::int64_t>(4 * block, 32 * block)) {
    texts_.resize(at(streams()));
    for (text& t : texts_) {
      t.symbols = room<std::uint8_t>(length_);
      t.counts.resize(at(length_ / block));
      t.packed.assign(at(length_ / block), room<std::uint64_t>(block));
    }
  }

  void stream(std::int64_t i) override {
    text& t = texts_[at(i)];
    for (std::int64_t round = 0; round < rounds(2, 38); ++round) {
      alone(static_cast<double>(length_) * letter_seconds, [&] { write(t, i, round); });
      off_load(compress_kernel, [&] { compress(t); });
    }
    for (const auto& words : t.packed) digest(i, words);
  }

  void check() const override {
    for (const text& t : texts_)
      for (std::int64_t b = 0; b < length_ / block; ++b) require(decoded(t, b), "a block decodes to another text");
  }

 private:
  void write(text& t, std::int64_t i, std::int64_t round) const {
    std::uint64_t state = mixed(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(round));
    const shapes::affine step;
    std::uint8_t last = 0;
    for (std::uint8_t& s : t.symbols) {
      state = step(state);
      const auto rare = static_cast<unsigned>(state >> 40) & static_cast<unsigned>(state >> 50);
      last = s = static_cast<std::uint8_t>((last + (rare & 7U) * (rare & 3U)) % letters);
    }
  }

  void compress(text& t) const {
    loop(length_, block, count_seconds, [&](range r) {
      auto& counts = t.counts[at(r.first / block)];
      counts.fill(0);
      for (std::int64_t k = r.first; k < r.last; ++k) ++counts[t.symbols[at(k)]];
    });
    alone(tree_seconds, [&] { t.by = tree(t.counts); });
    loop(length_, block, encode_seconds, [&](range r) {
      auto& words = t.packed[at(r.first / block)];
      std::fill(words.begin(), words.end(), 0);
      std::size_t bit = 0;
      for (std::int64_t k = r.first; k < r.last; ++k) {
        const std::uint8_t s = t.symbols[at(k)];
        const std::uint64_t bits = t.by.bits[s];
        words[bit / 64] |= bits << (bit % 64);
        if (bit % 64 + static_cast<std::size_t>(t.by.length[s]) > 64) words[bit / 64 + 1] |= bits >> (64 - bit % 64);
        bit += static_cast<std::size_t>(t.by.length[s]);
      }
    });
  }

  static code tree(const std::vector<std::array<std::int32_t, letters>>& counts) {
    struct node {
      std::int64_t weight;
      int left, right;  // -1: a letter
    };
    std::vector<node> nodes;
    for (int s = 0; s < letters; ++s) {
      std::int64_t weight = 1;
      for (const auto& one : counts) weight += one[at(s)];
      nodes.push_back({weight, -1, -1});
    }
    std::priority_queue<std::pair<std::int64_t, int>, std::vector<std::pair<std::int64_t, int>>, std::greater<>> open;
    for (int s = 0; s < letters; ++s) open.emplace(nodes[at(s)].weight, s);
    while (open.size() > 1) {
      const auto a = open.top();
      open.pop();
      const auto b = open.top();
      open.pop();
      nodes.push_back({a.first + b.first, a.second, b.second});
      open.emplace(a.first + b.first, static_cast<int>(nodes.size()) - 1);
    }
    code made;
    const std::function<void(int, std::uint32_t, int)> walk = [&](int n, std::uint32_t bits, int length) {
      if (nodes[at(n)].left < 0) {
        made.bits[at(n)] = bits;
        made.length[at(n)] = length;
        return;
      }
      walk(nodes[at(n)].left, bits, length + 1);
      walk(nodes[at(n)].right, bits | std::uint32_t{1} << length, length + 1);
    };
    walk(static_cast<int>(nodes.size()) - 1, 0, 0);
    return made;
  }

  static bool decoded(const text& t, std::int64_t b) {
    const auto& words = t.packed[at(b)];
    std::size_t bit = 0;
    for (std::int64_t k = b * block; k < (b + 1) * block; ++k) {
      std::uint32_t bits = 0;
      int length = 0, found = -1;
      while (found < 0 && length < letters) {
        bits |= static_cast<std::uint32_t>(words[bit / 64] >> (bit % 64) & 1U) << length++;
        ++bit;
        for (int s = 0; s < letters; ++s)
          if (t.by.length[at(s)] == length && t.by.bits[at(s)] == bits) found = s;
      }
      if (found != t.symbols[at(k)]) return false;
    }
    return true;
  }

  const std::int64_t length_;
  std::vector<text> texts_;
};

const listed<huffman> here{"serial", "huffman"};

}  // namespace

}  // namespace unseen
