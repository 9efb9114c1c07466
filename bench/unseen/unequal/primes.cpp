// Primes by trial division: a stream counts those of an interval in one long loop. A prime takes a hundred times as
// long as most other numbers, and the intervals lie ever higher.

#include "program.hpp"

namespace unseen {

namespace {

constexpr double division_seconds = 1.8e-9;

class primes final : public program {
 public:
  explicit primes(const size& what)
      : program(what, 150), length_(small_or<std::int64_t>(2'000, 50'000)), counts_(at(streams())) {}

  void stream(std::int64_t i) override {
    const std::int64_t begin = i * length_;
    // One number in log n is a prime; the others take some ten divisions.
    const double n = static_cast<double>(begin + length_ / 2);
    const double each = division_seconds * (10 + std::sqrt(n) / 2 / std::log(n));
    for (std::int64_t round = 0; round < rounds(1, 1); ++round)
      counts_[at(i)] = loop_sum(length_, 200, each, [&](range r) {
        int found = 0;
        for (std::int64_t k = r.first; k < r.last; ++k) found += prime(static_cast<std::uint32_t>(begin + k));
        return static_cast<double>(found);
      });
    digest(i, counts_[at(i)]);
  }

  /// The sieve of Eratosthenes.
  void check() const override {
    std::vector<char> composite(at(length_ * streams()));
    composite[0] = composite[1] = 1;
    for (std::size_t p = 2; p * p < composite.size(); ++p)
      for (std::size_t k = p * p; !composite[p] && k < composite.size(); k += p) composite[k] = 1;
    for (std::int64_t i = 0; i < streams(); ++i) {
      const auto found = std::count(composite.begin() + i * length_, composite.begin() + (i + 1) * length_, 0);
      require(static_cast<double>(found) == counts_[at(i)], "another number of primes");
    }
  }

 private:
  static bool prime(std::uint32_t n) {
    if (n < 4) return n > 1;
    if (n % 2 == 0) return false;
    for (std::uint32_t d = 3; d * d <= n; d += 2)
      if (n % d == 0) return false;
    return true;
  }

  const std::int64_t length_;
  std::vector<double> counts_;
};

const listed<primes> here{"unequal", "primes"};

}  // namespace

}  // namespace unseen
