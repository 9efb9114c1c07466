#include "phylo/search/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "phylo/like/engine.hpp"
#include "phylo/search/parsimony.hpp"
#include "phylo/search/random.hpp"
#include "phylo/search/random_start.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {
namespace {

constexpr int near_radius = 5;
constexpr int far_radius = 21;      // as RAxML's
constexpr double round_gain = 0.1;  // log-likelihood units that make another round worth while

// The ratchet: only this share of the patterns counts while parsimony moves subtrees about. Chosen on bootstrap
// replicates of d041, d050, d027 and d044 among shares of 0.35 to 0.65; that the share counts for 20 times its sites
// beside the others takes ten times as long and finds no more.
constexpr double counted_share = 0.35;

// Climbs from other trees.
constexpr int other_radius = 4;
constexpr double other_gain = 0.5;    // rounds go on as long as they gain that much: only the better trees matter
constexpr double other_least = 0.05;  // a tree that is better by less is the same one

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
        limit_(std::min(far_radius, tree_.tips() - 3)),
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
    if (stage_ == Stage::beginning) {
      SprRound how = in_ring();
      how.near_misses = 0;
      round(how, 1);
      engine_.optimize_model(tree_, 1);
      smooth(4, 0.1);
      stage_ = Stage::restarting;
      keep();
    }
    if (stage_ == Stage::restarting) {
      bool agreed = false;  // two starts that lead to one tree: the others would as well
      while (!agreed && counts_.restarts < restarts()) {
        agreed = restart() == Outcome::same;
        if (!agreed) keep();
      }
      stage_ = agreed ? Stage::finishing : Stage::perturbing;
      keep();
    }
    if (stage_ == Stage::perturbing) {
      while (counts_.ratchets < options_.effort.ratchets && fruitless_ < options_.effort.fruitless) {
        fruitless_ = ratchet() == Outcome::better ? 0 : fruitless_ + 1;
        keep();
      }
      stage_ = Stage::finishing;
    }
    climb_to_the_top();
    arrive(engine_.optimize(tree_, options_.epsilon));
    return {tree_, engine_.model(), engine_.models(), lnl_, counts_};
  }

 private:
  using Stage = SearchState::Stage;
  /// Of a climb from another tree: whether it ended on the best tree so far.
  enum class Outcome { better, same, worse };
  /// How far subtrees are moved in a round.
  struct Ring {
    int nearest, farthest;

    Ring next() const { return {farthest + 1, farthest + far_radius - near_radius}; }
  };
  static constexpr Ring near_ring{1, near_radius};

  void go_on_from(const SearchState& state) {
    stage_ = state.stage;
    fruitless_ = state.fruitless;
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
    options_.keep({stage_, fruitless_, ring_.nearest, ring_.farthest, tree_, engine_.models(), engine_.curvatures(),
                   lnl_, highest_, counts_, climber_.state(), random_.state()});
  }

  Tree start_tree() {
    if (const Tree* given = std::get_if<Tree>(&options_.start)) return *given;
    if (const ParsimonyTree* made = std::get_if<ParsimonyTree>(&options_.start)) {
      random_ = Random(made->random);
      return made->tree;
    }
    if (std::holds_alternative<RandomStart>(options_.start))
      return random_start(parts_.front().patterns.taxa, random_, options_.constraint);
    return parsimony_tree();
  }
  Tree parsimony_tree() {
    return parsimony_start(ParsimonySites(patterns_of(parts_)), random_, parsimony_radius, options_.constraint);
  }

  /// Whoever names another start wants to see where that leads.
  int restarts() const {
    const bool from_parsimony =
        std::holds_alternative<ParsimonyStart>(options_.start) || std::holds_alternative<ParsimonyTree>(options_.start);
    return from_parsimony ? options_.effort.restarts : 0;
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

  Outcome restart() {
    ++counts_.restarts;
    Tree other = parsimony_tree();
    if (options_.unlinked) other.unlink(parts_.size());
    return climb_from(std::move(other));
  }

  /// Climbs from the best tree as parsimony rearranges it while only some patterns count.
  Outcome ratchet() {
    ++counts_.ratchets;
    Parts counted = parts_;
    for (Part& part : counted)
      for (std::uint32_t& weight : part.patterns.weights)
        if (random_.uniform() >= counted_share) weight = 0;
    return climb_from(parsimony_improved(ParsimonySites(patterns_of(counted)), tree_, random_, parsimony_radius,
                                         options_.constraint));
  }

  /// Climbs from another tree until that brings nothing more or leads to the best tree so far; keeps the better one.
  Outcome climb_from(Tree other) {
    const Tree best = std::exchange(tree_, std::move(other));
    const double best_lnl = lnl_;
    const auto has_come_back = [&, topology = fingerprint(best)] { return fingerprint(tree_) == topology; };
    engine_.changed_everything();
    if (!has_come_back()) smooth(4, 1);
    SprRound how;
    how.near_misses = 0;
    how.fitted = 2;
    how.farthest = other_radius;
    for (double gain = other_gain; gain >= other_gain && !has_come_back();) gain = round(how, 1);
    const bool same = has_come_back();
    if (!same && lnl_ > best_lnl + other_least) return Outcome::better;
    tree_ = best;
    lnl_ = best_lnl;
    engine_.changed_everything();
    return same ? Outcome::same : Outcome::worse;
  }

  /// Rounds with near misses: close by as long as that brings something, then farther away; until none does.
  void climb_to_the_top() {
    while (ring_.nearest <= limit_) {
      ring_ = round(in_ring(), 0.1) >= round_gain ? near_ring : ring_.next();
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
  Stage stage_ = Stage::beginning;
  int fruitless_ = 0;
  Ring ring_ = near_ring;
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
