#pragma once
// What maslin-phylo can do. Each command prints to standard output and throws `input_error` for what a user can mend.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace phylo {

class Ranks;

/// A model in the notation of parse_model, or partitions in that of parse_scheme, given as text or in a file; both if
/// the file says only which sites belong together.
struct ModelChoice {
  std::string text;
  std::string file;
};

/// A tree, the data and model that it is of, and what is fitted on it first.
struct GivenTree {
  std::string msa;
  std::string data_type = "auto";
  std::string brlen = "scaled";  ///< of several partitions: linked, scaled or unlinked
  std::string tree;
  ModelChoice model;
  std::string optimize = "none";  ///< none, branches or all
};

struct EvaluateCommand {
  GivenTree given;         ///< or several trees, each of which is evaluated
  std::string prefix;      ///< empty: no files are written
  std::string line;        ///< as the command was typed, for the log
  int alrt = 0;            ///< resamplings for SH-aLRT support; 0: none
  std::uint64_t seed = 1;  ///< of these
  int threads = 0;         ///< workers; 0: as the runtime chooses
  bool json = false;
};

struct AncestralCommand {
  AncestralCommand() { given.optimize = "all"; }
  GivenTree given;
  std::string prefix;
  std::string line;  ///< as the command was typed, for the log
  int threads = 0;   ///< workers; 0: as the runtime chooses
  bool json = false;
};

/// search, bootstrap and all: what differs is how many trees of which kind there are.
struct InferCommand {
  std::string name;
  std::string msa;
  std::string data_type = "auto";
  std::string brlen = "scaled";  ///< of several partitions: linked, scaled or unlinked
  ModelChoice model;
  int starts = 0;           ///< searches that begin at parsimony trees, if `start_trees` is empty
  std::string start_trees;  ///< where searches begin, as `read_starts` takes it
  /// How far searches go: a word that `effort_of` knows, or adaptive, which is instead of both: as many searches as the
  /// alignment's difficulty is worth.
  std::string search = "standard";
  std::string constraint;  ///< file with a tree that all trees must display; empty: none
  int replicates = 0;      ///< at most so many, with `bootstop`
  bool bootstop = false;   ///< stop when there are enough replicates
  double cutoff = 0.03;    ///< see `agreement`
  std::uint64_t seed = 1;
  std::string metric = "fbp";  ///< of support, as SupportCommand has it
  int alrt = 0;                ///< resamplings for SH-aLRT support of the best tree; 0: none
  std::string prefix;
  std::string line;                   ///< as the command was typed, for the log
  int threads = 0;                    ///< workers; 0: as the runtime chooses
  std::optional<std::size_t> memory;  ///< bytes for the CLVs of all searches
  int checkpoint_seconds = 60;        ///< between two checkpoints of a search
  bool json = false;
  bool quiet = false;
  bool redo = false;
};

/// Markov chains over trees. Priors and weights are as they stand in the options.
struct McmcCommand {
  std::string msa;
  std::string data_type = "auto";
  ModelChoice model;
  std::string prefix;
  std::string line;  ///< as the command was typed, for the log
  int runs = 2;
  int chains = 4;
  int generations = 1000000;
  int sample = 500;        ///< generations between two samples
  int swap = 10;           ///< generations between two swaps
  int diagnostics = 5000;  ///< generations between two rows of the .mcmc file
  int checkpoint = 10000;  ///< generations between two checkpoints
  double temperature = 0.1;
  double burnin = 0.25;  ///< a share of the generations if below 1, else so many
  std::string stop_at;
  std::uint64_t seed = 1;
  int threads = 0;         ///< workers; 0: as the runtime chooses
  Ranks* ranks = nullptr;  ///< that share the chains; null: this process has them alone
  int segments = 0;        ///< of the alignment, among ranks; 0: as few as there can be
  bool no_data = false;
  std::string precision = "double";  ///< of conditional likelihood vectors
  std::string weights;
  std::string prior_branches;
  std::string prior_rates;
  std::string prior_frequencies;
  std::string prior_kappa;
  std::string prior_shape;
  std::string prior_invariant;
  bool json = false;
  bool quiet = false;
  bool redo = false;
};

struct SupportCommand {
  std::string tree;
  std::string trees;
  std::string metric = "fbp";  ///< fbp: the share of trees that have the branch; tbe: transfer support
  std::string prefix;
  bool json = false;
};

struct ConsensusCommand {
  std::string trees;
  double threshold = 0.5;  ///< splits in more than this share of the trees are kept; 1 keeps those in all
  bool extended = false;
  std::string prefix;  ///< empty: print the tree
  bool json = false;
};

struct DistancesCommand {
  std::string trees;
  std::string prefix;  ///< empty: print the summary only
  bool json = false;
};

/// Prints the log-likelihood of a tree or several, given or after optimization, and writes them below the prefix if
/// there is one.
void run(const EvaluateCommand& command);
/// Writes how probable each state is at each inner node of a given tree.
void run(const AncestralCommand& command);
/// Finds trees and writes them below the prefix. Throws `Stopped` after a signal.
void run(const InferCommand& command);
/// Samples trees and parameters from their posterior distribution and writes them below the prefix. Throws `Stopped`
/// after a signal.
void run(const McmcCommand& command);
/// Writes the tree with the support of each inner branch, in per cent.
void run(const SupportCommand& command);
/// Writes the consensus of the trees.
void run(const ConsensusCommand& command);
/// Prints how far trees lie apart, and writes the distances of all pairs.
void run(const DistancesCommand& command);

}  // namespace phylo
