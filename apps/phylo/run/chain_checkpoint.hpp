#pragma once
// What chains have come to, on the disk.
//
//     PREFIX.chains/identity.json   what the samples depend on
//                   samples-0000    the samples of all runs up to the first checkpoint; -0001: those to the second
//                   state           where all chains are at the latest checkpoint, and how many sample files count
//                   lock            held while a process works on it
//
// Each is written whole or not at all, `state` last. Sample files that it does not count are written anew.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "phylo/io/file.hpp"
#include "phylo/mcmc/grid.hpp"
#include "phylo/run/chain_samples.hpp"

namespace phylo {

/// What samples depend on. How many generations are asked for is not part of it, so a run can be extended.
struct ChainIdentity {
  std::string alignment;  ///< digest of names and sequences
  std::string alignment_file;
  int taxa = 0;
  int sites = 0;
  std::string instructions;
  std::string program;
  std::map<std::string, std::string> options;  ///< by name: --model, --seed and the others
};

/// All that a checkpoint keeps.
struct ChainProgress {
  GridState grid;
  std::vector<std::vector<Sample>> samples;  ///< by run
  std::vector<McmcRow> rows;
};

class ChainCheckpoint {
 public:
  /// Opens the folder or makes it. What a kill left of these results half-written is taken away. With `redo`, whatever
  /// is there is forgotten, and the results before it. Throws `input_error` when another process works on it, when it
  /// belongs to something else or to another version, when it is damaged, or when it can't be written.
  ChainCheckpoint(const std::string& folder, const ChainIdentity& identity, bool redo,
                  const std::vector<std::string>& results);
  ChainCheckpoint(const ChainCheckpoint&) = delete;
  ChainCheckpoint& operator=(const ChainCheckpoint&) = delete;

  /// Gives what was kept; nothing before the first checkpoint. Throws `input_error` if it is damaged.
  std::optional<ChainProgress> load();
  /// Keeps the state and those samples of each run that come after the first `kept` ones.
  void save(const GridState& state, const std::vector<RunSamples>& runs, std::size_t kept,
            const std::vector<McmcRow>& rows);

  /// A number that tells runs apart, and is the same for a run that goes on.
  std::uint64_t number() const;

 private:
  void open(bool redo, const std::vector<std::string>& results);
  /// Gives the options of the identity that is there, as they were written: records have its digest. Throws
  /// `input_error` when it is that of other chains.
  std::map<std::string, std::string> options_of(const std::string& text) const;
  void refuse_foreign() const;
  void forget_all() const;
  std::string read_record(const std::string& name) const;
  void write_record(const std::string& name, const std::string& body) const;
  std::string samples_name(std::size_t number) const;

  std::string folder_;
  ChainIdentity identity_;
  std::string stamp_;
  FileLock lock_;
  std::size_t sample_files_ = 0;
};

}  // namespace phylo
