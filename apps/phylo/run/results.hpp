#pragma once
// What a run leaves behind: PREFIX.result.json, and the same facts as text.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/run/infer.hpp"
#include "phylo/run/inputs.hpp"
#include "phylo/run/sizing.hpp"
#include "phylo/search/difficulty.hpp"

namespace phylo {

/// A file that was written, by what it holds: {"best_tree", "out/x.bestTree"}.
struct WrittenFile {
  std::string what;
  std::string path;
};

/// What all trees of a run were made to display.
struct ConstraintFacts {
  ConstraintFacts() = default;
  ConstraintFacts(const std::string& from, const Constraint& constraint)
      : file(from), taxa(constraint.constrained()), branches(constraint.clusters().size()) {}
  std::string file;  ///< empty: nothing
  int taxa = 0;
  std::size_t branches = 0;
};

/// All that the results say of a run.
struct RunFacts {
  std::string command;
  std::string search;  ///< how far searches went, as --search says it
  std::uint64_t seed = 1;
  std::string instructions;
  int workers = 1;
  const Data* data = nullptr;
  const Inference* inference = nullptr;
  std::vector<std::string> starts;       ///< where the searches began, see `Starts`
  std::optional<Difficulty> difficulty;  ///< if the searches were planned by it
  SearchPlan plan;                       ///< then
  ConstraintFacts constraint;
  int alrt_replicates = 0;  ///< 0: no SH-aLRT support was asked for
  std::string alrt_tree;    ///< the best tree with it, in Newick
  std::vector<WrittenFile> files;
};

/// Gives result.json's content. Everything but the times, the right-sizing and what was computed by which run depends
/// on alignment, model, seed and instruction set only.
nlohmann::json to_json(const RunFacts& facts);

/// Gives what is known of each part before any likelihood is computed.
nlohmann::json to_json(const Data& data);

/// Gives the JSON text; bytes that are no UTF-8 (in file names) are replaced.
std::string dump(const nlohmann::json& value);

/// Gives for a log what a run begins with: data, notes on them, model, seed if one is used, workers, instruction set.
std::string described(const Data& data, std::optional<std::uint64_t> seed, const std::string& instructions);

/// Gives how difficult the alignment is, and what searches that is worth, in a line.
std::string described(const Difficulty& difficulty, const SearchPlan& plan);

/// Gives the facts for people: alignment, best log-likelihood and its model, or the replicates' range.
std::string summarize(const RunFacts& facts);

}  // namespace phylo
