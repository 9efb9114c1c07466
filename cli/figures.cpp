// `maslin figures`: the papers' experiments on described machines. The work is done by bench/figures/described.py,
// which runs programs: those that are installed with this command, or else those of the checkout.

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

constexpr const char* script_name = "bench/figures/described.py";

struct place {
  std::filesystem::path script, programs;
};

/// Gives where the script and its programs are.
place find_figures() {
  std::error_code lost;
  const auto prefix = std::filesystem::read_symlink("/proc/self/exe", lost).parent_path() / "..";
  const place installed{prefix / MASLIN_DATA "/maslin" / script_name, prefix / MASLIN_LIBEXEC "/maslin"};
  const place built{std::filesystem::path(MASLIN_SOURCE) / script_name, MASLIN_BUILT_PROGRAMS};
  for (const place& one : {installed, built})
    if (std::filesystem::exists(one.script, lost)) return one;
  throw maslin::error(
      fmt::format("neither {} nor {} is there: install Maslin's component tools, or run "
                  "`./dev run maslin figures` in a checkout",
                  installed.script.lexically_normal().string(), built.script.string()));
}

[[noreturn]] void run_script(const std::vector<std::string>& words) {
  const place at = find_figures();
  setenv("MASLIN_BENCH_BIN", at.programs.c_str(), 0);
  std::vector<std::string> all{"python3", "-B", at.script.string()};
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
      "(Dynamic Bisectioning on an Origin 2000), ps3-figure3 and 6 to 8 (PlayStation "
      "3), cellss12 (what shortens bundles), cellss13 to 21 (accesses to memory under bundles), cml5 and 6, sweep7 "
      "and 8 (links, messages and Sweep3D on Roadrunner); or the beginning of such a name. All if none is given");
  figures->add_flag("--list", chosen->list, "Print the names and run nothing");
  figures->add_flag("--withheld", chosen->withheld, "Print only cells whose published value is not known here");
  figures->add_flag("--json", chosen->json, "Print a list of cells for programs");
  figures->add_flag("--quick", chosen->quick, "Simulate a part of them, at a small size");
  figures
      ->add_option("--output", chosen->output,
                   "Folder for the pictures (default: out/cell, out/dbs, out/ps3, out/cellss, out/links)")
      ->type_name("FOLDER");
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
