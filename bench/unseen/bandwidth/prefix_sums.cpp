// Prefix sums of long arrays in two passes: blocks are summed in a loop, the stream adds the sums of the blocks, and a
// second loop writes. Streams never off-load.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t block = 1 << 13;

class prefix_sums final : public program {
 public:
  explicit prefix_sums(const size& what) : program(what, 20), length_(small_or<std::int64_t>(1 << 14, 1 << 21)) {
    sums_.assign(at(streams()), room<std::uint64_t>(length_));
    values_ = room<std::uint64_t>(length_);
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = k;
  }

  void stream(std::int64_t i) override {
    std::vector<std::uint64_t>& sums = sums_[at(i)];
    std::vector<std::uint64_t> before(at(length_ / block));
    for (std::int64_t round = 0; round < rounds(2, 38); ++round) {
      loop(length_, block, moved(8), [&](range r) {
        std::uint64_t sum = 0;
        for (std::int64_t k = r.first; k < r.last; ++k) sum += values_[at(k)];
        before[at(r.first / block)] = sum;
      });
      alone(static_cast<double>(before.size()) * 1e-9, [&] {
        auto sum = static_cast<std::uint64_t>(i + round);
        for (std::uint64_t& one : before) sum += std::exchange(one, sum);
      });
      loop(length_, block, moved(24), [&](range r) {
        std::uint64_t sum = before[at(r.first / block)];
        for (std::int64_t k = r.first; k < r.last; ++k) sums[at(k)] = sum += values_[at(k)];
      });
    }
    for (std::size_t k = 0; k < sums.size(); k += 31) digest(i, sums[k]);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i)
      for (std::size_t k = 0; k < values_.size(); ++k)
        require(sums_[at(i)][k] == k * (k + 1) / 2 + static_cast<std::uint64_t>(i + rounds(2, 38) - 1),
                "a sum is wrong");
  }

 private:
  const std::int64_t length_;
  std::vector<std::uint64_t> values_;
  std::vector<std::vector<std::uint64_t>> sums_;
};

const listed<prefix_sums> here{"bandwidth", "prefix-sums"};

}  // namespace

}  // namespace unseen
