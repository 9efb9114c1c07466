// Primes above a thousand million: the first half of the streams sieve long intervals in loops, the second half test
// single numbers by Miller and Rabin, with neither loop nor off-load. So the phase changes in its middle.

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t base = 1'000'000'000;
constexpr std::int64_t segment = 1 << 16;
constexpr double segment_seconds = 38e-6;
constexpr double test_seconds = 0.05e-6;

class prime_search final : public program {
 public:
  explicit prime_search(const size& what)
      : program(what, 60),
        segments_(small_or<std::int64_t>(4, 210)),
        tested_(small_or<std::int64_t>(2'000, 150'000)),
        counts_(at(streams())),
        pairs_(streams() / 2) {
    std::vector<char> composite(40'000);
    for (std::size_t p = 3; p < composite.size(); p += 2) {
      if (composite[p]) continue;
      small_primes_.push_back(static_cast<std::int64_t>(p));
      for (std::size_t k = p * p; k < composite.size(); k += p) composite[k] = 1;
    }
  }

  void stream(std::int64_t i) override {
    const std::int64_t times = rounds(1, 2);
    for (std::int64_t round = 0; round < times; ++round) {
      if (i < pairs_)
        sieve(i);
      else if (i < 2 * pairs_)
        alone(static_cast<double>(tested_) * test_seconds, [&] { counts_[at(i)] = tested(i - pairs_); });
    }
    digest(i, counts_[at(i)]);
  }

  /// Both ways find as many in the same numbers.
  void check() const override {
    for (std::int64_t i = 0; i < pairs_; ++i) {
      require(counts_[at(i)] > 0, "no primes at all");
      require(counts_[at(i)] == counts_[at(i + pairs_)], "sieve and test differ");
    }
  }

 private:
  std::int64_t begin(std::int64_t i) const { return base + i * segments_ * segment; }

  /// Sieves all segments, and counts those below the number that the tests end at.
  void sieve(std::int64_t i) {
    counts_[at(i)] = loop_sum(segments_, 1, segment_seconds, [&](range r) {
      std::int64_t found = 0;
      for (std::int64_t s = r.first; s < r.last; ++s) {
        std::vector<char> composite(segment / 2);  // odd numbers
        const std::int64_t from = begin(i) + s * segment;
        for (const std::int64_t p : small_primes_) {
          if (p * p >= from + segment) break;
          std::int64_t k = (from + p - 1) / p * p;
          if (k % 2 == 0) k += p;
          for (k = (k - from) / 2; k < segment / 2; k += p) composite[at(k)] = 1;
        }
        const std::int64_t last = std::clamp<std::int64_t>((tested_ - s * segment) / 2, 0, segment / 2);
        found += std::count(composite.begin(), composite.begin() + last, 0);
      }
      return static_cast<double>(found);
    });
  }

  double tested(std::int64_t i) const {
    std::int64_t found = 0;
    for (std::int64_t n = begin(i) + 1; n < begin(i) + tested_; n += 2) found += prime(static_cast<std::uint64_t>(n));
    return static_cast<double>(found);
  }
  static std::uint64_t power(std::uint64_t x, std::uint64_t n, std::uint64_t modulus) {
    std::uint64_t all = 1;
    for (; n > 0; n >>= 1, x = x * x % modulus)
      if (n & 1) all = all * x % modulus;
    return all;
  }
  /// Sure below 3,215,031,751 with these bases.
  static bool prime(std::uint64_t n) {
    for (const std::uint64_t p : {3, 5, 7, 11, 13})
      if (n % p == 0) return false;
    std::uint64_t odd = n - 1;
    int twos = 0;
    for (; odd % 2 == 0; odd /= 2) ++twos;
    for (const std::uint64_t witness : {2, 3, 5, 7}) {
      std::uint64_t x = power(witness, odd, n);
      if (x == 1 || x == n - 1) continue;
      int k = 1;
      for (; k < twos && x != n - 1; ++k) x = x * x % n;
      if (x != n - 1) return false;
    }
    return true;
  }

  const std::int64_t segments_, tested_;
  std::vector<std::int64_t> small_primes_;
  std::vector<double> counts_;
  const std::int64_t pairs_;
};

const listed<prime_search> here{"mixes", "prime-search"};

}  // namespace

}  // namespace unseen
