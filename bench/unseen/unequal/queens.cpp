// Queens on boards of 9 to 14 rows, counted in one loop over the places of the first two; a row more is five times the
// work.

#include <array>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::array<std::int64_t, 15> solutions{1,  1,   0,   0,     2,      10,     4,      40,
                                                 92, 352, 724, 2'680, 14'200, 73'712, 365'596};
constexpr double seconds_of_14 = 0.15;

class queens final : public program {
 public:
  explicit queens(const size& what) : program(what, 36), counts_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t n = side(i);
    const auto places = n * n;
    const double each = seconds_of_14 * std::pow(5.3, static_cast<double>(n - 14)) / static_cast<double>(places);
    for (std::int64_t round = 0; round < rounds(2, 1 + (14 - n)); ++round)
      counts_[at(i)] = loop_sum(places, 1, each, [&](range r) {
        std::int64_t found = 0;
        for (std::int64_t k = r.first; k < r.last; ++k) found += below(n, k % n, k / n);
        return static_cast<double>(found);
      });
    digest(i, counts_[at(i)]);
  }

  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i)
      require(counts_[at(i)] == static_cast<double>(solutions[at(side(i))]), "another number of solutions");
  }

 private:
  /// Every ninth board is one of 14.
  std::int64_t side(std::int64_t i) const {
    constexpr std::array<std::int64_t, 9> sides{10, 11, 13, 9, 12, 10, 14, 11, 12};
    return small_or<std::int64_t>(6 + i % 3, sides[at(i) % sides.size()]);
  }

  static std::int64_t below(std::int64_t n, std::int64_t first, std::int64_t second) {
    const unsigned a = 1U << first, b = 1U << second;
    if (b & (a | a << 1 | a >> 1)) return 0;
    return placed((1U << n) - 1, a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
  }
  static std::int64_t placed(unsigned all, unsigned columns, unsigned left, unsigned right) {
    if (columns == all) return 1;
    std::int64_t found = 0;
    for (unsigned open = all & ~(columns | left | right); open; open &= open - 1) {
      const unsigned one = open & -open;
      found += placed(all, columns | one, (left | one) << 1, (right | one) >> 1);
    }
    return found;
  }

  std::vector<double> counts_;
};

const listed<queens> here{"unequal", "queens"};

}  // namespace

}  // namespace unseen
