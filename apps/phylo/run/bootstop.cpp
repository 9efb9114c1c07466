#include "phylo/run/bootstop.hpp"

#include "phylo/io/newick.hpp"

namespace phylo {

Bootstop::Bootstop(int replicates, double cutoff, std::uint64_t seed, const std::vector<std::string>& names)
    : cutoff_(cutoff), seed_(seed), names_(names), wanted_(replicates) {
  if (cutoff_ == 0) return;
  trees_.resize(static_cast<std::size_t>(replicates));
  is_there_.resize(static_cast<std::size_t>(replicates));
}

std::optional<std::vector<Tree>> Bootstop::take_next() {
  const std::scoped_lock lock(mutex_);
  while (there_ < wanted() && is_there_[static_cast<std::size_t>(there_)]) ++there_;
  if (looking_ || there_ < looked_ + step) return std::nullopt;
  looking_ = true;
  looked_ += step;
  return std::vector<Tree>(trees_.begin(), trees_.begin() + looked_);
}

bool Bootstop::add(const FinishedTree& tree) {
  if (cutoff_ == 0 || tree.id.purpose != Purpose::bootstrap) return false;
  Tree parsed = to_tree(parse_newick(tree.newick, to_string(tree.id)), 0, names_, "the alignment", Lengths::required);
  {
    const std::scoped_lock lock(mutex_);
    trees_[static_cast<std::size_t>(tree.id.index)] = std::move(parsed);
    is_there_[static_cast<std::size_t>(tree.id.index)] = true;
  }
  // Who looks does so without the lock, and goes on as long as there is more to look at.
  while (const std::optional<std::vector<Tree>> trees = take_next()) {
    const Agreement found = agreement(*trees, cutoff_, seed_);
    const std::scoped_lock lock(mutex_);
    last_ = found;
    if (found.enough) {  // and nobody looks any more
      wanted_.store(static_cast<int>(trees->size()), std::memory_order_relaxed);
      return true;
    }
    looking_ = false;
  }
  return false;
}

}  // namespace phylo
