#include "phylo/run/alrt.hpp"

#include <atomic>

#include "phylo/io/newick.hpp"
#include "phylo/run/infer.hpp"
#include "phylo/run/monitor.hpp"
#include "phylo/search/alrt.hpp"
#include "phylo/tree/unlinked.hpp"

namespace phylo {

Found found_by(const Data& data, const FinishedTree& search) {
  const auto parse = [&](const std::string& newick) {
    return to_tree(parse_newick(newick, to_string(search.id)), 0, data.alignment.names, "the alignment",
                   Lengths::required);
  };
  Found out{parse(search.newick), data.parts};
  if (!search.part_newicks.empty()) {
    std::vector<Tree> trees;
    for (const std::string& newick : search.part_newicks) trees.push_back(parse(newick));
    out.tree = unlinked(trees);
  }
  const Scheme models = parse_scheme(search.model, to_string(search.id));
  for (std::size_t part = 0; part < out.parts.size(); ++part) out.parts[part].model = models.parts[part].model;
  return out;
}

std::vector<double> alrt_of(const Found& found, int replicates, std::uint64_t seed, bool quiet, int trees) {
  const int branches = found.tree.tips() - 3;
  Monitor monitor(branches, 0, branches_phase, quiet, "branches");
  std::atomic<int> done{0};
  std::vector<double> supports = sh_alrt(found.parts, found.tree, replicates, seed, [&] {
    monitor.advanced(++done);
    return !monitor.stopping();
  });
  if (done < branches) throw Stopped{monitor.signal(), trees, trees};
  return supports;
}

}  // namespace phylo
