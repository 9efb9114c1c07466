// A genetic algorithm whose genomes grow from 16 to 512 genes: fitness is an off-loaded loop over the population, which
// becomes ever longer; the stream selects and crosses.

#include <numeric>

#include "program.hpp"

namespace unseen {

namespace {

constexpr std::int64_t population = 64;
constexpr std::int64_t shortest = 16;
constexpr std::int64_t longest = 512;
constexpr std::int64_t neighbours = 6;
constexpr double gene_seconds = 11e-9;
constexpr double breed_seconds = 0.3e-9;  // of a gene

const kernel fitness_kernel{"fitness"};

using genome = std::vector<std::uint8_t>;

class genetic_algorithm final : public program {
 public:
  explicit genetic_algorithm(const size& what)
      : program(what, 28),
        generations_(rounds(8, 190)),
        best_(at(streams())),
        first_(at(streams())),
        recorded_(at(streams())) {}

  void stream(std::int64_t i) override {
    std::vector<genome> living(population);
    std::vector<double> fit(population);
    for (std::int64_t k = 0; k < population; ++k) living[at(k)] = room<std::uint8_t>(longest);
    for (std::int64_t k = 0; k < population; ++k)
      for (std::size_t gene = 0; gene < living[at(k)].size(); ++gene)
        living[at(k)][gene] = mixed(static_cast<std::uint64_t>(i * population + k), gene) & 1U;
    for (std::int64_t generation = 0; generation < generations_; ++generation) {
      const std::int64_t genes =
          shortest + (longest - shortest) * generation / std::max<std::int64_t>(1, generations_ - 1);
      off_load(fitness_kernel, [&] {
        loop(population, 1, static_cast<double>(genes) * gene_seconds, [&](range r) {
          for (std::int64_t k = r.first; k < r.last; ++k) fit[at(k)] = fitness(i, living[at(k)], genes);
        });
      });
      alone(static_cast<double>(population * genes) * breed_seconds, [&] { breed(i, generation, genes, living, fit); });
    }
    if (declared) return;
    best_[at(i)] = living[0];
    digest(i, living[0]);
    digest(i, fit);
  }

  /// The fittest survives, and by then it is fitter than a random genome.
  void check() const override {
    for (std::int64_t i = 0; i < streams(); ++i) {
      require(fitness(i, best_[at(i)], longest) == recorded_[at(i)], "the fittest was lost");
      require(recorded_[at(i)] > first_[at(i)], "nobody became fitter");
    }
  }

 private:
  /// Kauffman's NK landscape: what a gene is worth depends on the next ones.
  static double fitness(std::int64_t i, const genome& g, std::int64_t genes) {
    double sum = 0;
    for (std::int64_t k = 0; k < genes; ++k) {
      std::uint64_t around = 0;
      for (std::int64_t j = 0; j < neighbours; ++j) around = around << 1 | g[at((k + j) % genes)];
      sum += uniform(static_cast<std::uint64_t>(i), around + static_cast<std::uint64_t>(k) * 64);
    }
    return sum / static_cast<double>(genes);
  }

  /// The better half lives, the fittest first; its children take the places of the others.
  void breed(std::int64_t i, std::int64_t generation, std::int64_t genes, std::vector<genome>& living,
             std::vector<double>& fit) {
    std::vector<std::size_t> order(population);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return fit[a] > fit[b]; });
    if (generation + 1 == generations_) {
      first_[at(i)] = std::accumulate(fit.begin(), fit.end(), 0.0) / population;
      recorded_[at(i)] = fit[order[0]];
      std::swap(living[0], living[order[0]]);
      return;
    }
    std::vector<genome> next;
    for (std::size_t k = 0; k < population / 2; ++k) next.push_back(std::move(living[order[k]]));
    const auto seed = static_cast<std::uint64_t>(i * 1'000 + generation) + 77;
    for (std::size_t k = 0; k < population / 2; ++k) {
      const std::uint64_t draw = mixed(seed, k);
      genome child = next[draw % (population / 2)];
      const genome& other = next[(draw >> 16) % (population / 2)];
      const auto cut = static_cast<std::ptrdiff_t>((draw >> 32) % static_cast<std::uint64_t>(genes));
      std::copy(other.begin() + cut, other.end(), child.begin() + cut);
      child[(draw >> 48) % static_cast<std::uint64_t>(genes)] ^= 1U;
      next.push_back(std::move(child));
    }
    living = std::move(next);
  }

  const std::int64_t generations_;
  std::vector<genome> best_;
  std::vector<double> first_, recorded_;
};

const listed<genetic_algorithm> here{"mixes", "genetic-algorithm"};

}  // namespace

}  // namespace unseen
