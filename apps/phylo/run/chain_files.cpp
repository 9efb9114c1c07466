#include "phylo/run/chain_files.hpp"

#include <fmt/format.h>

#include "phylo/io/file.hpp"
#include "phylo/run/chain_results.hpp"

namespace phylo {

ChainFiles::ChainFiles(const Prefix& prefix, const Alignment& alignment, const GridSetup& setup)
    : names_(alignment.names), columns_(columns_of(setup.chain.model)), chain_columns_(chain_columns(setup)) {
  for (int run = 1; run <= setup.runs; ++run) {
    const std::string of_run = setup.runs > 1 ? fmt::format("run{}.", run) : "";
    files_.push_back({fmt::format("parameters_{}", run), prefix.file(of_run + "p")});
    files_.push_back({fmt::format("trees_{}", run), prefix.file(of_run + "t")});
  }
  files_.push_back({"chains", prefix.file("mcmc")});
}

void ChainFiles::write(const std::vector<RunSamples>& runs, const std::vector<McmcRow>& rows,
                       const std::string& id) const {
  for (std::size_t run = 0; run < runs.size(); ++run) {
    write_file(files_[2 * run].path, parameter_file(runs[run], columns_, id));
    write_file(files_[2 * run + 1].path, tree_file(runs[run], names_, id));
  }
  write_file(files_.back().path, chain_file(rows, chain_columns_, id));
}

}  // namespace phylo
