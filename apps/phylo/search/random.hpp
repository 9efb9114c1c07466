#pragma once
// Random numbers that are the same everywhere: the generator and its mapping to ranges are stated here, not left to a
// standard library.

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace phylo {

/// What a stream of random numbers is for; streams of different kinds have nothing in common.
enum class Draw : std::uint64_t {
  start_tree = 1,
  bootstrap_weights = 2,
  chain = 3,
  generation = 4,
  swap = 5,
  halves = 6,
  site_log_likelihoods = 7
};

/// Gives the seed of stream `index` of one kind of draws in a run with `seed`.
std::uint64_t stream_seed(std::uint64_t seed, Draw kind, std::uint64_t index);

/// xoshiro256** (Blackman and Vigna 2018), its state filled by SplitMix64 from the seed.
class Random {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Random(std::uint64_t seed);
  /// Goes on where another one is.
  explicit Random(const State& state) : state_(state) {}
  const State& state() const { return state_; }

  std::uint64_t next();
  /// Uniform in [0, n), without bias (Lemire 2019). n must be positive.
  std::uint64_t below(std::uint64_t n);
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();

  /// Every order is equally likely (Fisher-Yates).
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  State state_;
};

}  // namespace phylo
