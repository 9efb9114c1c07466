// Sample sort: the stream reads its keys, chooses splitters and deals the keys out to buckets, all serially; buckets
// are sorted in a loop.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t buckets = 64;
constexpr double read_seconds = 5e-9;
constexpr double deal_seconds = 25e-9;
constexpr double compare_seconds = 3.3e-9;

class sample_sort final : public program {
 public:
  explicit sample_sort(const size& what) : program(what, 16), keys_(small_or<std::int64_t>(4'000, 60'000)) {
    sorted_.resize(at(streams()));
    sums_.resize(at(streams()));
  }

  void stream(std::int64_t i) override {
    std::vector<std::uint64_t> keys = room<std::uint64_t>(keys_);
    std::vector<std::uint64_t>& out = sorted_[at(i)];
    out = keys;
    const auto n = static_cast<double>(keys_);
    for (std::int64_t round = 0; round < rounds(2, 16); ++round) {
      alone(n * read_seconds, [&] {
        sums_[at(i)] = 0;
        for (std::int64_t k = 0; k < keys_; ++k) {
          const double u = uniform(static_cast<std::uint64_t>(i * 1000 + round), static_cast<std::uint64_t>(k));
          sums_[at(i)] += keys[at(k)] = static_cast<std::uint64_t>(u * u * 0x1p60);
        }
      });
      std::vector<std::int64_t> begins(buckets + 1);
      alone(n * deal_seconds, [&] { begins = deal(keys, out); });
      loop(buckets, 1, n / buckets * std::log2(n / buckets) * compare_seconds, [&](range r) {
        for (std::int64_t b = r.first; b < r.last; ++b)
          std::sort(out.begin() + begins[at(b)], out.begin() + begins[at(b + 1)]);
      });
    }
    digest(i, out);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      std::uint64_t sum = 0;
      for (const std::uint64_t key : sorted_[at(i)]) sum += key;
      require(sum == sums_[at(i)], "keys were lost");
      require(std::is_sorted(sorted_[at(i)].begin(), sorted_[at(i)].end()), "keys are not sorted");
    }
  }

 private:
  static std::vector<std::int64_t> deal(const std::vector<std::uint64_t>& keys, std::vector<std::uint64_t>& out) {
    std::vector<std::uint64_t> sample(keys.begin(), keys.begin() + 8 * buckets), splitters;
    std::sort(sample.begin(), sample.end());
    for (std::int64_t b = 1; b < buckets; ++b) splitters.push_back(sample[at(8 * b)]);
    std::vector<std::int64_t> begins(buckets + 1), ends;
    std::vector<std::uint8_t> into(keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k) {
      into[k] =
          static_cast<std::uint8_t>(std::upper_bound(splitters.begin(), splitters.end(), keys[k]) - splitters.begin());
      ++begins[into[k] + 1U];
    }
    for (std::size_t b = 0; b < buckets; ++b) begins[b + 1] += begins[b];
    ends = begins;
    for (std::size_t k = 0; k < keys.size(); ++k) out[at(ends[into[k]]++)] = keys[k];
    return begins;
  }

  const std::int64_t keys_;
  std::vector<std::vector<std::uint64_t>> sorted_;
  std::vector<std::uint64_t> sums_;
};

const listed<sample_sort> here{"serial", "sample-sort"};

}  // namespace

}  // namespace unseen
