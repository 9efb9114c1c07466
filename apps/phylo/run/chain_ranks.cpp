#include "phylo/run/chain_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "phylo/io/error.hpp"
#include "phylo/run/inputs.hpp"

namespace phylo {
namespace {

constexpr std::size_t name_length = 16;
using Name = std::array<unsigned char, name_length>;

Name own_instructions() {
  Name name{};
  const std::string own = instruction_set();
  std::copy_n(own.begin(), std::min(own.size(), name_length - 1), name.begin());
  return name;
}

/// Sends, or in other ranks than 0 receives.
void share(Ranks& ranks, Patterns& patterns) {
  std::array<double, 2> sizes{static_cast<double>(patterns.taxa), static_cast<double>(patterns.count)};
  ranks.broadcast(sizes);
  patterns.taxa = static_cast<int>(sizes[0]);
  patterns.count = static_cast<int>(sizes[1]);
  std::vector<double> weights(patterns.weights.begin(), patterns.weights.end());
  weights.resize(static_cast<std::size_t>(patterns.count));
  ranks.broadcast(weights);
  patterns.weights.assign(weights.begin(), weights.end());
  patterns.codes.resize(static_cast<std::size_t>(patterns.taxa) * weights.size());
  ranks.broadcast(std::span<unsigned char>(patterns.codes));
}

}  // namespace

void share_patterns(Ranks& ranks, const Patterns& patterns) {
  Name name = own_instructions();
  ranks.broadcast(name);
  Patterns sent = patterns;
  share(ranks, sent);
}

Patterns shared_patterns(Ranks& ranks, const Alphabet& alphabet) {
  Name name{};
  ranks.broadcast(name);
  if (const Name own = own_instructions(); own != name) {
    const auto text = [](const Name& of) { return std::string(reinterpret_cast<const char*>(of.data())); };
    throw input_error(fmt::format(
        "rank {} computes with {} instructions and rank 0 with {}, whose results differ in the last digits; set "
        "MASLIN_SIMD to what all processors have",
        ranks.rank(), text(own), text(name)));
  }
  Patterns patterns;
  patterns.alphabet = &alphabet;
  share(ranks, patterns);
  return patterns;
}

}  // namespace phylo
