#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "phylo/io/error.hpp"
#include "phylo/io/file.hpp"
#include "phylo/io/newick.hpp"
#include "phylo/run/commands.hpp"
#include "phylo/run/prefix.hpp"
#include "phylo/run/results.hpp"
#include "phylo/tree/splits.hpp"

namespace phylo {

void run(const DistancesCommand& command) {
  const NewickFile file = read_newick(command.trees);
  if (file.trees.size() < 2) file.fail_at(file.text.size(), "the file ends behind one tree; expected two at least");
  const std::vector<std::string> names = tip_names(file);
  const std::vector<Tree> trees = to_trees(file, names, "the first tree", Lengths::optional);
  const std::vector<std::int32_t> distances = robinson_foulds(trees);
  const double most = std::max<double>(1, 2 * (static_cast<double>(names.size()) - 3));
  const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  const std::size_t topologies = count_topologies(trees);

  std::string path;
  if (!command.prefix.empty()) {
    const Prefix prefix(command.prefix);
    prefix.prepare();
    path = prefix.file("distances");
    std::string lines;
    auto distance = distances.begin();
    for (std::size_t i = 0; i < trees.size(); ++i)
      for (std::size_t j = i + 1; j < trees.size(); ++j, ++distance)
        fmt::format_to(std::back_inserter(lines), "{}\t{}\t{}\t{:.6f}\n", i, j, *distance, *distance / most);
    write_file(path, lines);
  }
  if (command.json) {
    nlohmann::json out = {{"trees", trees.size()},
                          {"topologies", topologies},
                          {"mean_distance", mean},
                          {"mean_relative_distance", mean / most}};
    if (!path.empty()) out["files"] = {{"distances", path}};
    write_standard_output(dump(out));
    return;
  }
  write_standard_output(
      fmt::format("{} trees, {} {}\nRobinson-Foulds distance: {:.2f} in the mean, {:.4f} of the "
                  "most\n{}",
                  trees.size(), topologies, topologies == 1 ? "topology" : "topologies", mean, mean / most,
                  path.empty() ? "" : "Written:\n  " + path + "\n"));
}

}  // namespace phylo
