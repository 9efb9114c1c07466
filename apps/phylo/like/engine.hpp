#pragma once
// The likelihood of one tree at a time, on one set of site patterns under one model or on several.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "phylo/io/patterns.hpp"
#include "phylo/like/curvature.hpp"
#include "phylo/like/precision.hpp"
#include "phylo/like/segment.hpp"
#include "phylo/model/part.hpp"
#include "phylo/tree/tree.hpp"

namespace phylo {

/// Branch lengths stay in these bounds while they are optimized (expected substitutions per site).
inline constexpr double shortest_branch = 1e-6;
inline constexpr double longest_branch = 100;

/// Which branches of a tentative insertion are fitted.
enum class Fit {
  nothing,  ///< both parts of the split branch get half of its length
  pendant,  ///< only the branch to the subtree
  all,      ///< the three branches that meet
};

struct ModelSlopes;

/// How much an engine has computed.
struct Computed {
  std::int64_t likelihoods = 0;  ///< of trees
  std::int64_t vectors = 0;      ///< conditional likelihood vectors that these needed
};

/// A subtree hung into a branch, tentatively.
struct Insertion {
  double lnl = 0;
  BranchLength pendant;  ///< length from the new node to the subtree
  BranchLength near;     ///< to the node of the half-edge that was named
  BranchLength far;      ///< to the node at that branch's other end
};

/// Sites that share a model, for an engine that is made of them.
struct PartView {
  const Patterns* patterns;
  const Model* model;
};

/// Gives all parts of a run's data.
inline std::vector<PartView> views_of(const Parts& parts) {
  std::vector<PartView> views;
  for (const Part& part : parts) views.push_back({&part.patterns, &part.model});
  return views;
}

/// Computes log-likelihoods. That of several parts is the sum of theirs; they share the tree. They share its branch
/// lengths as well, which each may stretch by its model's `speed`, if the tree has one length a branch; or it has one
/// for each of them, and all are fitted. Half-edge `h` of an inner node has a conditional likelihood vector
/// (CLV): the probability of what the tips on h's own side of its branch show, for each base at h's node. There is one
/// for each direction, so that a search may look at a branch from both ends; in parts whose 3 (taxa - 2) of them find
/// no room in the memory allowed, each inner node keeps only the latest. Only what is not up to date is computed again.
///
/// The engine does not watch the tree. Whoever changes it calls `changed` for every half-edge whose length or partner
/// has changed (once per end is enough for a length; connect and disconnect: all four ends), after the change and
/// before the next call that computes; or `changed_everything`. All trees of one engine have the patterns' taxa as
/// tips, in that order.
///
/// Likelihoods and lengths are a pure function of patterns, model and tree: the same bits at any number of workers,
/// whatever was computed before. Where optimize_model ends depends on the engine's earlier calls of it as well.
///
/// Calls off-load the kernels `newview`, `evaluate`, `insertion` and `makenewz` (each with the traversal that its
/// operands need), whose loops run over blocks of patterns. All memory that grows with the data is taken at
/// construction. One engine serves one stream.
class Engine {
 public:
  struct Options {
    std::size_t memory = std::size_t{2} << 30;  ///< bytes for all CLVs; they take `least_memory` in any case
    bool proposals = false;  ///< `propose` may be called; takes one CLV more a node, whatever `memory` says
    Precision precision = Precision::binary64;  ///< of CLVs
    /// Called before each off-load. May throw, which ends the call of the engine: what was being fitted stays as far as
    /// it has come, and all CLVs are forgotten.
    std::function<void()> between = nullptr;
    /// Computes this segment only, and has room for its CLVs only. What `evaluate` and `propose` give is of all
    /// segments then; calls that would be of one only are refused. It must stay where it is.
    const Segment* segment = nullptr;
  };

  /// Frequencies that are to be counted in the alignment are counted here, also as where optimization starts. Throws
  /// error when MASLIN_SIMD asks for instructions that do not exist here. The patterns may be destroyed afterwards.
  Engine(const Patterns& patterns, const Model& model, const Options& options);
  Engine(const Patterns& patterns, const Model& model) : Engine(patterns, model, Options{}) {}
  /// Of several parts, which have the same taxa. Proposals are for one part only.
  explicit Engine(const std::vector<PartView>& parts, const Options& options);
  explicit Engine(const std::vector<PartView>& parts) : Engine(parts, Options{}) {}
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Gives the fewest bytes of CLVs with which an engine can do (of each part one CLV a node, and two).
  static std::size_t least_memory(const std::vector<PartView>& parts);

  int parts() const;
  /// Gives what calls of `evaluate` and `propose` have computed so far, all parts together.
  const Computed& computed() const;
  const Model& model(int part = 0) const;
  std::vector<Model> models() const;
  /// Takes another model (its frequencies as they stand) and forgets all CLVs of that part.
  void set_model(const Model& model, int part = 0);
  /// Gives what earlier calls of optimize_model have left for later ones, by part, and takes it from another engine.
  std::vector<Curvature> curvatures() const;
  void set_curvatures(const std::vector<Curvature>& of_parts);

