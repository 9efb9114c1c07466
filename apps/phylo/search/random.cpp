#include "phylo/search/random.hpp"

#include <bit>

namespace phylo {
namespace {

__extension__ using wide = unsigned __int128;

/// SplitMix64 (Steele, Lea and Flood 2014): advances the state and gives a well-mixed word.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

std::uint64_t stream_seed(std::uint64_t seed, Draw kind, std::uint64_t index) {
  std::uint64_t state = seed;
  state = split_mix(state) ^ static_cast<std::uint64_t>(kind);
  state = split_mix(state) ^ index;
  return split_mix(state);
}

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = split_mix(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t n) {
  wide product = static_cast<wide>(next()) * n;
  auto low = static_cast<std::uint64_t>(product);
  if (low < n) {
    const std::uint64_t rejected = (0 - n) % n;  // 2^64 mod n
    while (low < rejected) {
      product = static_cast<wide>(next()) * n;
      low = static_cast<std::uint64_t>(product);
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

}  // namespace phylo
