// Edit distances of pairs of strings of lognormal lengths: a stream is a pair, and has neither a loop nor an off-load.

#include <string>

#include "program.hpp"

namespace unseen {

namespace {

constexpr double cell_seconds = 1.8e-9;

class alignment final : public program {
 public:
  explicit alignment(const size& what) : program(what, 300), pairs_(at(streams())) {
    if (declared) return;
    for (std::int64_t i = 0; i < streams(); ++i) {
      const auto seed = static_cast<std::uint64_t>(i);
      pair& p = pairs_[at(i)];
      for (std::int64_t k = 0; k < length(i); ++k) p.first += "ACGT"[mixed(seed, static_cast<std::uint64_t>(k)) >> 62];
      for (std::size_t k = 0; k < p.first.size(); ++k) {
        const double u = uniform(seed + 1000, k);
        if (u < 0.02) continue;  // lost
        p.second += u < 0.06 ? 'A' : p.first[k];
        if (u > 0.98) p.second += 'C';
      }
    }
  }

  void stream(std::int64_t i) override {
    pair& p = pairs_[at(i)];
    const auto n = static_cast<double>(length(i));
    alone(n * n * cell_seconds, [&] { p.distance = banded(p, static_cast<std::int64_t>(p.second.size())); });
    digest(i, p.distance);
  }

  /// Within a band as wide as the distance nothing is missed.
  void check() const override {
    for (const pair& p : pairs_) {
      require(p.distance > 0, "a pair is equal");
      require(banded(p, p.distance) == p.distance, "a distance is wrong");
    }
  }

 private:
  struct pair {
    std::string first, second;
    std::int64_t distance = 0;
  };

  std::int64_t length(std::int64_t i) const {
    return small_or<std::int64_t>(100 + 20 * i, std::llround(1110 * lognormal(0.7, 5, static_cast<std::uint64_t>(i))));
  }

  static std::int64_t banded(const pair& p, std::int64_t band) {
    const auto n = static_cast<std::int64_t>(p.first.size()), m = static_cast<std::int64_t>(p.second.size());
    constexpr std::int64_t far = 1'000'000;
    std::vector<std::int64_t> row(at(m + 1), far);
    for (std::int64_t j = 0; j <= std::min(m, band); ++j) row[at(j)] = j;
    for (std::int64_t k = 1; k <= n; ++k) {
      const std::int64_t begin = std::max<std::int64_t>(1, k - band), end = std::min(m, k + band);
      std::int64_t diagonal = row[at(begin - 1)];
      row[at(begin - 1)] = begin == 1 && k <= band ? k : far;
      for (std::int64_t j = begin; j <= end; ++j) {
        const std::int64_t above = row[at(j)];
        const std::int64_t same = diagonal + (p.first[at(k - 1)] != p.second[at(j - 1)]);
        row[at(j)] = std::min({same, above + 1, row[at(j - 1)] + 1});
        diagonal = above;
      }
    }
    return row[at(m)];
  }

  std::vector<pair> pairs_;
};

const listed<alignment> here{"unequal", "alignment"};

}  // namespace

}  // namespace unseen
