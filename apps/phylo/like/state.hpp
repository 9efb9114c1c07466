#pragma once
// What an engine owns: of each part the data in the kernels' layout, the model in the kernels' terms, and the CLVs.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "phylo/like/buffer.hpp"
#include "phylo/like/cache.hpp"
#include "phylo/like/classes.hpp"
#include "phylo/like/directions.hpp"
#include "phylo/like/engine.hpp"
#include "phylo/like/kernels.hpp"
#include "phylo/like/newton.hpp"
#include "phylo/like/quasi_newton.hpp"
#include "phylo/model/spectrum.hpp"

namespace phylo {

/// The model as the kernels use it.
struct Factors {
  Factors() = default;
  /// There is a decomposition for each category, or one for all.
  Factors(int rates, int states, int decompositions, bool unequal);

  Buffer<double> transition;   ///< expansion of P(t), of each decomposition
  Buffer<double> joint;        ///< the same with the frequency of the row's state and the category's weight, if all are
                               ///< equal
  Buffer<double> exponents;    ///< eigenvalue * rate, [rate][states - 1]
  Buffer<double> of_category;  ///< the same, each category's as if it were alone, if each has a decomposition
  Buffer<double> near_eigen;   ///< [k][i]: to eigenvector k, with frequency and weight; of unequal categories one each
  Buffer<double> far_eigen;    ///< [k][j], of each decomposition
  std::vector<double> shares;  ///< of categories, if they are unequal
  int near_stride = 0;         ///< from one matrix of near_eigen to the next; 0: there is one
  int far_stride = 0;          ///< the same of far_eigen
};

/// The latest decomposition, which serves as long as only other parameters change.
struct Decomposed {
  std::vector<double> rates;
  std::vector<double> frequencies;
  std::vector<Spectrum> spectra;  ///< one for each category, or one for all
};

/// A list of newview steps with the matrices they need; nothing is allocated while it is filled.
class Traversal {
 public:
  Traversal() = default;
  Traversal(std::size_t most_steps, std::size_t most_matrix_doubles) : matrices_(most_matrix_doubles) {
    steps_.reserve(most_steps);
  }
  void clear() {
    steps_.clear();
    used_ = 0;
  }
  double* take(std::size_t doubles) {
    // More branches than a tree has: the caller's tree has a cycle or another number of taxa.
    if (used_ + doubles > matrices_.size()) throw std::logic_error("likelihood: a traversal larger than the tree");
    double* const at = matrices_.data() + used_;
    used_ += doubles;
    return at;
  }
  void add(const Newview& step) { steps_.push_back(step); }
  const Newview* steps() const { return steps_.data(); }
  int count() const { return static_cast<int>(steps_.size()); }

 private:
  std::vector<Newview> steps_;
  Buffer<double> matrices_;
  std::size_t used_ = 0;
};

/// The subtree whose insertion is being tried.
struct Hanging {
  HalfEdge subtree = none;
  double pendant = 0;
  Operand from;          ///< what the next junction has to bring across first
  bool pending = false;  ///< whether it has to
};

/// A change that may be taken back, while it is open.
struct Proposal {
  bool allowed = false;
  bool open = false;
  bool other_model = false;  ///< the three below are those before the proposal
  Model model;
  Factors factors;
  Buffer<double> invariant;
};

/// One part of the data: sites that share a model.
struct PartState {
  /// CLVs that belong to no half-edge: scratch_slot and hung_slot.
  static constexpr std::size_t scratch_slots = 2;

  /// `all_directions`: CLVs of each half-edge are kept, and not one of each node. Options are those of the engine.
  PartState(const Patterns& patterns, const Model& model, bool all_directions, const Engine::Options& options,
            std::size_t number);

  /// Puts the model into the kernels' terms and forgets all CLVs.
  void take_model(const Model& m);

  /// The same, and forgets nothing.
  void adopt(const Model& m);
  /// Opens a proposal, proposes another model in it, and decides it.
  void begin();
  void propose_model(const Model& m);
  void decide(bool accepted);

  /// The CLV of every pattern that a slot has, and its counts.
  void* clv(std::int32_t slot) { return clvs.data() + room_of(slot) * clv_bytes; }
  std::int32_t* scale(std::int32_t slot) { return scales.data() + room_of(slot) * padded; }
  /// The CLV of a slot's classes, and the counts that it must not have.
  void* class_clv(std::int32_t slot) { return class_clvs.data() + static_cast<std::size_t>(slot) * class_clv_bytes; }
  std::int32_t* class_scale(std::int32_t slot) {
    return class_scales.data() + static_cast<std::size_t>(slot) * most_classes;
  }
  /// The slots after those of the half-edges, for CLVs of no half-edge.
  std::int32_t scratch_slot() const { return directions.slots(); }
  std::int32_t hung_slot() const { return directions.slots() + 1; }

