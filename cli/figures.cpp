// `maslin figures`: the papers' experiments on described machines. The work is done by
// bench/figures/described.py of the checkout, which runs programs of its build folder; an installed copy of the command
// needs both.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "maslin/error.hpp"

namespace {

[[noreturn]] void run_script(const std::vector<std::string>& words) {
  const std::string script = std::string(MASLIN_SOURCE) + "/bench/figures/described.py";
  if (!std::filesystem::exists(script))
    throw maslin::error(script +
                        " is not there: `maslin figures` needs Maslin's checkout and what was built there; "
                        "run `./dev run maslin figures` in a checkout");
  setenv("MASLIN_BENCH_BIN", MASLIN_BUILT_PROGRAMS, 0);
  std::vector<std::string> all{"python3", "-B", script};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp("python3", argv.data());
  throw maslin::error(fmt::format("python3 cannot be run: {}; install it", std::strerror(errno)));
}

}  // namespace

void add_figures(CLI::App& app) {
  struct options {
    std::vector<std::string> names;
    bool list = false, withheld = false, json = false, quick = false;
    std::string output;
  };
  auto chosen = std::make_shared<options>();
  CLI::App* figures =
      app.add_subcommand("figures", "The papers' tables and figures on a described machine: published, ours, error");
  figures->add_option(
      "NAME", chosen->names,
      "table1a, ..., table6d, figure4, ... (multigrain parallelism on a Cell blade), dbs-figure1 to 3 "
      "(Dynamic Bisectioning on an Origin 2000), ps3-figure6 and 7 (waiting for kernels on a PlayStation "
      "3), cellss13 to 18 and 20 (accesses to memory under bundles); or how they begin; all if none is given");
  figures->add_flag("--list", chosen->list, "Print the names and run nothing");
  figures->add_flag("--withheld", chosen->withheld, "Only the cells that the papers' text here does not give");
  figures->add_flag("--json", chosen->json, "Print a list of cells for programs");
  figures->add_flag("--quick", chosen->quick, "Simulate a part, in small");
  figures->add_option("--output", chosen->output,
                      "Folder for the pictures (default: out/cell, out/dbs, out/ps3, out/cellss in the checkout)");
  figures->callback([chosen] {
    std::vector<std::string> words = chosen->names;
    if (chosen->list) words.emplace_back("--list");
    if (chosen->withheld) words.emplace_back("--withheld");
    if (chosen->json) words.emplace_back("--json");
    if (chosen->quick) words.emplace_back("--quick");
    if (!chosen->output.empty()) words.insert(words.end(), {"--output", chosen->output});
    run_script(words);
  });
}
