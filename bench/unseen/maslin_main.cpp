// unseen_maslin NAME: one of the forty programs by Maslin.

#include <CLI/CLI.hpp>
#include <chrono>

#include "grain/decisions.hpp"
#include "maslin/maslin.hpp"
#include "run.hpp"
#include "with_maslin.hpp"

namespace {

using namespace unseen;
namespace ms = maslin;

int run(const request& what, bool costs_declared) {
  declared = costs_declared;
  const ms::Runtime runtime;
  if (declared && !ms::cost(std::chrono::duration<double>(0), ms::skip))
    throw ms::error("--declared needs a described machine; set MASLIN_MACHINE=bench/grain/specs/synthetic-8.toml");
  nlohmann::json line = run_program(what);
  line["workers"] = ms::workers();
  if (const auto report = ms::report(phase_name)) line.update(grain::decisions(*report));
  return print(line);
}

}  // namespace

int main(int argc, char** argv) {
  request what;
  bool costs_declared = false;
  CLI::App app{"One of the forty programs by Maslin: prints its time and what right-sizing did as one line of JSON.",
               "unseen_maslin"};
  options(app, what);
  app.add_flag("--declared", costs_declared, "on a described machine: compute nothing, and say what it would take");
  app.add_option("--longer", what.size.longer, "with --declared: so many times as many rounds")
      ->check(CLI::Range(1, 100'000))
      ->needs("--declared");
  return run_main(app, argc, argv, [&] { return run(what, costs_declared); });
}