  /// The classes of the patterns behind `h`.
  const std::uint8_t* codes_of(HalfEdge h) const { return classes.codes(h) + first; }
  /// The node of `h` without matrices. The CLV of `h` must have been required, here and below: only then is known
  /// whether it has classes.
  Operand plain(HalfEdge h);
  /// The node of `h` with one matrix for all rates, or one for each, `stride` apart.
  Operand through(HalfEdge h, const Buffer<double>& matrix, int stride = 0);
  /// The node of `h` seen across a branch of that length, by P(t) or by `joint`.
  Operand across(HalfEdge h, double length, const Buffer<double>& expansion);
  /// Puts on the list what is needed to have the CLV of `h`. Throws std::logic_error for a tree that is not complete
  /// there.
  void require(const Tree& tree, HalfEdge h);
  /// Puts the one step on the list that computes the CLV of `node` from its children's.
  void plan(const Tree& tree, HalfEdge node);
  /// Does so for both ends of a branch and gives them, the one without classes first if there is only one.
  std::pair<HalfEdge, HalfEdge> require_both(const Tree& tree, HalfEdge h);
  /// Does so, and gives the evaluation at the branch of `h`.
  Evaluation evaluation_at(const Tree& tree, HalfEdge h);
  /// The same of data together with one state at the node of `h`, of what varies (without the invariant class).
  Evaluation evaluation_of_state(const Tree& tree, HalfEdge h, int state);
  /// The subtree of a tentative insertion, seen across its branch by `joint`. An inner one is brought across once for
  /// all places that it is tried at: by the next junction, if it is not the latest one.
  Operand hang(HalfEdge subtree, double pendant);
  /// Puts on the list: the scratch CLV of a node that sees these two across branches of these lengths.
  void add_scratch(HalfEdge a, double to_a, HalfEdge b, double to_b);
  Operand scratch();
  /// The table of the classes of `h` after these matrices.
  const double* table_of(HalfEdge h, const double* matrices, int stride);
  /// Gives a slot a room for a CLV of every pattern, if it has none; or has others use that.
  void take_room(std::int32_t slot);
  void leave_room(std::int32_t slot);
  std::size_t room_of(std::int32_t slot) const {
    return static_cast<std::size_t>(rooms[static_cast<std::size_t>(slot)]);
  }
  /// What was planned has been done.
  void finish() {
    traversal.clear();
    directions.done();
  }
  void forget(const Tree& tree, HalfEdge h) {
    hanging = {};
    directions.changed(tree, h);
  }
  void forget() {
    hanging = {};
    directions.forget();
  }
  /// Whether these groups are those of the constant columns.
  bool is_constant(int group) const { return group >= groups; }
  std::size_t first_constant() const { return static_cast<std::size_t>(groups) * lanes; }
  Sites sites() const { return {weights.data(), model.with_invariant ? invariant.data() : nullptr}; }
  /// Arrays that a cache may hold: the CLVs with their counts, and the table.
  std::size_t arrays() const { return static_cast<std::size_t>(directions.slots()) + scratch_slots + 1; }
  std::size_t array_of(const void* in_clvs) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(in_clvs) - clvs.data()) / clv_bytes;
  }
  /// Gives what a loop moves for so many groups.
  std::int64_t moved_for(int count) const { return moved * count / (groups + constant_groups); }

  std::size_t number;  ///< among the parts of its engine
  const Kernels* kernels;
  Model model;
  int taxa;
  int rates;                               ///< categories
  int states;                              ///< of the kernels; those of the alphabet come first
  std::size_t first;                       ///< pattern of the segment among all; 0 without segments
  int patterns;                            ///< of the segment, as everything here but codes and classes
  int groups;                              ///< of patterns
  int constant_groups;                     ///< behind them, of an ascertained model: columns of one state each
  std::size_t padded;                      ///< lanes of all groups
  std::size_t clv_bytes;                   ///< of one CLV
  std::size_t class_clv_bytes;             ///< of one of classes
  Buffer<std::uint8_t> codes;              ///< one row a taxon, of all patterns and constant columns
  Buffer<std::uint8_t> common;             ///< by pattern: which of common_sets
  std::vector<std::uint32_t> common_sets;  ///< sets of states that all taxa may have
  double sites_counted;                    ///< the patterns' weights, added up; of all segments
  double constant_share;                   ///< of the sites may be invariant
  Buffer<double> weights;
  Buffer<double> invariant;
  Factors factors;
  Decomposed decomposed;
  Buffer<std::byte> tip_clv;  ///< of the codes of a tip, as classes
  Classes classes;
  Directions directions;
  Hanging hanging;
  Proposal proposal;
  Buffer<std::byte> clvs;  ///< by room, as the counts
  Buffer<std::int32_t> scales;
  Buffer<std::byte> class_clvs;  ///< by slot, as the counts
  Buffer<std::int32_t> class_scales;
  std::vector<std::int32_t> rooms;       ///< by slot; none: it has no CLV of every pattern
  std::vector<std::int32_t> free_rooms;  ///< the one that was left last comes last, and is taken first
  std::size_t most_rooms;                ///< when so many are taken, CLVs that nobody waits for lose theirs
  Traversal traversal;
  Curvature curvature;   ///< of the likelihood in the free parameters, as last seen
  Buffer<double> table;  ///< of makenewz
  Buffer<double> table_factors[3];
  Buffer<double> logarithms;  ///< of the patterns' likelihoods
  std::size_t first_array;    ///< of its own, among all of its engine
  std::int64_t moved = 0;     ///< bytes that the next loop moves to and from memory, if that counts
};

