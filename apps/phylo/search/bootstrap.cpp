#include "phylo/search/bootstrap.hpp"

#include <vector>

#include "phylo/search/random.hpp"

namespace phylo {

namespace {

Patterns drawn_from(const Patterns& patterns, Random& random) {
  Patterns drawn;
  drawn.alphabet = patterns.alphabet;
  drawn.names = patterns.names;
  drawn.taxa = patterns.taxa;
  const auto sites = static_cast<std::uint64_t>(patterns.sites());
  std::vector<std::uint32_t> times(static_cast<std::size_t>(patterns.count), 0);
  drawn.pattern_of_site.reserve(sites);
  for (std::uint64_t i = 0; i < sites; ++i) {
    const std::int32_t pattern = patterns.pattern_of_site[random.below(sites)];
    ++times[static_cast<std::size_t>(pattern)];
    drawn.pattern_of_site.push_back(pattern);
  }

  std::vector<std::int32_t> renumbered(times.size(), -1);
  for (std::size_t p = 0; p < times.size(); ++p) {
    if (times[p] == 0) continue;
    renumbered[p] = drawn.count++;
    drawn.weights.push_back(times[p]);
  }
  for (std::int32_t& pattern : drawn.pattern_of_site) pattern = renumbered[static_cast<std::size_t>(pattern)];
  drawn.codes.reserve(static_cast<std::size_t>(drawn.taxa) * static_cast<std::size_t>(drawn.count));
  for (int taxon = 0; taxon < patterns.taxa; ++taxon)
    for (std::size_t p = 0; p < times.size(); ++p)
      if (times[p] != 0) drawn.codes.push_back(patterns.row(taxon)[p]);
  return drawn;
}

}  // namespace

Patterns bootstrap_patterns(const Patterns& patterns, std::uint64_t seed, std::uint64_t replicate) {
  Random random(stream_seed(seed, Draw::bootstrap_weights, replicate));
  return drawn_from(patterns, random);
}

Parts bootstrap_parts(const Parts& parts, std::uint64_t seed, std::uint64_t replicate) {
  Random random(stream_seed(seed, Draw::bootstrap_weights, replicate));
  Parts drawn;
  for (const Part& part : parts) {
    drawn.push_back({part.name, drawn_from(part.patterns, random), part.model});
    count_invariant(drawn.back().model, drawn.back().patterns);
  }
  return drawn;
}

}  // namespace phylo
