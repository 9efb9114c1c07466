// Any bytes as the identity.json of a checkpoint, of searches and of chains: the run's own, or an `input_error`.

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/check.hpp"
#include "phylo/io/error.hpp"
#include "phylo/run/chain_checkpoint.hpp"
#include "phylo/run/checkpoint.hpp"

namespace {

namespace fs = std::filesystem;

/// A folder until the process ends.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("fuzz_identity_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string with(const char* name, const std::string& identity) const {
    std::string folder = path_ + "/" + name;
    fs::create_directories(folder);
    std::ofstream(folder + "/identity.json", std::ios::binary) << identity;
    return folder;
  }

 private:
  std::string path_;
};

template <class Open>
void check_opened(Open&& open) {
  try {
    open();
  } catch (const phylo::input_error& e) {
    check_message(e);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const phylo::Identity of_searches{"0123", "a.phy", 4,   10, "GTR+FO, a = 1-5; HKY+FO, b = 6-10",
                                    1,      "avx2",  "1", "", ""};
  phylo::ChainIdentity of_chains{"0123", "a.phy", 4, 10, "avx2", "2", {{"--model", "GTR"}, {"--seed", "1"}}};
  check_opened([&] { phylo::Checkpoint(folder.with("searches", text), of_searches, false); });
  check_opened([&] { phylo::ChainCheckpoint(folder.with("chains", text), of_chains, false, {}); });
  return 0;
}
