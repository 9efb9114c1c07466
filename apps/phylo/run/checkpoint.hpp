#pragma once
// What a run has finished and begun, on the disk: one file a tree, each written whole or not at all.
//
//     PREFIX.checkpoint/identity.json    what the trees depend on
//                       search-0000      a finished tree: a line of JSON, lines of Newick, their checksum
//                       bootstrap-0000
//                       search-0001.begun  a search that has begun: a line of JSON, its checksum
//                       lock             held while a process works on it

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "phylo/io/alignment.hpp"
#include "phylo/io/file.hpp"
#include "phylo/run/begun_search.hpp"

namespace phylo {

/// What a tree is for.
enum class Purpose { search, bootstrap };

struct TreeId {
  Purpose purpose = Purpose::search;
  int index = 0;
  bool operator==(const TreeId&) const = default;
  bool operator<(const TreeId& other) const {
    return purpose != other.purpose ? purpose < other.purpose : index < other.index;
  }
};

/// Gives "search 3" or "bootstrap 3".
std::string to_string(TreeId id);

/// A tree that was searched for, with all that the results say of it.
struct FinishedTree {
  TreeId id;
  double lnl = 0;
  std::string newick;                     ///< with branch lengths, one line; of unlinked ones the mean over the sites
  std::vector<std::string> part_newicks;  ///< of a search, if they are unlinked: with those of each part
  std::string model;                      ///< with the values of all parameters
  double seconds = 0;                     ///< that the search took
};

/// What finished trees depend on. How many trees are asked for is not part of it, so a run can be extended.
struct Identity {
  std::string alignment;       ///< digest of names and sequences
  std::string alignment_file;  ///< for messages; not compared
  int taxa = 0;
  int sites = 0;
  std::string model;  ///< as asked for
  std::uint64_t seed = 0;
  std::string instructions;  ///< SIMD instruction set: results are the same to the last bit only within one
  std::string starts;        ///< digest of the trees from which searches begin; empty: parsimony trees
  std::string search;        ///< how far they go, as --search says it
  std::string constraint;    ///< digest of the constraint tree; empty: none
  std::string program;       ///< version of the search
};

/// Gives the digest of an alignment's names and sequences, whatever format they came in.
std::string alignment_digest(const Alignment& alignment);

/// The finished trees of a prefix.
class Checkpoint {
 public:
  /// Opens the folder or makes it. Trees that are damaged are reported by `damaged()` and count as not finished. With
  /// `redo`, whatever is there is forgotten first, and before that these results of it: whenever the process is killed,
  /// none of them stands beside trees of another run. Throws `input_error` when another process works on it, when it
  /// belongs to something else, or when it can't be written. A folder that holds anything and no identity is none of
  /// ours; nothing in it is touched.
  Checkpoint(const std::string& folder, const Identity& identity, bool redo,
             const std::vector<std::string>& results = {});
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// Gives the finished tree, or null. The pointer stays valid.
  const FinishedTree* find(TreeId id) const;
  /// Brings a finished tree to the disk; when this returns, the tree outlives whatever happens. May be called by
  /// several streams at a time. Throws `input_error` when the disk is full.
  void save(const FinishedTree& tree);

  /// Whether a search has begun, and is not finished.
  bool has_begun(TreeId id) const;
  /// Gives where it has come to. Throws `input_error` when that can't be used.
  BegunSearch begun(TreeId id, const Parts& parts) const;
  /// Keeps where a search has come to, until its tree is saved. May be called as `save` may.
  void save_begun(TreeId id, const BegunSearch& search) const;

  /// One message for each record that was found damaged.
  const std::vector<std::string>& damaged() const { return damaged_; }

 private:
  void open(bool redo, const std::vector<std::string>& results);
  void refuse_foreign() const;
  void check_identity(const std::string& text) const;
  void forget_all() const;
  void load_all();
  std::string path(TreeId id) const;
  std::string begun_path(TreeId id) const;

  std::string folder_;
  Identity identity_;
  std::string stamp_;  ///< digest of the identity: each record bears it
  FileLock lock_;
  mutable std::mutex mutex_;  ///< guards finished_
  std::map<TreeId, FinishedTree> finished_;
  std::vector<std::string> damaged_;
};

/// Gives a record as it stands in its file, and back. `parse_record` throws `input_error` with the reason when the text
/// is not a whole record, or bears another stamp.
std::string format_record(const FinishedTree& tree, const std::string& stamp);
FinishedTree parse_record(const std::string& text, const std::string& stamp);

}  // namespace phylo
