// Any bytes as the checkpoint of chains, a line for each of its files (the state, then samples), with the heads and
// checksums that they should have: chains that can go on, or an `input_error`.

#include "phylo/run/chain_checkpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cli/shared/digest.hpp"
#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"

namespace {

namespace fs = std::filesystem;

constexpr int taxa = 5;

/// A folder with an identity and no chains, until the process ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("fuzz_chains_" + std::to_string(::getpid()))) {
    phylo::ChainIdentity identity;
    identity.taxa = taxa;
    checkpoint_.emplace(path_, identity, false, std::vector<std::string>());
    checkpoint_->save({}, {}, 0, {});
    std::ifstream in(path_ + "/state");
    std::getline(in, kind_);
    std::getline(in, stamp_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void put(const std::string& name, std::string_view body) const {
    const std::string lines = kind_ + "\n" + stamp_ + "\n" + std::string(body) + "\n";
    std::ofstream(path_ + "/" + name, std::ios::binary)
        << lines << "checksum " << command::hex(command::digest(lines)) << "\n";
  }
  std::optional<phylo::ChainProgress> load() { return checkpoint_->load(); }

 private:
  std::string path_, kind_, stamp_;
  std::optional<phylo::ChainCheckpoint> checkpoint_;
};

/// What chains take for granted.
void check_run(const phylo::RunState& run) {
  const std::size_t chains = run.chains.size();
  check(chains > 0 && run.heats.size() == chains && run.tunings.size() == chains);
  check(run.swaps_tried.size() == chains * chains && run.swaps_accepted.size() == chains * chains);
  for (std::size_t heat = 0; heat < chains; ++heat)
    check(std::count(run.heats.begin(), run.heats.end(), static_cast<int>(heat)) == 1);
  for (const phylo::ChainState& chain : run.chains) {
    check(chain.tree.complete() && chain.tree.tips() == taxa);
    check(chain.place >= taxa && chain.place < chain.tree.half_edges());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Folder folder;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  int number = -1;
  for (std::size_t at = 0; at <= size && number < 3; ++number) {
    const std::size_t end = std::min(text.find('\n', at), size);
    folder.put(number < 0 ? "state" : "samples-000" + std::to_string(number), text.substr(at, end - at));
    at = end + 1;
  }
  try {
    const auto progress = folder.load();
    check(progress && progress->samples.size() == progress->grid.runs.size() && progress->grid.generation >= 0);
    for (const phylo::RunState& run : progress->grid.runs) check_run(run);
  } catch (const phylo::input_error& e) {
    check_message(e);
  }
  return 0;
}
