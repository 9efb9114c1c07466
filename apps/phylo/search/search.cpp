#include "phylo/search/search.hpp"

#include <algorithm>
#include <limits>

#include "phylo/like/engine.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/random.hpp"
#include "phylo/search/random_start.hpp"

namespace phylo {
namespace {

constexpr int radius_step = 5;
constexpr int radius_limit = 21;    // as RAxML's
constexpr double round_gain = 0.1;  // log-likelihood units that make another round worth while

// The ratchet: this share of the patterns counts for so many times its sites while parsimony moves subtrees about.
// Chosen on bootstrap replicates of d041, d050, d027 and d044 among shares of 0.25 to 0.5 and factors of 2 to 20.
constexpr double favoured_share = 0.35;
constexpr std::uint32_t favour = 20;
constexpr int ratchet_radius = 4;
constexpr double ratchet_gain = 0.5;    // rounds go on as long as they gain that much: only the better trees matter
constexpr double ratchet_least = 0.05;  // a tree that is better by less is the same one

/// One search: an engine, the tree it climbs on, and where it stands.
class Search {
 public:
  Search(const Parts& parts, const SearchOptions& options, const SearchProgress& progress)
      : parts_(parts),
        options_(options),
        progress_(progress),
        random_(options.from ? Random(options.from->random)
                             : Random(stream_seed(options.seed, Draw::start_tree, options.index))),
        tree_(options.from ? options.from->tree : start_tree()),
        limit_(std::min(radius_limit, tree_.tips() - 3)),
        engine_(views_of(parts), {.memory = options.memory, .between = options.between}),
        climber_(engine_, tree_, counts_, options.constraint) {
    if (options.unlinked && tree_.lengths() == 1) tree_.unlink(parts.size());
    if (options.from) go_on_from(*options.from);
  }

  SearchResult run() {
    if (options_.from == nullptr) {
      smooth(2, 10);
      engine_.optimize_model(tree_, 10);
      smooth(4, 1);
      keep();
    }
    if (stage_ == Stage::widening) {
      climb_wider();
      engine_.optimize_model(tree_, 1);
      smooth(4, 0.1);
      stage_ = Stage::perturbing;
      keep();
    }
    if (stage_ == Stage::perturbing) {
      while (counts_.ratchets < options_.ratchets) {
        ratchet();
        keep();
      }
      stage_ = Stage::finishing;
      ring_ = first_ring;
    }
    climb_to_the_top();
    arrive(engine_.optimize(tree_, options_.epsilon));
    return {tree_, engine_.model(), engine_.models(), lnl_, counts_};
  }

 private:
  using Stage = SearchState::Stage;
  /// How far subtrees are moved in a round.
  struct Ring {
    int nearest, farthest;

    Ring next() const { return {farthest + 1, farthest + radius_step}; }
  };
  static constexpr Ring first_ring{1, radius_step};

  void go_on_from(const SearchState& state) {
    stage_ = state.stage;
    ring_ = {state.nearest, state.farthest};
    counts_ = state.counts;
    climber_.go_on_from(state.climber);
    for (std::size_t part = 0; part < state.models.size(); ++part)
      engine_.set_model(state.models[part], static_cast<int>(part));
    engine_.set_curvatures(state.curvatures);
    lnl_ = state.lnl;
    highest_ = state.highest;
  }

  /// Shows where the search is. Nothing is under way here.
  void keep() const {
    if (!options_.keep) return;
    options_.keep({stage_, ring_.nearest, ring_.farthest, tree_, engine_.models(), engine_.curvatures(), lnl_, highest_,
                   counts_, climber_.state(), random_.state()});
  }

  Tree start_tree() {
    if (const Tree* given = std::get_if<Tree>(&options_.start)) return *given;
    if (const ParsimonyTree* made = std::get_if<ParsimonyTree>(&options_.start)) {
      random_ = Random(made->random);
      return made->tree;
    }
    if (std::holds_alternative<RandomStart>(options_.start))
      return random_start(parts_.front().patterns.taxa, random_, options_.constraint);
    return parsimony_start(ParsimonySites(patterns_of(parts_)), random_, parsimony_radius, options_.constraint);
  }

  /// Notes the log-likelihood of the tree in hand; what is reported is that of the best tree, which may be another.
  void arrive(double lnl) {
    lnl_ = lnl;
    highest_ = std::max(highest_, lnl);
    if (progress_) progress_(highest_);
  }

  void smooth(int rounds, double epsilon) {
    ++counts_.smoothed;
    arrive(engine_.smooth(tree_, rounds, epsilon));
  }

  SprRound in_ring() const {
    SprRound how;
    how.nearest = ring_.nearest;
    how.farthest = ring_.farthest;
    return how;
  }

  /// Gives what a round and smoothing gained.
  double round(const SprRound& how, double epsilon) {
    const double before = lnl_;
    climber_.round(how, before);
    smooth(4, epsilon);
    return lnl_ - before;
  }

  /// Rounds that reach farther and farther, as long as that brings something.
  void climb_wider() {
    while (true) {
      SprRound how = in_ring();
      how.near_misses = 0;
      if (round(how, 1) < round_gain || ring_.farthest >= limit_) return;
      ring_ = ring_.next();
      keep();
    }
  }

  /// Rearranges the tree by parsimony while some patterns count for more, climbs anew, and keeps the better tree.
  void ratchet() {
    ++counts_.ratchets;
    const Tree best = tree_;
    const double best_lnl = lnl_;
    Parts skewed = parts_;
    for (Part& part : skewed)
      for (std::uint32_t& weight : part.patterns.weights)
        if (random_.uniform() < favoured_share) weight *= favour;
    tree_ =
        parsimony_improved(ParsimonySites(patterns_of(skewed)), best, random_, parsimony_radius, options_.constraint);
    engine_.changed_everything();
    smooth(4, 1);
    SprRound how;
    how.near_misses = 0;
    how.fitted = 2;
    how.farthest = ratchet_radius;
    while (round(how, 1) >= ratchet_gain) continue;
    if (lnl_ > best_lnl + ratchet_least) return;
    tree_ = best;
    lnl_ = best_lnl;
    engine_.changed_everything();
  }

  /// Rounds with near misses, first close by, then in rings farther and farther out, until none brings anything.
  void climb_to_the_top() {
    while (ring_.nearest <= limit_) {
      ring_ = round(in_ring(), 0.1) >= round_gain ? first_ring : ring_.next();
      keep();
    }
  }

  const Parts& parts_;
  const SearchOptions& options_;
  const SearchProgress& progress_;
  SearchCounts counts_;
  Random random_;
  Tree tree_;
  int limit_;
  Engine engine_;
  SprClimber climber_;
  Stage stage_ = Stage::widening;
  Ring ring_ = first_ring;
  double lnl_ = 0;
  double highest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

SearchResult search(const Parts& parts, const SearchOptions& options, const SearchProgress& progress) {
  return Search(parts, options, progress).run();
}

SearchResult search(const Patterns& patterns, const Model& model, const SearchOptions& options,
                    const SearchProgress& progress) {
  return search(Parts{{{}, patterns, model}}, options, progress);
}

}  // namespace phylo
