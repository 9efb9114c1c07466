#include "phylo/search/alrt.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "maslin/phase.hpp"
#include "phylo/search/random.hpp"
#include "phylo/tree/rearrange.hpp"

namespace phylo {
namespace {

/// Rounds over the five branches of a neighbour. It is met by few: rounds end when none moves noticeably.
constexpr int most_rounds = 16;

/// Leads that differ by less are taken for equal, as IQ-TREE does.
constexpr double least_difference = 0.05;

/// Gives the sum of values[i] * times[i]. Partial sums of a fixed number of lanes, so that it is fast and always the
/// same.
double weighted_sum(const std::vector<double>& times, const std::vector<double>& values) {
  constexpr std::size_t width = 8;
  double sums[width] = {};
  std::size_t i = 0;
  for (; i + width <= values.size(); i += width)
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += times[i + lane] * values[i + lane];
  for (; i < values.size(); ++i) sums[0] += times[i] * values[i];
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

/// Draws as many sites of each part as it has; `times` says how often each pattern came.
void draw_sites(const Parts& parts, Random& random, std::vector<double>& times) {
  std::fill(times.begin(), times.end(), 0.0);
  std::size_t begin = 0;
  for (const Part& part : parts) {
    const Patterns& patterns = part.patterns;
    const auto sites = static_cast<std::uint64_t>(patterns.sites());
    for (std::uint64_t i = 0; i < sites; ++i)
      times[begin + static_cast<std::size_t>(patterns.pattern_of_site[random.below(sites)])] += 1;
    begin += static_cast<std::size_t>(patterns.count);
  }
}

/// Engines of the same data, of which each stream takes one for a while. What an engine did before does not show in
/// what it computes, so it does not matter which.
class Engines {
 public:
  explicit Engines(const Parts& parts) {
    for (const Part& part : parts) views_.push_back({&part.patterns, &part.model});
  }

  std::unique_ptr<Engine> take() {
    {
      const std::lock_guard guard(mutex_);
      if (!idle_.empty()) {
        std::unique_ptr<Engine> engine = std::move(idle_.back());
        idle_.pop_back();
        return engine;
      }
    }
    return std::make_unique<Engine>(views_);
  }
  void give(std::unique_ptr<Engine> engine) {
    const std::lock_guard guard(mutex_);
    idle_.push_back(std::move(engine));
  }

 private:
  std::vector<PartView> views_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Engine>> idle_;
};

}  // namespace

Rivals rivals(Engine& engine, const Tree& tree, HalfEdge h) {
  Rivals out;
  out.lnl[0] = engine.evaluate(tree, h);
  out.sites[0] = engine.log_likelihoods_of_patterns(tree, h);
  const HalfEdge moved = tree.next(tree.next(h)),
                 across[] = {tree.next(tree.back(h)), tree.next(tree.next(tree.back(h)))};
  for (std::size_t i = 0; i < 2; ++i) {
    Tree other = tree;
    interchange(other, moved, across[i]);
    engine.changed_from(tree, other);
    engine.smooth_around(other, h, 1, most_rounds);
    out.lnl[i + 1] = engine.evaluate(other, h);
    out.sites[i + 1] = engine.log_likelihoods_of_patterns(other, h);
    engine.changed_from(other, tree);
  }
  return out;
}

double sh_support(const Rivals& rivals, const Parts& parts, int replicates, std::uint64_t seed) {
  const double lead = rivals.lnl[0] - std::max(rivals.lnl[1], rivals.lnl[2]);
  if (lead <= 0) return 0;
  std::vector<double> times(rivals.sites[0].size());
  int smaller = 0;
  for (int replicate = 0; replicate < replicates; ++replicate) {
    Random random(stream_seed(seed, Draw::site_log_likelihoods, static_cast<std::uint64_t>(replicate)));
    draw_sites(parts, random, times);
    std::array<double, 3> centred{};
    for (std::size_t i = 0; i < 3; ++i) centred[i] = weighted_sum(times, rivals.sites[i]) - rivals.lnl[i];
    std::sort(centred.begin(), centred.end());
    if (lead > centred[2] - centred[1] + least_difference) ++smaller;
  }
  return static_cast<double>(smaller) / replicates;
}

std::vector<double> sh_alrt(const Parts& parts, const Tree& tree, int replicates, std::uint64_t seed,
                            const std::function<bool()>& finished) {
  std::vector<HalfEdge> branches;
  for (const HalfEdge h : tree.branches())
    if (!tree.is_tip(h) && !tree.is_tip(tree.back(h))) branches.push_back(h);
  std::vector<double> supports(static_cast<std::size_t>(tree.half_edges()), -1.0);
  Engines engines(parts);
  std::atomic<bool> stopped{false};
  maslin::phase(branches_phase, static_cast<std::int64_t>(branches.size()), [&](std::int64_t stream) {
    if (stopped) return;
    const HalfEdge h = branches[static_cast<std::size_t>(stream)];
    std::unique_ptr<Engine> engine = engines.take();
    const double support = sh_support(rivals(*engine, tree, h), parts, replicates, seed);
    engines.give(std::move(engine));
    supports[static_cast<std::size_t>(h)] = supports[static_cast<std::size_t>(tree.back(h))] = support;
    if (!finished()) stopped = true;
  });
  return supports;
}

}  // namespace phylo