/// Groups of one part that are a block of the loops.
struct Chunk {
  std::size_t part;
  int first, last;
};

/// A CLV that a junction has to make from the subtree's first; null if it stands.
struct Preparation {
  const Operand* from = nullptr;
  void* clv = nullptr;
  std::int32_t* scale = nullptr;
};

/// The final step of a kernel, of one part.
struct FinalStep {
  Evaluation evaluation;
  Junction junction;
  Preparation preparation;
  Sumtable sumtable;
  Products products;
};

/// The lengths of one branch while each part's is fitted for itself. What is by chunk is written by the loop's blocks.
struct LengthFits {
  std::vector<LengthSearch> searches;  ///< by part
  std::vector<std::size_t> pending;    ///< chunks of the parts that are not done
  std::vector<Slopes> slopes;          ///< by chunk
};

/// Gives the bytes of a worker's largest cache that are there for one engine: all that exist have equal parts.
std::int64_t cache_of_an_engine();

struct Engine::State {
  State(const std::vector<PartView>& views, const Options& options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Calls `work(part, final step)` for each part. If it throws, nothing counts as computed.
  template <class Work>
  void each(Work&& work) {
    try {
      for (std::size_t i = 0; i < parts.size(); ++i) work(*parts[i], steps[i]);
    } catch (...) {
      abandon();
      throw;
    }
  }
  /// Forgets what is planned, and all CLVs.
  void abandon();
  void forget() {
    for (const auto& part : parts) part->forget();
  }

  /// Off-load, with the traversals that are on the lists, and clear them. The final steps must have been filled in.
  void run_newview();
  double run_evaluate() { return run_evaluate(0, chunks.size()); }
  /// The same of one part only.
  double run_evaluate_of(std::size_t part) { return run_evaluate(begins[part], begins[part + 1]); }
  /// Fills each part's `logarithms`, or those of one part.
  void run_logarithms() { run_logarithms(0, chunks.size()); }
  void run_logarithms_of(std::size_t part) { run_logarithms(begins[part], begins[part + 1]); }
  /// Writes the products of a part, for blocks of so many groups: one after the other.
  void run_products(std::size_t part, int block, double* out);
  double run_junction();
  /// Near ends have been taken `through` near_eigen, far ones through far_eigen.
  BranchLength run_makenewz(const BranchLength& length, int iterations);

  std::vector<std::unique_ptr<PartState>> parts;
  std::vector<FinalStep> steps;     ///< by part
  std::vector<Chunk> chunks;        ///< part by part
  std::vector<std::size_t> begins;  ///< of each part's chunks, and their end
  LengthFits fits;
  Computed computed;
  const Segment* segment;          ///< null: the patterns are all there are
  std::vector<double> of_segment;  ///< values of its blocks
  std::function<void()> between;   ///< off-loads
  bool counts_traffic = false;     ///< does anything depend on what the next loop moves?
  Cache cache;                     ///< a worker's, as far as it is this engine's

 private:
  /// Throws std::logic_error if there are segments.
  void expect_whole() const;
  double run_evaluate(std::size_t first, std::size_t last);
  void run_logarithms(std::size_t first, std::size_t last);
};

}  // namespace phylo
