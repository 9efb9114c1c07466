#pragma once
// Ends a run's replicates when there are enough of them.

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "phylo/run/checkpoint.hpp"
#include "phylo/search/agreement.hpp"

namespace phylo {

/// Looks at the first 50 replicates, the first 100 and so on, when they are all there: whichever streams end first, the
/// same number is found to be enough. Streams of a phase may call it at once.
class Bootstop {
 public:
  static constexpr int step = 50;

  /// At most so many replicates; a cutoff of 0 never says that there are enough. `names` are the alignment's.
  Bootstop(int replicates, double cutoff, std::uint64_t seed, const std::vector<std::string>& names);

  /// A replicate is there. Other trees are ignored. Gives whether this has made it enough.
  bool add(const FinishedTree& tree);
  /// How many replicates are wanted, as far as is known.
  int wanted() const { return wanted_.load(std::memory_order_relaxed); }
  bool wants(TreeId id) const { return id.purpose == Purpose::search || id.index < wanted(); }
  /// What the last look said; call it when no stream runs.
  const std::optional<Agreement>& last() const { return last_; }

 private:
  /// Gives the trees to look at next, if they are there and nobody else looks.
  std::optional<std::vector<Tree>> take_next();

  const double cutoff_;
  const std::uint64_t seed_;
  const std::vector<std::string>& names_;
  std::atomic<int> wanted_;  // relaxed: a number that says nothing about other memory

  std::mutex mutex_;  // guards what follows
  std::vector<Tree> trees_;
  std::vector<bool> is_there_;
  int looked_ = 0;  ///< at so many
  int there_ = 0;   ///< all before this one
  bool looking_ = false;
  std::optional<Agreement> last_;
};

}  // namespace phylo