  /// Says that the length or the partner of `h` has changed: forgets every CLV that looks through it. Walks only where
  /// something is up to date, so many calls cost little. An unconnected `h` is fine.
  void changed(const Tree& tree, HalfEdge h);
  /// Says so of every half-edge in which the tree differs from what it was.
  void changed_from(const Tree& before, const Tree& tree);
  /// Forgets all CLVs.
  void changed_everything();

  /// Gives the log-likelihood of a complete tree, computed at the branch of `h` (any branch gives the same value up to
  /// rounding).
  double evaluate(const Tree& tree, HalfEdge h);
  double evaluate(const Tree& tree) { return evaluate(tree, 0); }
  /// The same of one part.
  double evaluate_part(const Tree& tree, int part);

  /// Gives the log-likelihood of each pattern, unweighted, part after part, computed at the branch of `h`.
  std::vector<double> log_likelihoods_of_patterns(const Tree& tree, HalfEdge h);

  /// Gives for each pattern of one part how probable each state is at the inner node of `h`, given what all tips show:
  /// marginal ancestral states (Yang, Kumar and Nei 1995). By state, then by pattern; the sum over the states is 1. All
  /// half-edges of a node give the same up to rounding.
  std::vector<std::vector<double>> states_at(const Tree& tree, HalfEdge h, int part = 0);

  /// Brings the CLV of `h` up to date.
  void newview(const Tree& tree, HalfEdge h);

  /// Gives the length of h's branch, or each of its lengths, that maximizes the likelihood while all others stay (at
  /// most `iterations` steps of Newton-Raphson from its present length, safeguarded and bounded). Leaves the tree as it
  /// is.
  BranchLength makenewz(const Tree& tree, HalfEdge h, int iterations = 32);

  /// Sets h's branch to that length, tells itself, and gives the length.
  BranchLength optimize_branch(Tree& tree, HalfEdge h, int iterations = 32);

  /// Gives what the likelihood would be, and the lengths for it, with a subtree hung into a branch. `subtree` is the
  /// half-edge at the subtree's own root, looking at the place where it would hang; what it is connected to does not
  /// matter. `at` is a half-edge of the rest, a connected tree that does not hold the subtree. Nothing is changed, no
  /// CLV forgotten. `rounds` of Newton-Raphson go over the branches that are to be fitted.
  Insertion insertion(const Tree& tree, HalfEdge subtree, HalfEdge at, const BranchLength& pendant, Fit fit,
                      int rounds = 1);

  /// Optimizes the branches within `radius` branches of h's branch (0: only this one), `rounds` times at most, stopping
  /// when none moves noticeably. Gives nothing: evaluate when the value is needed.
  void smooth_around(Tree& tree, HalfEdge h, int radius, int rounds = 1);

  /// Optimizes all branches, round by round, until a round gains less than `epsilon` or `rounds` are done. Gives the
  /// log-likelihood.
  double smooth(Tree& tree, int rounds = 32, double epsilon = 0.01);

  /// Optimizes the parameters of the models that are to be optimized, all of a part at once (BFGS), until a step gains
  /// less than `epsilon`. What it learns of their curvature serves the next call. Branch lengths stay. Gives the
  /// log-likelihood.
  double optimize_model(const Tree& tree, double epsilon = 0.1);

  /// Gives the slopes of the log-likelihood of one part by its model's rates and frequencies, from one walk over the
  /// branches. Not for mixtures of matrices.
  ModelSlopes slopes_of_model(const Tree& tree, int part = 0);

  /// Alternates optimize_model and smooth until both together gain less than `epsilon`. With both +G and +I to be
  /// optimized it climbs twice, from many and from few invariant sites, and keeps the higher. If the speeds of all
  /// parts are optimized, their mean over the sites is 1 in the end. Free rates have many tops: it climbs several, and
  /// they are ascending in the end. Gives the
  /// log-likelihood.
  double optimize(Tree& tree, double epsilon = 0.1);

  /// Gives the log-likelihood of a proposed tree, computed at the branch of `at`. `tree` has been changed already:
  /// `changed` are the half-edges that `changed()` would be called for. The half-edges of `around` look into subtrees
  /// that the proposal left as they were; their CLVs serve whatever becomes of it. Then comes `accept` or `reject`.
  double propose(const Tree& tree, std::span<const HalfEdge> around, std::span<const HalfEdge> changed, HalfEdge at);
  /// The same for a tree of which every length has changed, or for another model.
  double propose_all(const Tree& tree, HalfEdge at);
  double propose(const Tree& tree, const Model& model, HalfEdge at);
  /// Keeps what was proposed; or has every CLV as it was before, for the tree and the model of before.
  void accept();
  void reject();

  struct State;

 private:
  double optimize_part(const Tree& tree, int part, double epsilon);
  /// Of parts with both +G and +I: takes the higher top, and says whether any was another one.
  bool try_other_tops(const Tree& tree, double epsilon);
  double climb_to_the_top(Tree& tree, double epsilon);
  /// Of parts with free rates: takes the highest top that it finds from other categories, and says whether any was
  /// another one.
  bool try_other_categories(const Tree& tree, double epsilon);
  /// Orders the categories of free rates, and says whether there are any.
  bool sort_categories();
  /// Makes the mean speed of the sites 1 if all speeds are optimized, and says whether they are.
  bool equalize_speeds(Tree& tree);

  std::unique_ptr<State> state_;
};

}  // namespace phylo
