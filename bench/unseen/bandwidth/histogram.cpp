// Histograms of the digits of long arrays, as a radix sort needs them: a digit is an off-load; blocks count for
// themselves, and the stream adds the counts.

#include <array>

#include "program.hpp"

namespace unseen {

namespace {

constexpr int digit_bits = 7;
constexpr int digits = 9;
constexpr std::size_t values = 1 << digit_bits;
constexpr std::int64_t block = 1 << 15;

const kernel count_kernel{"count"};

using counts = std::array<std::uint32_t, values>;

class histogram final : public program {
 public:
  explicit histogram(const size& what)
      : program(what, 48), length_(what.small ? 1 << 14 : 1 << 21), sums_(at(streams())) {
    for (std::uint64_t array = 0; array < 4; ++array) {
      keys_.push_back(room<std::uint64_t>(length_));
      for (std::size_t k = 0; k < keys_.back().size(); ++k) keys_.back()[k] = key(array, k);
    }
  }

  void stream(std::int64_t i) override {
    const std::vector<std::uint64_t>& keys = keys_[at(i) % keys_.size()];
    std::vector<counts> of_block(at((length_ + block - 1) / block));
    for (std::int64_t round = 0; round < rounds(2, 27); ++round) {
      const auto shift = static_cast<unsigned>((round + i) % digits * digit_bits);
      off_load(count_kernel, [&] {
        loop(length_, block, moved(10), [&](range r) {
          counts mine{};
          for (std::int64_t k = r.first; k < r.last; ++k) ++mine[keys[at(k)] >> shift & (values - 1)];
          of_block[at(r.first / block)] = mine;
        });
      });
      alone(static_cast<double>(of_block.size() * values) * 0.3e-9, [&] {
        for (const counts& one : of_block)
          for (std::size_t v = 0; v < values; ++v) sums_[at(i)][v] += one[v];
      });
    }
    for (const std::uint32_t sum : sums_[at(i)]) digest(i, sum);
  }

  /// In each digit every value is as frequent as any other.
  void check() const override {
    const std::int64_t expected = rounds(2, 27) * length_ / static_cast<std::int64_t>(values);
    for (const counts& sums : sums_)
      for (const std::uint32_t sum : sums) require(sum == expected, "a digit has another count");
  }

 private:
  /// Three permutations of all numbers below the length, 21 bits each.
  std::uint64_t key(std::uint64_t array, std::uint64_t k) const {
    const auto mask = static_cast<std::uint64_t>(length_ - 1);
    const std::uint64_t one = k * (mixed(array) | 1) & mask, two = k * (mixed(array, std::uint64_t{1}) | 1) & mask;
    // Of a small array the numbers are repeated above, so that there, too, all digits count.
    return length_ == 1 << 21 ? one | two << 21 | (one ^ mask) << 42
                              : one | one << 14 | one << 28 | two << 42 | two << 56;
  }

  const std::int64_t length_;
  std::vector<std::vector<std::uint64_t>> keys_;
  std::vector<counts> sums_;
};

const listed<histogram> here{"bandwidth", "histogram"};

}  // namespace

}  // namespace unseen
